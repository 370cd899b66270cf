package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.tls.ServerKeys;
import org.warpnfs.testkit.Seeds;
import org.warpnfs.testkit.TlsFiles;

/** What is on the wire, and what a wire does to it: a relay between client and server keeps, cuts or changes bytes. */
@Timeout(180)
class TlsWireTest {
    /** What becomes of bytes that came from one side. */
    private interface Treatment {
        void pass(byte[] bytes, int length, OutputStream out) throws IOException;
    }

    /** A relay for one connection. */
    private static final class Relay implements AutoCloseable {
        final ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        final ByteArrayOutputStream up = new ByteArrayOutputStream();
        final ByteArrayOutputStream down = new ByteArrayOutputStream();
        private final Thread upward;

        Relay(InetSocketAddress server, Treatment treatment) throws IOException {
            upward = Thread.ofVirtual().start(() -> {
                try (Socket client = listening.accept();
                        Socket onward = new Socket(server.getAddress(), server.getPort())) {
                    onward.setTcpNoDelay(true);
                    Thread back = Thread.ofVirtual()
                            .start(() ->
                                    pump(onward, client, down, (bytes, length, out) -> out.write(bytes, 0, length)));
                    pump(client, onward, up, treatment);
                    back.join();
                } catch (IOException e) {
                    // One side has gone.
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        private static void pump(Socket from, Socket to, ByteArrayOutputStream seen, Treatment treatment) {
            byte[] bytes = new byte[8192];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                    synchronized (seen) {
                        seen.write(bytes, 0, n);
                    }
                    treatment.pass(bytes, n, out);
                }
                to.shutdownOutput();
            } catch (IOException e) {
                closeQuietly(from);
                closeQuietly(to);
            }
        }

        private static void closeQuietly(Socket socket) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is of no more use.
            }
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listening.getLocalSocketAddress();
        }

        @Override
        public void close() throws IOException {
            listening.close();
        }
    }

    @TempDir
    private Path directory;

    private final PayloadPool pool = new PayloadPool(64 << 20, 1 << 20);
    private final EchoProgram program = new EchoProgram(pool);
    private final OperationThreads threads = new OperationThreads(2);
    private TlsContext context;
    private TcpRpcService service;

    TlsEngines.Provider provider() {
        return TlsEngines.Provider.JDK;
    }

