package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.testkit.Seeds;

/** Calls over loopback sockets. */
@Timeout(60)
class TcpRpcServiceTest {
    private static final TcpOptions OPTIONS = TcpOptions.builder()
            .maxCalls(4, 8)
            .maxConnections(3, 3)
            .eventLoopThreads(1)
            .build();
    private static final int LAST_FRAGMENT = 0x8000_0000;

    private final PayloadPool pool = new PayloadPool(16 << 20, 2 << 20);
    private final EchoProgram program = new EchoProgram(pool);
    private final OperationThreads threads = new OperationThreads(2);
    private final CountDownLatch gone = new CountDownLatch(1);
    private TcpRpcService service;

    private Socket connect() throws IOException {
        if (service == null) {
            service = TcpRpcService.start(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    Map.of(EchoProgram.PROGRAM, program),
                    threads,
                    OPTIONS,
                    transport -> gone.countDown());
        }
        Socket socket = new Socket();
        socket.connect(service.localAddress());
        socket.setSoTimeout(30_000);
        return socket;
    }

    @AfterEach
    void everythingIsBack() {
        service.close();
        threads.drain(Duration.ofSeconds(10));
        assertThat(pool.lentBytes()).isZero();
        assertThat(service.statistics().get(Counter.CALLS_RUNNING)).isZero();
        assertThat(service.statistics().get(Counter.CONNECTIONS_OPEN)).isZero();
    }

    private static byte[] record(RpcMessage message) {
        ByteBuffer flat = message.flatten();
        return ByteBuffer.allocate(4 + flat.remaining())
                .putInt(LAST_FRAGMENT | flat.remaining())
                .put(flat)
                .array();
    }

    /** Cuts the message into fragments, and writes them in pieces. */
    private static void sendInPieces(OutputStream out, RpcMessage message, SplittableRandom random) throws IOException {
        ByteBuffer flat = message.flatten();
        ByteBuffer stream = ByteBuffer.allocate(flat.remaining() * 5 + 64);
        while (flat.hasRemaining()) {
            int bound = 1 << random.nextInt(1, 18);
            int step = random.nextInt(10) == 0 ? 0 : Math.min(flat.remaining(), random.nextInt(1, bound + 1));
            boolean last = step == flat.remaining();
            stream.putInt((last ? LAST_FRAGMENT : 0) | step);
            stream.put(flat.slice(flat.position(), step));
            flat.position(flat.position() + step);
            if (stream.remaining() < flat.remaining() + 64) {
                stream = ByteBuffer.allocate(stream.capacity() * 2).put(stream.flip());
            }
        }
        stream.flip();
        byte[] bytes = stream.array();
        int sent = 0;
        while (sent < stream.limit()) {
            int step = Math.min(stream.limit() - sent, random.nextInt(1, 1 << random.nextInt(2, 18)));
            out.write(bytes, sent, step);
            sent += step;
        }
    }

    private static ByteBuffer receive(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int mark = in.readInt();
        assertThat(mark & LAST_FRAGMENT).as("one fragment").isNotZero();
        byte[] message = new byte[mark & ~LAST_FRAGMENT];
        in.readFully(message);
        return ByteBuffer.wrap(message);
    }

    @Test
    void connected_null_isAnswered() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(record(Rpc.call(1, EchoProgram.NULL)));
            assertThat(Rpc.success(1, receive(socket)).hasRemaining()).isFalse();
        }
        assertThat(gone.await(30, TimeUnit.SECONDS)).as("the hook ran").isTrue();
    }

    @Test
    void connected_recordsCutAnywhere_areAnswered() throws Exception {
        try (Socket socket = connect()) {
            Seeds.each(40, seed -> {
                SplittableRandom random = new SplittableRandom(seed);
                byte[] data = EchoProgram.pattern(random.nextInt(1 << random.nextInt(1, 20)), (int) seed);
                sendInPieces(socket.getOutputStream(), Rpc.write((int) seed, data), random);
                ByteBuffer results = Rpc.success((int) seed, receive(socket));
                assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                        .containsExactly(7, data.length, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
            });
        }
    }

    @Test
    void connected_readWithPayload_isGatheredWithPad() throws Exception {
        try (Socket socket = connect()) {
            for (int count : new int[] {0, 1, 2, 3, 4097, 1 << 20}) {
                socket.getOutputStream().write(record(Rpc.call(count, EchoProgram.READ, count)));
                ByteBuffer results = Rpc.success(count, receive(socket));
                assertThat(new int[] {results.getInt(), results.getInt()}).containsExactly(0x11111111, count);
                byte[] data = new byte[count];
                results.get(data);
                assertThat(data).isEqualTo(EchoProgram.pattern(count, 0));
                results.position(results.position() + (-count & 3));
                assertThat(results.getInt()).isEqualTo(0x22222222);
                assertThat(results.hasRemaining()).isFalse();
            }
        }
    }

    @Test
    void recordAboveTheLimit_header_closesBeforeTheBytesCome() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(4).putInt(0x7fff_ffff).array());
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(service.statistics().get(Counter.RECORDS_REFUSED)).isEqualTo(1);
    }

    @Test
    void recordShorterThanRpc_arrives_closes() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(8).putInt(LAST_FRAGMENT | 4).array());
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void callsInFlightAtLimit_more_waitUntilOneEnds() throws Exception {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            for (int i = 0; i < 10; i++) {
                out.write(record(Rpc.call(i, EchoProgram.PARK)));
            }
            int answered = 0;
            while (answered < 10) {
                var parked = awaitParked();
                assertThat(service.statistics().get(Counter.CALLS_RECEIVED)).isLessThanOrEqualTo(answered + 4L);
                parked.reply(XdrVoid.XDR_VOID);
                Rpc.success(parked.getXid(), receive(socket));
                answered++;
            }
        }
    }

    private org.dcache.oncrpc4j.rpc.RpcCall awaitParked() throws InterruptedException {
        while (true) {
            synchronized (program) {
                if (!program.parked.isEmpty()) {
                    return program.parked.removeFirst();
                }
            }
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    @Test
    void draining_runningCall_isAnsweredThenTheConnectionEnds() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(record(Rpc.call(3, EchoProgram.PARK)));
            var parked = awaitParked();
            assertThat(service.drain(Duration.ofMillis(50))).isFalse();
            assertThatThrownBy(() -> connect().close()).isInstanceOf(IOException.class);
            parked.reply(XdrVoid.XDR_VOID);
            Rpc.success(3, receive(socket));
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            assertThat(service.drain(Duration.ofSeconds(30))).isTrue();
        }
    }

    @Test
    void addressTaken_start_throws() throws Exception {
        connect().close();
        assertThatThrownBy(
                        () -> TcpRpcService.start(service.localAddress(), Map.of(), threads, OPTIONS, transport -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot listen");
    }
}
