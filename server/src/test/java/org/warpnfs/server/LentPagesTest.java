package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.tcp.TcpConnector;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.CrcPolicy;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/**
 * Files of the memory backend whose pages are on their way to a client that reads slowly, while another client changes
 * the files. The slow client gets the bytes of the moment of its READ, and the pages come back.
 */
@Timeout(120)
class LentPagesTest {
    private static final int MIB = 1 << 20;
    /** An eighth of it may be lent: eight replies. */
    private static final int TREE_BYTES = 64 * MIB;

    private static final int CALLS = 8;

    /**
     * The server begins no call of a connection over TCP while 4 MiB of its replies are unsent, and the buffers of both
     * sockets take more than one MiB and less than six.
     */
    private static final int TCP_CALLS = 6;

    private static final int SECONDS = 60;
    private static final int SETATTR = 2;
    private static final int LOOKUP = 3;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int REMOVE = 12;

    /** How FPDUs are protected. */
    enum Crc {
        WITHOUT,
        WITH
    }

    private final TcpConnector tcp = new TcpConnector(1);
    private WarpServer server;
    private Requester client;
    private byte[] root;
    private byte[] file;
    private int xid = 1;

    @AfterEach
    void stop() throws Exception {
        if (client != null) {
            client.close();
        }
        tcp.close();
        if (server != null) {
            server.close();
        }
    }