    @BeforeEach
    void start() throws IOException {
        context = new TlsContext(
                ServerKeys.read(TlsFiles.copy(directory, "server.crt"), TlsFiles.copy(directory, "server.key"), null),
                TlsContext.HANDSHAKE_LIMIT,
                provider());
        service = TcpRpcService.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.of(EchoProgram.PROGRAM, program),
                threads,
                TcpOptions.builder().eventLoopThreads(1).build(),
                context,
                transport -> {});
    }

    @AfterEach
    void everythingIsBack() throws Exception {
        ServedPeers.await(() -> service.statistics().get(Counter.CONNECTIONS_OPEN) == 0);
        service.close();
        threads.drain(Duration.ofSeconds(10));
        context.close();
        assertThat(pool.lentBytes()).isZero();
        assertThat(service.statistics().get(Counter.UNSENT_BYTES)).isZero();
        assertThat(service.statistics().get(Counter.RECORD_MEMORY_BYTES)).isZero();
        assertThat(service.statistics().get(Counter.DEFECTS)).isZero();
    }

    private static void useIt(TlsPeer peer) throws IOException {
        byte[] data = "in clear, in clear, ".repeat(3000).getBytes(StandardCharsets.US_ASCII);
        peer.send(Rpc.write(2, data));
        ByteBuffer written = Rpc.success(2, peer.receive());
        written.getInt();
        assertThat(written.getInt()).isEqualTo(data.length);
        assertThat(written.getInt()).isEqualTo(EchoProgram.checksum(ByteBuffer.wrap(data)));
        peer.send(Rpc.call(3, EchoProgram.READ, 300_000));
        ByteBuffer read = Rpc.success(3, peer.receive());
        read.getInt();
        byte[] got = new byte[read.getInt()];
        read.get(got);
        assertThat(got).isEqualTo(EchoProgram.pattern(300_000, 0));
        peer.ping(4);
    }

    @Test
    void dataInsideTls_areNowhereOnTheWire() throws Exception {
        try (Relay relay = new Relay(service.localAddress(), (bytes, length, out) -> out.write(bytes, 0, length))) {
            try (TlsPeer peer = TlsPeer.encrypted(relay.address(), TlsFiles.client(null))) {
                useIt(peer);
            }
            relay.upward.join();
            String up = relay.up.toString(StandardCharsets.ISO_8859_1);
            String down = relay.down.toString(StandardCharsets.ISO_8859_1);
            assertThat(up).hasSizeGreaterThan(60_000).doesNotContain("in clear");
            assertThat(down).hasSizeGreaterThan(300_000);
            for (int at = 0; at + 64 < 300_000; at += 4096) {
                assertThat(down).doesNotContain(new String(EchoProgram.pattern(16, at), StandardCharsets.ISO_8859_1));
            }
            // Behind the answer in clear there are only TLS records.
            byte[] bytes = relay.down.toByteArray();
            ByteBuffer records = ByteBuffer.wrap(bytes, TlsPeer.STARTTLS.length() / 2, bytes.length - 36);
            while (records.hasRemaining()) {
                assertThat(records.get()).isBetween((byte) 20, (byte) 23);
                assertThat(records.getShort()).isEqualTo((short) 0x0303);
                int length = Short.toUnsignedInt(records.getShort());
                records.position(records.position() + length);
            }
        }
    }

    @Test
    void recordsAndHandshake_cutAnywhere_areServed() {
        Seeds.each(3, seed -> {
            Random random = new Random(seed);
            Treatment cutting = (bytes, length, out) -> {
                for (int at = 0; at < length; ) {
                    // Byte by byte at first, where the handshake is.
                    int n = Math.min(length - at, random.nextInt(4) > 0 ? 1 + random.nextInt(3) : 500);
                    out.write(bytes, at, n);
                    out.flush();
                    at += n;
                }
            };
            try (Relay relay = new Relay(service.localAddress(), cutting);
                    TlsPeer peer = TlsPeer.encrypted(relay.address(), TlsFiles.client(null))) {
                useIt(peer);
            }
        });
    }

    @Test
    void bytesChangedOrMissing_anywhere_endTheConnectionAndRunNothingElse() {
        Seeds.each(10, seed -> {
            Random random = new Random(seed);
            int target = random.nextInt(2000);
            boolean cut = random.nextBoolean();
            int[] passed = new int[1];
            Treatment spoiling = (bytes, length, out) -> {
                int at = target - passed[0];
                passed[0] += length;
                if (at < 0 || at >= length) {
                    out.write(bytes, 0, length);
                } else if (cut) {
                    out.write(bytes, 0, at);
                    out.flush();
                    throw new IOException("cut");
                } else {
                    byte[] changed = Arrays.copyOf(bytes, length);
                    changed[at] ^= (byte) (1 << random.nextInt(8));
                    out.write(changed);
                }
            };
            try (Relay relay = new Relay(service.localAddress(), spoiling);
                    TlsPeer peer = new TlsPeer(relay.address())) {
                peer.clear.setSoTimeout(500);
                try {
                    peer.sendBytes(HexFormat.of().parseHex(TlsPeer.PROBE));
                    peer.requireStartTls();
                    peer.shakeHands(TlsFiles.client(null));
                    useIt(peer);
                } catch (IOException e) {
                    // As it must be, unless the change was of a byte without a meaning.
                }
            }
            synchronized (program) {
                assertThat(program.runs)
                        .allSatisfy(run -> assertThat(run.before()).isEqualTo(7));
            }
        });
    }
}
