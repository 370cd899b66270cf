package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.example.log.LogBackend;
import org.warpnfs.fs.ceph.CephProvider;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.DataPath;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.hostile.V41Client;
import org.warpnfs.server.plugins.PluginJar;
import org.warpnfs.testkit.ceph.CephCluster;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;
import org.warpnfs.tools.bench.nfs.MountClient;
import org.warpnfs.tools.bench.nfs.NameCalls;
import org.warpnfs.tools.bench.nfs.Nfs3Session;
import org.warpnfs.tools.bench.nfs.Nfs41Session;
import org.warpnfs.tools.bench.nfs.NfsException;
import org.warpnfs.tools.bench.nfs.NfsSession;

/** A whole server with the example backends from the jar of a plug-in and that of Ceph, over TCP and RDMA. */
@Timeout(300)
class PluginMountTest {
    private static final AuthSysCredential ROOT = new AuthSysCredential("test", 0, 0);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final RetryPolicy NO_RETRIES =
            new RetryPolicy(1, Duration.ofMillis(100), Duration.ofSeconds(1), 4096);
    private static final int BLOCK_BYTES = 256 << 10;
    private static final int PUTROOTFH = 24;
    private static final int LOOKUP = 15;
    private static final int READ = 25;

    @TempDir
    private Path temporary;

    private Path plugins;
    private final byte[] data = new byte[BLOCK_BYTES];

    @BeforeEach
    void makePlugin() throws Exception {
        plugins = Files.createDirectory(temporary.resolve("plugins"));
        Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
        PluginJar.ofExamples(plugins.resolve("examples.jar"), LogBackend.class);
        new Random(1).nextBytes(data);
    }

    private ServerConfig config(String backend, List<ExportSpec> exports) {
        return config(new PluginChoice(backend, "--backend", plugins, List.of()), exports);
    }

