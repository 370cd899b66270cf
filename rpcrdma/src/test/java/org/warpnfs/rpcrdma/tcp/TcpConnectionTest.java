package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.warpnfs.rpcrdma.tcp.ServedPeers.await;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.oncrpc.OncRpcDispatcher;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** Peers that stop in the middle of a message, and calls in the other direction. */
@Timeout(60)
class TcpConnectionTest {
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final Duration GRACE = Duration.ofHours(1);
    private static final int UNREAD_REPLIES = 32;

    private final TransportStatistics statistics = new TransportStatistics();
    private final PayloadPool pool = new PayloadPool(64 << 20, 1 << 20);
    private final EchoProgram program = new EchoProgram(pool);
    private final OperationThreads threads = new OperationThreads(2);
    private TcpListener listener;

    @BeforeEach
    void listen() throws IOException {
        listener = TcpListener.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TcpOptions.builder()
                        .maxCalls(UNREAD_REPLIES, UNREAD_REPLIES)
                        .maxUnsentBytes(64 << 20, 64 << 20)
                        .leastRate(64 << 10, GRACE)
                        .firstMessageLimit(GRACE)
                        .eventLoopThreads(1)
                        .build(),
                statistics,
                new OncRpcDispatcher(Map.of(EchoProgram.PROGRAM, program), threads, statistics, transport -> {}));
    }

    @AfterEach
    void everythingIsBack() {
        listener.close();
        threads.drain(Duration.ofSeconds(10));
        assertThat(pool.lentBytes()).isZero();
        assertThat(statistics.get(Counter.CALLS_RUNNING)).isZero();
        assertThat(statistics.get(Counter.CONNECTIONS_OPEN)).isZero();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(listener.localAddress());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static void send(Socket socket, RpcMessage message) throws IOException {
        ByteBuffer flat = message.flatten();
        socket.getOutputStream()
                .write(ByteBuffer.allocate(4 + flat.remaining())
                        .putInt(LAST_FRAGMENT | flat.remaining())
                        .put(flat)
                        .array());
    }

    private static ByteBuffer receive(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] message = new byte[in.readInt() & ~LAST_FRAGMENT];
        in.readFully(message);
        return ByteBuffer.wrap(message);
    }

    /**
     * Checks for stalled connections, each time as if the limit had passed since the last check, until one was closed.
     */
    private void awaitStallFound() throws InterruptedException {
        long nowNanos = System.nanoTime();
        while (statistics.get(Counter.CONNECTIONS_ABORTED) == 0) {
            nowNanos += GRACE.toNanos() + 1;
            listener.closeOverdue(nowNanos);
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Test
    void repliesUnread_stallLimitPasses_connectionIsClosedAndTheirMemoryIsBack() throws Exception {
        try (Socket socket = connect()) {
            for (int xid = 0; xid < UNREAD_REPLIES; xid++) {
                send(socket, Rpc.call(xid, EchoProgram.READ, 1 << 20));
            }
            await(() -> statistics.get(Counter.REPLIES_SENT) == UNREAD_REPLIES);
            assertThat(pool.lentBytes()).as("what the socket has not taken").isPositive();
            awaitStallFound();
            await(() -> pool.lentBytes() == 0);
            await(() -> statistics.get(Counter.CONNECTIONS_OPEN) == 0);
        }
    }

    @Test
    void recordHalfSent_stallLimitPasses_connectionIsClosed() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(44).putInt(LAST_FRAGMENT | 100).array());
            await(() -> statistics.get(Counter.TCP_RECEIVED_BYTES) == 44);
            awaitStallFound();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void idleConnection_stallLimitPassesManyTimes_goesOn() throws Exception {
        try (Socket socket = connect()) {
            long nowNanos = System.nanoTime();
            for (int xid = 0; xid < 20; xid++) {
                send(socket, Rpc.call(xid, EchoProgram.NULL));
                Rpc.success(xid, receive(socket));
                for (int look = 0; look < 5; look++) {
                    nowNanos += GRACE.toNanos() + 1;
                    listener.closeOverdue(nowNanos);
                }
            }
        }
        assertThat(statistics.get(Counter.CONNECTIONS_ABORTED)).isZero();
    }

    /** A call that a program works on for long is no stall, because the peer is not what we wait for. */
    @Test
    void programAtWork_stallLimitPasses_connectionGoesOn() throws Exception {
        try (Socket socket = connect()) {
            send(socket, Rpc.call(1, EchoProgram.PARK));
            await(() -> statistics.get(Counter.CALLS_RUNNING) == 1 && parked());
            long nowNanos = System.nanoTime();
            for (int look = 0; look < 5; look++) {
                nowNanos += GRACE.toNanos() + 1;
                listener.closeOverdue(nowNanos);
            }
            synchronized (program) {
                program.parked.removeFirst().reply(org.dcache.oncrpc4j.xdr.XdrVoid.XDR_VOID);
            }
            Rpc.success(1, receive(socket));
        }
    }

    private boolean parked() {
        synchronized (program) {
            return !program.parked.isEmpty();
        }
    }

    private CompletableFuture<Integer> backward(int procedure) throws Exception {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        RpcTransport transport;
        synchronized (program) {
            transport = program.transports.getFirst();
        }
        new RpcCall(0x4000_0000, 1, new RpcAuthTypeNone(), transport)
                .call(
                        procedure,
                        (EchoProgram.Encoded) xdr -> xdr.xdrEncodeInt(procedure),
                        new CompletionHandler<RpcReply, RpcTransport>() {
                            @Override
                            public void completed(RpcReply reply, RpcTransport by) {
                                try {
                                    reply.getReplyResult(
                                            (EchoProgram.Decoded) xdr -> result.complete(xdr.xdrDecodeInt()));
                                } catch (IOException e) {
                                    result.completeExceptionally(e);
                                }
                            }

                            @Override
                            public void failed(Throwable e, RpcTransport by) {
                                result.completeExceptionally(e);
                            }
                        });
        return result;
    }

    private static RpcMessage answer(int xid, int value) {
        return RpcMessage.of(ByteBuffer.allocate(28)
                .putInt(xid)
                .putInt(1)
                .putInt(0)
                .putLong(0)
                .putInt(0)
                .putInt(value)
                .flip());
    }

    @Test
    void backwardCalls_amongForwardOnes_areAnsweredInAnyOrder() throws Exception {
        try (Socket socket = connect()) {
            send(socket, Rpc.call(1, EchoProgram.NULL));
            Rpc.success(1, receive(socket));
            List<CompletableFuture<Integer>> results = new ArrayList<>();
            List<ByteBuffer> calls = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                results.add(backward(i));
                ByteBuffer call = receive(socket);
                assertThat(call.getInt(4)).as("CALL").isZero();
                assertThat(call.getInt(20)).as("procedure").isEqualTo(i);
                calls.add(call);
            }
            for (ByteBuffer call : calls.reversed()) {
                send(socket, Rpc.call(2, EchoProgram.NULL));
                Rpc.success(2, receive(socket));
                send(socket, answer(call.getInt(0), call.getInt(20) + 1));
            }
            for (int i = 0; i < 10; i++) {
                assertThat(results.get(i).get(30, TimeUnit.SECONDS)).isEqualTo(i + 1);
            }
        }
        assertThat(statistics.get(Counter.BACKWARD_CALLS_SENT)).isEqualTo(10);
        assertThat(statistics.get(Counter.BACKWARD_REPLIES_RECEIVED)).isEqualTo(10);
    }

    @Test
    void backwardReplyToNothing_arrives_isIgnored() throws Exception {
        try (Socket socket = connect()) {
            send(socket, answer(0x1234, 5));
            send(
                    socket,
                    RpcMessage.of(
                            ByteBuffer.allocate(8).putInt(0x1235).putInt(1).flip()));
            send(socket, Rpc.call(3, EchoProgram.NULL));
            Rpc.success(3, receive(socket));
        }
    }

    @Test
    void backwardCallOutstanding_connectionEnds_fails() throws Exception {
        CompletableFuture<Integer> result;
        try (Socket socket = connect()) {
            send(socket, Rpc.call(1, EchoProgram.NULL));
            Rpc.success(1, receive(socket));
            result = backward(1);
            receive(socket);
        }
        assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS)).isNotNull();
        assertThatThrownBy(() -> backward(2).get(30, TimeUnit.SECONDS))
                .as("on a connection that has ended")
                .isNotNull();
    }
}
