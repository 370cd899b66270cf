package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.CrcPolicy;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/** A whole server on loopback sockets. A file written over RDMA is read back over RDMA and TCP. */
class WarpServerTest {
    private static final int SIZE_BYTES = (1 << 20) - 3;

    @TempDir
    private Path temporary;

    private int xid = 1;

    private ServerConfig config(Backend backend, RdmaChoices rdma) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        ExportSpec export = ExportSpec.parse(
                backend == Backend.MEMORY
                        ? ":/"
                        : Files.createDirectories(temporary.resolve("files")) + ":/,no_root_squash");
        return new ServerConfig(
                List.of(export),
                backend,
                16 << 20,
                any,
                any,
                backend == Backend.MEMORY ? null : temporary.resolve("state"),
                rdma,
                Duration.ofSeconds(5),
                4,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT);
    }

    private NfsCall nfs(int procedure, int uid) {
        return NfsCall.of(xid++, NfsCall.NFS, 3, procedure, uid);
    }

    private byte[] mount(WarpServer server) throws IOException {
        ByteBuffer results =
                NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress());
        assertThat(results.getInt()).isZero();
        return NfsCall.opaque(results);
    }

    private static ByteBuffer call(RpcRdmaRequester client, NfsCall call, ChunkOffer offer) throws Exception {
        RequesterReply reply = client.call(call.message(), offer).get(30, TimeUnit.SECONDS);
        return NfsCall.results(reply.message());
    }

    private byte[] create(RpcRdmaRequester client, byte[] root, int uid) throws Exception {
        // CREATE3 GUARDED that sets only the mode, 0644
        NfsCall create = nfs(8, uid).opaque(root).string("file").word(1);
        create.word(1).word(0644).word(0).word(0).word(0).word(0).word(0);
        ByteBuffer results = call(client, create, ChunkOffer.NONE);
        assertThat(results.getInt()).isZero();
        assertThat(results.getInt()).isEqualTo(1);
        return NfsCall.opaque(results);
    }

    @ParameterizedTest
    @CsvSource({
        "MEMORY,OFF,false,1000",
        "LOCAL,OFF,false,0",
        "LOCAL,ON,false,0",
        "LOCAL,OFF,true,0",
        "MEMORY,ON,true,1000"
    })
    void file_writtenOverRdma_isReadBackOverRdmaAndTcp(Backend backend, CrcPolicy crc, boolean markers, int uid)
            throws Exception {
        byte[] written = new byte[SIZE_BYTES];
        new Random(7).nextBytes(written);
        try (WarpServer server = WarpServer.start(
                        config(backend, RdmaChoices.DEFAULT.withCrc(crc).withMarkers(markers)));
                IwarpTransport transport = new IwarpTransport();
                RpcRdmaRequester client = RpcRdmaRequester.connect(
                                transport.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, call -> call)
                        .get(30, TimeUnit.SECONDS)) {
            assertThat(client.parameters().crc()).isEqualTo(crc == CrcPolicy.ON);
            byte[] file = create(client, mount(server), uid);
            // WRITE3 FILE_SYNC
            NfsCall write = nfs(7, uid).opaque(file).hyper(0).word(SIZE_BYTES).word(2);
            ByteBuffer wrote = call(client, write.data(direct(written)), ChunkOffer.NONE);
            assertThat(wrote.getInt()).isZero();

            ByteBuffer sink = ByteBuffer.allocateDirect(SIZE_BYTES + 3);
            NfsCall read = nfs(6, uid).opaque(file).hyper(0).word(SIZE_BYTES + 3);
            assertThat(call(client, read, ChunkOffer.write(sink)).getInt()).isZero();
            assertThat(bytes(sink.flip().limit(SIZE_BYTES))).isEqualTo(written);

            NfsCall overTcp = nfs(6, uid).opaque(file).hyper(0).word(SIZE_BYTES);
            ByteBuffer results = overTcp.overTcp(server.tcpAddress());
            assertThat(results.getInt()).isZero();
            assertThat(results.getInt()).isEqualTo(1);
            results.position(results.position() + 84);
            assertThat(results.getInt()).isEqualTo(SIZE_BYTES);
            assertThat(results.getInt()).isEqualTo(1);
            assertThat(NfsCall.opaque(results)).isEqualTo(written);
        }
        if (backend == Backend.LOCAL) {
            assertThat(Files.readAllBytes(temporary.resolve("files/file"))).isEqualTo(written);
        }
    }

    /** The MPA request is that of a stock Linux client over siw, as captured. */
    @ParameterizedTest
    @CsvSource({"false,10", "true,90"})
    void linuxClient_connects_isAskedForMarkersOnlyWhereTheServerWantsThem(boolean markers, String flags)
            throws Exception {
        HexFormat hex = HexFormat.of();
        byte[] request =
                hex.parseHex("4d504120494420526571204672616d65" + "1002000c" + "00800000" + "f6ab0e1801010303");
        try (WarpServer server = WarpServer.start(config(Backend.MEMORY, RdmaChoices.DEFAULT.withMarkers(markers)));
                Socket client = new Socket(
                        server.rdmaAddress().getAddress(), server.rdmaAddress().getPort())) {
            client.getOutputStream().write(request);
            byte[] reply = client.getInputStream().readNBytes(18);
            assertThat(hex.formatHex(reply)).isEqualTo("4d504120494420526570204672616d65" + flags + "02");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void replyThatFitsNowhere_readRepliesChosen_isRead(boolean readReplies) throws Exception {
        int countBytes = 100_000;
        byte[] written = new byte[countBytes];
        new Random(8).nextBytes(written);
        try (WarpServer server =
                        WarpServer.start(config(Backend.MEMORY, RdmaChoices.DEFAULT.withReadReplies(readReplies)));
                IwarpTransport transport = new IwarpTransport();
                RpcRdmaRequester client = RpcRdmaRequester.connect(
                                transport.connector(),
                                server.rdmaAddress(),
                                RequesterOptions.DEFAULT.withMaxReadReplyBytes(SIZE_BYTES),
                                call -> call)
                        .get(30, TimeUnit.SECONDS)) {
            byte[] file = create(client, mount(server), 1000);
            NfsCall write = nfs(7, 1000).opaque(file).hyper(0).word(countBytes).word(2);
            assertThat(call(client, write.data(direct(written)), ChunkOffer.NONE)
                            .getInt())
                    .isZero();
            NfsCall read = nfs(6, 1000).opaque(file).hyper(0).word(countBytes);
            if (readReplies) {
                ByteBuffer results = call(client, read, ChunkOffer.NONE);
                assertThat(results.getInt()).isZero();
                assertThat(results.getInt()).isEqualTo(1);
                results.position(results.position() + 84 + 8);
                assertThat(NfsCall.opaque(results)).isEqualTo(written);
            } else {
                assertThatThrownBy(() -> call(client, read, ChunkOffer.NONE)).hasMessageContaining("ERR_CHUNK");
            }
        }
    }

    @Test
    void close_whileClientsAreConnected_freesBothPorts() throws Exception {
        WarpServer server = WarpServer.start(config(Backend.MEMORY, RdmaChoices.DEFAULT));
        InetSocketAddress rdma = server.rdmaAddress();
        InetSocketAddress tcp = server.tcpAddress();
        try (Socket idleTcp = new Socket(tcp.getAddress(), tcp.getPort());
                Socket silentRdma = new Socket(rdma.getAddress(), rdma.getPort())) {
            mount(server);
            server.close();
            server.close();
            assertThat(idleTcp.getInputStream().read()).isEqualTo(-1);
            assertThat(silentRdma.getInputStream().read()).isEqualTo(-1);
        }
        assertThatThrownBy(() -> new Socket(tcp.getAddress(), tcp.getPort()).close())
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> new Socket(rdma.getAddress(), rdma.getPort()).close())
                .isInstanceOf(IOException.class);
    }

    @Test
    void start_describesWhatItServes() throws Exception {
        try (WarpServer server = WarpServer.start(config(
                Backend.LOCAL,
                RdmaChoices.DEFAULT.withCrc(CrcPolicy.ON).withMarkers(true).withReadReplies(true)))) {
            assertThat(server.describe())
                    .anyMatch(line -> line.startsWith("export") && line.contains("no_root_squash"))
                    .anyMatch(line -> line.startsWith("rdma")
                            && line.contains("127.0.0.1:" + server.rdmaAddress().getPort())
                            && line.contains("CRC on, MPA markers required: no Linux clients, replies by Read chunks"))
                    .anyMatch(line -> line.startsWith("mount") && line.contains("proto=rdma"))
                    .anyMatch(line -> line.startsWith("mount")
                            && line.contains("mountport=" + server.tcpAddress().getPort()));
        }
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