    private void start(CrcPolicy crc) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = WarpServer.start(new ServerConfig(
                List.of(ExportSpec.parse(":/,no_root_squash")),
                Backend.MEMORY,
                TREE_BYTES,
                any,
                any,
                null,
                RdmaChoices.DEFAULT.withCrc(crc),
                Duration.ofSeconds(5),
                4,
                TREE_BYTES,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT));
        client = tcp.connect(server.tcpAddress(), TcpRequesterOptions.DEFAULT, BackwardCalls.NONE)
                .get(SECONDS, TimeUnit.SECONDS);
        ByteBuffer mounted =
                NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress());
        assertThat(mounted.getInt()).isZero();
        root = NfsCall.opaque(mounted);
        ByteBuffer made = answer(nfs(CREATE, root)
                .string("file")
                .word(0)
                .word(0)
                .word(0)
                .word(0)
                .word(0)
                .word(0)
                .word(0));
        assertThat(made.getInt()).isZero();
        assertThat(made.getInt()).isEqualTo(1);
        file = NfsCall.opaque(made);
        write('a');
    }

    private NfsCall nfs(int procedure, byte[] handle) {
        return NfsCall.of(xid++, NfsCall.NFS, 3, procedure, 0).opaque(handle);
    }

    private ByteBuffer answer(NfsCall call) throws Exception {
        return NfsCall.results(client.call(call.message(), ChunkOffer.NONE)
                .get(SECONDS, TimeUnit.SECONDS)
                .message());
    }

    /** Fills the first MiB of the file. */
    private void write(char value) throws Exception {
        ByteBuffer data = ByteBuffer.allocateDirect(MIB);
        while (data.hasRemaining()) {
            data.put((byte) value);
        }
        assertThat(answer(nfs(WRITE, file).hyper(0).word(MIB).word(0).data(data.flip()))
                        .getInt())
                .isZero();
    }

    private NfsCall read() {
        return nfs(READ, file).hyper(0).word(MIB);
    }

    /** Overwrites the file, cuts it, writes it again, and removes it. */
    private void changeEverything() throws Exception {
        write('b');
        // Of sattr3 the size alone is set; the last word is the absent guard.
        assertThat(answer(nfs(SETATTR, file)
                                .word(0)
                                .word(0)
                                .word(0)
                                .word(1)
                                .hyper(10)
                                .word(0)
                                .word(0)
                                .word(0))
                        .getInt())
                .isZero();
        write('c');
        assertThat(answer(nfs(REMOVE, root).string("file")).getInt()).isZero();
        assertThat(answer(nfs(LOOKUP, root).string("file")).getInt()).isEqualTo(2);
    }

    /** Checks READ3res up to the data. */
    private static void requireWhole(ByteBuffer results) {
        assertThat(results.getInt()).isZero();
        assertThat(results.getInt()).isEqualTo(1);
        results.position(results.position() + 84);
        assertThat(results.getInt()).isEqualTo(MIB);
        results.getInt();
        assertThat(results.getInt()).isEqualTo(MIB);
    }

    private static void requireOld(ByteBuffer data) {
        assertThat(data.remaining()).isEqualTo(MIB);
        while (data.hasRemaining()) {
            if (data.get() != 'a') {
                throw new AssertionError("another byte at " + (data.position() - 1));
            }
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    private void sendCalls(Socket socket) throws Exception {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        for (int i = 0; i < TCP_CALLS; i++) {
            NfsCall call = read();
            byte[] bytes = new byte[(int) call.message().lengthBytes()];
            call.message().flatten().get(bytes);
            out.writeInt(0x8000_0000 | bytes.length);
            out.write(bytes);
        }
    }

    @Test
    void slowReader_fileOverwrittenCutAndRemoved_getsTheBytesOfItsMoment() throws Exception {
        start(CrcPolicy.OFF);
        // The second time finds as much to lend as the first.
        for (int round = 0; round < 2; round++) {
            try (Socket socket = new Socket(
                    server.tcpAddress().getAddress(), server.tcpAddress().getPort())) {
                socket.setSoTimeout(SECONDS * 1000);
                long before = server.counters().get("tcp_calls_received");
                sendCalls(socket);
                await(() -> server.counters().get("tcp_calls_received") == before + TCP_CALLS
                        && server.counters().get("tcp_calls_running") == 0);
                assertThat(server.counters().get("tcp_unsent_bytes")).isPositive();
                assertThat(server.counters().get("payload_lent_bytes")).isZero();
                if (round == 1) {
                    changeEverything();
                }
                DataInputStream in = new DataInputStream(socket.getInputStream());
                for (int i = 0; i < TCP_CALLS; i++) {
                    byte[] record = new byte[in.readInt() & 0x7fff_ffff];
                    in.readFully(record);
                    ByteBuffer results = NfsCall.results(ByteBuffer.wrap(record));
                    requireWhole(results);
                    requireOld(results);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void slowReaderOverRdma_fileOverwrittenCutAndRemoved_getsTheBytesOfItsMoment(Crc crc) throws Exception {
        start(crc == Crc.WITH ? CrcPolicy.ON : CrcPolicy.OFF);
        try (StandingReader slow = new StandingReader(
                server.rdmaAddress(), NfsCall.of(xid++, NfsCall.NFS, 3, 0, 0).message())) {
            List<RpcMessage> calls = new ArrayList<>();
            List<ByteBuffer> sinks = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                sinks.add(ByteBuffer.allocateDirect(MIB));
                calls.add(read().message());
            }
            List<CompletableFuture<RequesterReply>> replies = slow.send(calls, sinks);
            await(() -> server.counters().get("rdma_reply_bytes_held") > 4L * MIB);
            assertThat(server.counters().get("payload_lent_bytes")).isZero();
            changeEverything();
            slow.goOn();
            int whole = 0;
            for (int i = 0; i < CALLS; i++) {
                ByteBuffer results = NfsCall.results(
                        replies.get(i).get(SECONDS, TimeUnit.SECONDS).message());
                int status = results.duplicate().getInt();
                // A call that was still to come when the file was removed.
                if (status == 70) {
                    continue;
                }
                requireWhole(results);
                byte first = sinks.get(i).get(0);
                if (first == 'a') {
                    requireOld(sinks.get(i));
                    whole++;
                }
            }
            assertThat(whole).isGreaterThanOrEqualTo(4);
        }
    }
}
