package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;

/** Limits set in the configuration file take effect on the wire. The test has one limit of each layer. */
@Timeout(60)
class ConfiguredLimitsTest {
    private static final int UID = 1000;
    private static final int EXCHANGE_ID = 42;
    private static final int CREATE_SESSION = 43;
    private static final int MILLIS = 30_000;
    /**
     * The offset of the fore channel's ca_maxresponsesize_cached in the reply to CREATE_SESSION: header, session,
     * sequence, flags, three sizes.
     */
    private static final int CACHED_REPLY = 20 + 16 + 8 + 12;

    @TempDir
    private Path directory;

    private WarpServer server(String... limits) throws Exception {
        String text = "backend: memory\nlisten: 127.0.0.1\nrdmaPort: 0\ntcpPort: 0\nhttp: off\nmemorySize: 16m\n"
                + "drain: 0\nlimits:\n  " + String.join("\n  ", limits) + "\n";
        Path file = Files.writeString(directory.resolve("w.yaml"), text);
        Configured configured = Configured.of(
                Main.commandLine()
                        .parseArgs("serve", "--config", file.toString())
                        .subcommand(),
                Map.of());
        return WarpServer.start(configured.server(), configured.limits());
    }

    private static Socket connect(InetSocketAddress address) throws Exception {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(MILLIS);
        return socket;
    }

    private static void await(BooleanSupplier state) {
        while (!state.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    private static long count(WarpServer server, String... names) {
        Map<String, Long> counters = server.counters();
        return List.of(names).stream().mapToLong(counters::get).sum();
    }

    @Test
    void connectionsOfClient_oneMore_takesThePlaceOfAnotherOrIsRefused() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (WarpServer server = server("connections: {ofClient: 2}")) {
            for (int i = 0; i < 3; i++) {
                sockets.add(connect(server.tcpAddress()));
            }
            await(() -> count(server, "tcp_connections_refused_by_client", "tcp_connections_evicted") == 1);
            await(() -> count(server, "tcp_connections_open") == 2);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void firstMessage_silentPeerOfTcp_isClosed() throws Exception {
        try (WarpServer server = server("deadlines: {firstMessage: 100ms}");
                Socket socket = connect(server.tcpAddress())) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            await(() -> count(server, "tcp_first_calls_missed") == 1);
        }
    }

    @Test
    void startup_silentPeerOfIwarp_isClosed() throws Exception {
        try (WarpServer server = server("deadlines: {startup: 100ms}");
                Socket socket = connect(server.rdmaAddress())) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void credits_ofRpcOverRdma_areWhatIsGranted() throws Exception {
        try (WarpServer server = server("rdma: {credits: 5, maxCredits: 5}");
                IwarpTransport transport = new IwarpTransport();
                RpcRdmaRequester client = RpcRdmaRequester.connect(
                                transport.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, call -> call)
                        .get(MILLIS, TimeUnit.MILLISECONDS)) {
            NfsCall nothing = NfsCall.of(1, NfsCall.NFS, 4, 0, UID);
            client.call(nothing.message(), ChunkOffer.NONE).get(MILLIS, TimeUnit.MILLISECONDS);
            assertThat(count(server, "rdma_credits_granted")).isEqualTo(5);
        }
    }

    @Test
    void session_ofNfsv4_hasTheSlotsOperationsAndKeptReplyOfTheFile() throws Exception {
        try (WarpServer server = server("state: {slots: 3, operations: 20, keptReplyBytes: 2k}")) {
            ByteBuffer exchanged = compound(1)
                    .word(EXCHANGE_ID)
                    .hyper(1)
                    .string("owner")
                    .word(0)
                    .word(0)
                    .word(0)
                    .overTcp(server.tcpAddress());
            assertThat(exchanged.getInt(exchanged.position())).isZero();
            ByteBuffer id = exchanged.slice(exchanged.position() + 20, 12);
            NfsCall create = compound(2)
                    .word(CREATE_SESSION)
                    .hyper(id.getLong())
                    .word(id.getInt())
                    .word(0);
            for (int channel = 0; channel < 2; channel++) {
                create.word(0)
                        .word(1 << 20)
                        .word(1 << 20)
                        .word(4096)
                        .word(64)
                        .word(64)
                        .word(0);
            }
            ByteBuffer created = create.word(0x4000_0000).word(1).word(0).overTcp(server.tcpAddress());
            int at = created.position();
            assertThat(created.getInt(at)).isZero();
            assertThat(List.of(
                            created.getInt(at + CACHED_REPLY),
                            created.getInt(at + CACHED_REPLY + 4),
                            created.getInt(at + CACHED_REPLY + 8)))
                    .containsExactly(2048, 20, 3);
        }
    }

    private static NfsCall compound(int xid) {
        return NfsCall.of(xid, NfsCall.NFS, 4, 1, UID).string("").word(1).word(1);
    }

    @Test
    void memory_ofTheFile_isThatOfTheServer() throws Exception {
        try (WarpServer server = server("memory: {payloadBytes: 9m, transferBytes: 1200k, keptReplyBytes: 3m}")) {
            assertThat(server.limits().memory().payloadBytes()).isEqualTo(9 << 20);
            assertThat(server.limits().memory().transferBytes()).isEqualTo(1200 << 10);
            assertThat(server.limits().memory().keptReplyBytes()).isEqualTo(3 << 20);
        }
    }
}
