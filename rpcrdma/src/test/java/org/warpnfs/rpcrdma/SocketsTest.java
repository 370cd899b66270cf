package org.warpnfs.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.oncrpc.RequesterTransport;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** The whole stack on loopback sockets, with threads. */
@Timeout(120)
class SocketsTest {
    private static final int CONNECTIONS = 3;
    private static final int CALLS = 150;

    @Test
    void connections_manyCallsAtOnce_areAllAnsweredRightly() throws Exception {
        PayloadPool pool = new PayloadPool(256 << 20, 2 << 20);
        EchoProgram program = new EchoProgram(pool);
        CountDownLatch gone = new CountDownLatch(CONNECTIONS);
        try (OperationThreads threads = new OperationThreads(3);
                IwarpTransport iwarp = new IwarpTransport();
                RpcRdmaService service = new RpcRdmaService(
                        Map.of(EchoProgram.PROGRAM, program),
                        threads,
                        pool,
                        ResponderOptions.DEFAULT,
                        transport -> gone.countDown());
                Listener listener = iwarp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), service)) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                RpcRdmaRequester requester = RpcRdmaRequester.connect(
                                iwarp.connector(), listener.localAddress(), RequesterOptions.DEFAULT, call -> call)
                        .get(30, TimeUnit.SECONDS);
                SplittableRandom random = new SplittableRandom(i);
                for (int xid = 1; xid <= CALLS; xid++) {
                    all.add(randomCall(requester, random, xid));
                }
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            assertThat(service.statistics().get(Counter.REPLIES_SENT)).isEqualTo((long) CONNECTIONS * CALLS);
            assertThat(service.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(gone.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(service.statistics().get(Counter.CALLS_RUNNING)).isZero();
        }
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void oncrpc4jCall_overRdma_isAnsweredOrFails() throws Exception {
        PayloadPool pool = new PayloadPool(16 << 20, 2 << 20);
        EchoProgram program = new EchoProgram(pool);
        try (OperationThreads threads = new OperationThreads(1);
                IwarpTransport iwarp = new IwarpTransport();
                RpcRdmaService service = new RpcRdmaService(
                        Map.of(EchoProgram.PROGRAM, program),
                        threads,
                        pool,
                        ResponderOptions.DEFAULT,
                        transport -> {});
                Listener listener = iwarp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), service)) {
            RpcRdmaRequester requester = RpcRdmaRequester.connect(
                            iwarp.connector(), listener.localAddress(), RequesterOptions.DEFAULT, call -> call)
                    .get(30, TimeUnit.SECONDS);
            try (RequesterTransport transport = new RequesterTransport(requester, 1 << 17)) {
                RpcCall client = new RpcCall(EchoProgram.NUMBER, EchoProgram.VERSION, new RpcAuthTypeNone(), transport);
                byte[] sent = EchoProgram.pattern(100_001, 0);
                byte[][] received = new byte[1][];
                client.call(
                        EchoProgram.COPY,
                        (EchoProgram.Encoded) xdr -> xdr.xdrEncodeDynamicOpaque(sent),
                        (EchoProgram.Decoded) xdr -> received[0] = xdr.xdrDecodeDynamicOpaque(),
                        30,
                        TimeUnit.SECONDS);
                assertThat(received[0]).isEqualTo(sent);
                assertThatThrownBy(() ->
                                client.call(EchoProgram.FAIL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, 30, TimeUnit.SECONDS))
                        .isInstanceOf(OncRpcAcceptedException.class);
            }
        }
    }

    private static CompletableFuture<Void> randomCall(RpcRdmaRequester requester, SplittableRandom random, int xid) {
        int count = random.nextInt(1 << random.nextInt(1, 20));
        return switch (random.nextInt(3)) {
            case 0 -> {
                byte[] data = EchoProgram.pattern(count, xid);
                yield requester
                        .call(Rpc.write(xid, data), ChunkOffer.NONE)
                        .thenAccept(reply -> checkWrite(xid, data, reply));
            }
            case 1 -> {
                RpcMessage call = Rpc.call(xid, EchoProgram.READ, count);
                yield requester
                        .call(call, ChunkOffer.write(ByteBuffer.allocateDirect(count + 4)))
                        .thenAccept(reply -> checkRead(xid, count, reply));
            }
            default -> {
                RpcMessage call = Rpc.call(xid, EchoProgram.BULK, count);
                yield requester
                        .call(call, ChunkOffer.reply(ByteBuffer.allocateDirect(count + 100)))
                        .thenAccept(reply -> checkBulk(xid, count, reply));
            }
        };
    }

    private static void checkWrite(int xid, byte[] data, RequesterReply reply) {
        ByteBuffer results = Rpc.success(xid, reply.message());
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(7, data.length, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
    }

    private static void checkRead(int xid, int count, RequesterReply reply) {
        ByteBuffer results = Rpc.success(xid, reply.message());
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(0x11111111, count, 0x22222222);
        assertThat(reply.written().getFirst()).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(count, 0)));
    }

    private static void checkBulk(int xid, int count, RequesterReply reply) {
        ByteBuffer results = Rpc.success(xid, reply.message());
        assertThat(results.getInt()).isEqualTo(count);
        assertThat(results.slice(results.position(), count)).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(count, 0)));
    }
}