    private ServerConfig config(PluginChoice backend, List<ExportSpec> exports) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new ServerConfig(
                exports,
                Backend.PLUGIN,
                backend,
                16 << 20,
                any,
                any,
                temporary.resolve("state"),
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(5),
                4,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT,
                DataPath.DEFAULTS,
                null,
                null);
    }

    private static ExportSpec export(Path source, String options) throws Exception {
        return ExportSpec.parse(source + ":/files,insecure,no_root_squash" + options);
    }

    /** A client of one transport and one version, with one call at a time. */
    private static final class Client implements AutoCloseable {
        private final RpcRequesters requesters = new RpcRequesters(1);
        private final IwarpTransport iwarp =
                new IwarpTransport(IwarpConfig.builder().eventLoopThreads(1).build());
        private final Requester requester;
        private final NfsSession session;

        Client(WarpServer server, boolean rdma, int version, byte[] handle) throws IOException {
            TcpRequesterOptions tcp = new TcpRequesterOptions(1 << 20, 4, 1);
            requester = rdma
                    ? requesters.overRdma(
                            iwarp.connector(),
                            server.rdmaAddress(),
                            RequesterOptions.DEFAULT,
                            NO_RETRIES,
                            BackwardCalls.NONE)
                    : requesters.overTcp(server.tcpAddress(), tcp, NO_RETRIES, BackwardCalls.NONE);
            session = version == 3
                    ? new Nfs3Session(requester, ROOT, handle, 4, LIMIT)
                    : new Nfs41Session(requester, ROOT, "client", "/files", 4, BLOCK_BYTES, LIMIT, LIMIT);
        }

        static byte[] mount(WarpServer server) throws IOException {
            try (RpcRequesters requesters = new RpcRequesters(1)) {
                Requester requester = requesters.overTcp(
                        server.tcpAddress(), TcpRequesterOptions.DEFAULT, NO_RETRIES, BackwardCalls.NONE);
                byte[] handle = new MountClient(requester, ROOT, LIMIT).mount("/files");
                requester.close();
                return handle;
            }
        }

        private interface Decoder<T> {
            T decode(XdrStream reply, List<ByteBuffer> written) throws IOException;
        }

        private <T> T call(RpcMessage call, ChunkOffer offer, Decoder<T> decoder) throws Exception {
            CompletableFuture<T> result = new CompletableFuture<>();
            requester.call(call, offer, System.nanoTime() + LIMIT.toNanos(), new ReplyHandler() {
                @Override
                public void replied(XdrStream reply, List<ByteBuffer> written) {
                    try {
                        result.complete(decoder.decode(reply, written));
                    } catch (IOException e) {
                        result.completeExceptionally(e);
                    }
                }

                @Override
                public void failed(RequestException why) {
                    result.completeExceptionally(why);
                }
            });
            return result.get(120, TimeUnit.SECONDS);
        }

        /** Sends a call that a test has written, and returns the results. */
        ByteBuffer answer(NfsCall call) throws Exception {
            return call(call.message(), ChunkOffer.NONE, (reply, _) -> {
                byte[] message = new byte[reply.remainingBytes()];
                reply.read(message, 0, message.length);
                return NfsCall.results(ByteBuffer.wrap(message));
            });
        }

        byte[] read(long offset, int length) throws Exception {
            ByteBuffer sink = ByteBuffer.allocateDirect(length);
            return call(session.readCall(0, offset, length), ChunkOffer.write(sink), (reply, written) -> {
                ByteBuffer got = session.readReply(0, reply, written);
                byte[] bytes = new byte[got.remaining()];
                got.get(bytes);
                return bytes;
            });
        }

        int write(long offset, byte[] bytes, boolean stable) throws Exception {
            ByteBuffer source =
                    ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            return call(
                    session.writeCall(0, offset, source, stable),
                    ChunkOffer.NONE,
                    (reply, _) -> session.writeReply(0, reply));
        }

        int countNames(String directory) throws Exception {
            NameCalls names = session.names();
            names.useDirectory(directory);
            NameCalls.Position at = NameCalls.Position.BEGIN;
            int count = 0;
            while (!at.end()) {
                ChunkOffer offer = ChunkOffer.reply(ByteBuffer.allocateDirect(32 << 10));
                at = call(names.listCall(0, at, NameCalls.Listing.NAMES), offer, (reply, _) -> session.names()
                        .listReply(reply, NameCalls.Listing.NAMES));
                count += at.entries();
            }
            return count;
        }

        @Override
        public void close() throws IOException {
            session.close();
            requester.close();
            requesters.close();
            iwarp.close();
        }
    }

    private Path zip() throws IOException {
        Path zip = temporary.resolve("tree.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            out.putNextEntry(new ZipEntry("data.bin"));
            out.write(data);
            for (int i = 0; i < 100; i++) {
                out.putNextEntry(new ZipEntry("many/file-" + i));
                out.write(String.valueOf(i).getBytes(StandardCharsets.US_ASCII));
            }
        }
        return zip;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void zip_mountedByVersion3_isListedAndReadAndRefusesChanges(boolean rdma) throws Exception {
        try (WarpServer server = WarpServer.start(config("zip", List.of(export(zip(), ""))));
                Client client = new Client(server, rdma, 3, Client.mount(server))) {
            client.session.open("data.bin");
            assertThat(client.session.sizeBytes()).isEqualTo(data.length);
            assertThat(Arrays.equals(client.read(0, BLOCK_BYTES), data)).isTrue();
            assertThat(client.read(100_000, 50)).isEqualTo(Arrays.copyOfRange(data, 100_000, 100_050));
            assertThatThrownBy(() -> client.session.create("new"))
                    .isInstanceOf(NfsException.class)
                    .hasMessageContaining("read-only");
            assertThat(client.countNames("many")).as("with or without . and ..").isIn(100, 102);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void zip_mountedByVersion4_isListedAndReadAndRefusesChanges(boolean rdma) throws Exception {
        try (WarpServer server = WarpServer.start(config("zip", List.of(export(zip(), ""))));
                Client client = new Client(server, rdma, 4, new byte[0])) {
            assertThat(client.countNames("many")).as("with or without . and ..").isIn(100, 102);
            assertThatThrownBy(() -> client.session.open("data.bin"))
                    .as("an OPEN for reading and writing")
                    .hasMessageContaining("read-only");
            V41Client words = new V41Client(client::answer, "words");
            words.open();
            for (int offset = 0; offset < data.length; offset += 50_000) {
                ByteBuffer reply = client.answer(words.sequenced(5)
                        .word(PUTROOTFH)
                        .word(LOOKUP)
                        .string("files")
                        .word(LOOKUP)
                        .string("data.bin")
                        .word(READ)
                        .word(0)
                        .hyper(0)
                        .word(0)
                        .hyper(offset)
                        .word(500));
                assertThat(reply.getInt(reply.position())).as("the status").isZero();
                byte[] read = new byte[500];
                reply.get(reply.limit() - 500, read);
                assertThat(read).isEqualTo(Arrays.copyOfRange(data, offset, offset + 500));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 3", "true, 3", "false, 4", "true, 4"})
    void log_mounted_keepsWhatIsWrittenOverAReloadAndARestart(boolean rdma, int version) throws Exception {
        Path directory = Files.createDirectory(temporary.resolve("files"));
        keepsWhatIsWritten(new PluginChoice("log", "--backend", plugins, List.of()), directory, rdma, version);
    }

    @ParameterizedTest
    @CsvSource({"false, 3", "true, 3", "false, 4", "true, 4"})
    void ceph_mounted_keepsWhatIsWrittenOverAReloadAndARestart(boolean rdma, int version) throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        CephCluster cluster = CephCluster.shared();
        PluginChoice ceph = new PluginChoice(
                CephProvider.NAME,
                "--backend",
                null,
                List.of(
                        new PluginChoice.Option(
                                CephProvider.CONFIGURATION,
                                cluster.configuration().toString(),
                                "--ceph-conf"),
                        new PluginChoice.Option(CephProvider.FILE_SYSTEM, CephCluster.FILE_SYSTEM, "--ceph")));
        keepsWhatIsWritten(ceph, Path.of("/"), rdma, version);
    }

    @Test
    void ceph_withoutACluster_saysWhatIsMissing() throws Exception {
        PluginChoice ceph = new PluginChoice(
                CephProvider.NAME,
                "--backend",
                null,
                List.of(new PluginChoice.Option(CephProvider.CONFIGURATION, temporary + "/none", "--ceph-conf")));
        List<ExportSpec> exports = List.of(export(Path.of("/"), ""));
        assertThatThrownBy(() -> WarpServer.start(config(ceph, exports)))
                .hasMessageContaining("backend ceph: ")
                .hasMessageMatching("(?s).*(install the package libcephfs2|no file " + temporary + "/none).*");
    }

    private void keepsWhatIsWritten(PluginChoice backend, Path directory, boolean rdma, int version) throws Exception {
        List<ExportSpec> exports = List.of(export(directory, ""));
        byte[] handle;
        try (WarpServer server = WarpServer.start(config(backend, exports))) {
            handle = Client.mount(server);
            try (Client client = new Client(server, rdma, version, handle)) {
                client.session.create("f");
                assertThat(client.write(0, data, false)).isEqualTo(BLOCK_BYTES);
                client.session.commit();
                assertThat(client.write(BLOCK_BYTES, new byte[] {1, 2, 3}, true))
                        .isEqualTo(3);
                assertThat(client.session.sizeBytes()).isEqualTo(BLOCK_BYTES + 3);
                List<ExportSpec> changed = List.of(export(directory, ",ro"));
                assertThat(server.reload(changed)).hasSize(1);
                assertThat(Arrays.equals(client.read(0, BLOCK_BYTES), data)).isTrue();
                assertThat(client.read(BLOCK_BYTES, 3)).isEqualTo(new byte[] {1, 2, 3});
            }
        }
        try (WarpServer server = WarpServer.start(config(backend, exports))) {
            assertThat(Client.mount(server)).as("the handle after a restart").isEqualTo(handle);
            try (Client client = new Client(server, rdma, version, handle)) {
                client.session.open("f");
                assertThat(Arrays.equals(client.read(0, BLOCK_BYTES), data)).isTrue();
                client.session.remove("f");
            }
        }
    }

    @Test
    void source_thatIsMissing_isAMistakeOfTheExport() throws Exception {
        Path directory = Files.createDirectory(temporary.resolve("files"));
        List<ExportSpec> exports = new ArrayList<>(List.of(export(directory.resolve("absent"), "")));
        assertThatThrownBy(() -> WarpServer.start(config("log", exports)))
                .hasMessageContaining("backend log: ")
                .hasMessageContaining("is no directory");
    }
}
