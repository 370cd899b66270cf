package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.tcp.TcpConnector;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.ExportsFiles;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.http.HttpGet;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.server.watch.Watch;

/**
 * Faults of the file system below an export, as clients of NFSv3 and an administrator see them. The file system is
 * full, read-only, unmounted or renamed, and then recovers. Needs root to mount it.
 */
class HostFaultsTest {
    private static final int GETATTR = 1;
    private static final int LOOKUP = 3;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int REMOVE = 12;
    private static final int OK = 0;
    private static final int ROFS = 30;
    private static final int NOSPC = 28;
    private static final int STALE = 70;
    private static final int FILE_SYNC = 2;
    private static final int BLOCK_BYTES = 256 << 10;
    private static final int SECONDS = 60;

    /** The transport by which a client reaches the server. */
    enum Way {
        TCP,
        RDMA
    }

    @TempDir
    Path temporary;

    private final IwarpTransport iwarp = new IwarpTransport();
    private final TcpConnector tcp = new TcpConnector(1);
    private Path files;
    private Watch watch;
    private WarpServer server;
    private Requester client;
    private int mounts;
    private int xid = 1;

    @BeforeEach
    void start() throws Exception {
        Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Assumptions.assumeTrue(uid.equals(0) && Files.isExecutable(Path.of("/bin/mount")), "only root mounts");
        files = Files.createDirectory(temporary.resolve("files"));
        mount();
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        watch = Watch.start("test", any);
        server = WarpServer.start(
                new ServerConfig(
                        specs(),
                        Backend.LOCAL,
                        16 << 20,
                        any,
                        any,
                        temporary.resolve("state"),
                        RdmaChoices.DEFAULT,
                        Duration.ofSeconds(1),
                        4,
                        16 << 20,
                        Duration.ofSeconds(5),
                        IdentityChoices.DEFAULT),
                ServerLimits.DEFAULT,
                watch.recorder());
        watch.serves(server);
        client = connect(Way.TCP);
    }

    @AfterEach
    void stop() throws Exception {
        if (client != null) {
            client.close();
        }
        tcp.close();
        iwarp.close();
        if (server != null) {
            server.close();
        }
        if (watch != null) {
            watch.close();
        }
        while (mounts > 0) {
            unmount();
        }
    }

    private List<ExportSpec> specs() throws Exception {
        Path file = temporary.resolve("exports");
        Files.writeString(file, files + " *(rw,insecure,no_root_squash)\n");
        return ExportsFiles.read(List.of(file), HostNames.NONE);
    }

    private void mount() throws Exception {
        run("mount", "-t", "tmpfs", "-o", "size=4m", "warpnfs-test", files.toString());
        mounts++;
    }

    private void unmount() throws Exception {
        mounts--;
        run("umount", "-l", files.toString());
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    }

    private Requester connect(Way way) throws Exception {
        return switch (way) {
            case TCP ->
                tcp.connect(server.tcpAddress(), TcpRequesterOptions.DEFAULT, BackwardCalls.NONE)
                        .get(SECONDS, TimeUnit.SECONDS);
            case RDMA ->
                RpcRdmaRequester.connect(
                                iwarp.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, BackwardCalls.NONE)
                        .get(SECONDS, TimeUnit.SECONDS);
        };
    }

    private ByteBuffer answer(NfsCall call, ChunkOffer offer) throws Exception {
        return NfsCall.results(client.call(call.message(), offer)
                .get(SECONDS, TimeUnit.SECONDS)
                .message());
    }

    private ByteBuffer answer(NfsCall call) throws Exception {
        return answer(call, ChunkOffer.NONE);
    }

    private NfsCall nfs3(int procedure, byte[] handle) {
        return NfsCall.of(xid++, NfsCall.NFS, 3, procedure, 0).opaque(handle);
    }

    private byte[] root() throws Exception {
        ByteBuffer reply = NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0)
                .string(files.toString())
                .overTcp(server.tcpAddress());
        assertThat(reply.getInt()).as("MNT").isZero();
        return NfsCall.opaque(reply);
    }

    private int getattr(byte[] file) throws Exception {
        return answer(nfs3(GETATTR, file)).getInt();
    }

    private int lookup(byte[] directory, String name) throws Exception {
        return answer(nfs3(LOOKUP, directory).string(name)).getInt();
    }

    /** Sends an UNCHECKED CREATE that sets only the mode. */
    private ByteBuffer create(byte[] directory, String name) throws Exception {
        return answer(nfs3(CREATE, directory)
                .string(name)
                .word(0)
                .word(1)
                .word(0644)
                .word(0)
                .word(0)
                .word(0)
                .word(0)
                .word(0));
    }

    private byte[] created(byte[] directory, String name) throws Exception {
        ByteBuffer results = create(directory, name);
        assertThat(results.getInt()).as("CREATE").isZero();
        assertThat(results.getInt()).as("a handle follows").isEqualTo(1);
        return NfsCall.opaque(results);
    }

    private int remove(byte[] directory, String name) throws Exception {
        return answer(nfs3(REMOVE, directory).string(name)).getInt();
    }

    private static ByteBuffer block(int number) {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        while (block.hasRemaining()) {
            block.putInt(number * BLOCK_BYTES + block.position());
        }
        return block.flip();
    }

    /** Sends a WRITE to stable storage and returns the status. */
    private int write(byte[] file, int number) throws Exception {
        ByteBuffer results = answer(nfs3(WRITE, file)
                .hyper((long) number * BLOCK_BYTES)
                .word(BLOCK_BYTES)
                .word(FILE_SYNC)
                .data(block(number)));
        return results.getInt();
    }

    private ByteBuffer read(Way way, byte[] file, int number) throws Exception {
        ByteBuffer sink = ByteBuffer.allocateDirect(BLOCK_BYTES);
        ByteBuffer results = answer(
                nfs3(READ, file).hyper((long) number * BLOCK_BYTES).word(BLOCK_BYTES),
                way == Way.RDMA ? ChunkOffer.write(sink) : ChunkOffer.NONE);
        assertThat(results.getInt()).as("READ").isZero();
        if (way == Way.RDMA) {
            return sink.rewind();
        }
        results.position(results.position() + 4 + 84 + 8);
        return ByteBuffer.wrap(NfsCall.opaque(results));
    }

    private HttpGet ready() throws Exception {
        return HttpGet.of(watch.address(), "/readyz");
    }

    @ParameterizedTest
    @EnumSource
    void full_writesFailAcknowledgedOnesStay_andRoomIsUsedAgain(Way way) throws Exception {
        client.close();
        client = connect(way);
        byte[] root = root();
        byte[] file = created(root, "f");

        int written = 0;
        int status = write(file, written);
        while (status == OK) {
            written++;
            status = write(file, written);
        }

        assertThat(status).isEqualTo(NOSPC);
        assertThat(written).isBetween(12, 16);
        for (int number = 0; number < written; number++) {
            assertThat(read(way, file, number).mismatch(block(number)))
                    .as("block " + number)
                    .isEqualTo(-1);
        }
        assertThat(ready().status()).isEqualTo(200);
        assertThat(remove(root, "f")).isEqualTo(OK);
        byte[] next = created(root, "next");
        assertThat(write(next, 0)).isEqualTo(OK);
        assertThat(read(way, next, 0).mismatch(block(0))).isEqualTo(-1);
    }

    @Test
    void readOnly_changesFailReadingGoesOn_andWritableAgainAfterwards() throws Exception {
        Files.writeString(files.resolve("f"), "f");
        byte[] root = root();
        run("mount", "-o", "remount,ro", files.toString());

        assertThat(create(root, "new").getInt()).isEqualTo(ROFS);
        assertThat(remove(root, "f")).isEqualTo(ROFS);
        assertThat(lookup(root, "f")).isEqualTo(OK);
        assertThat(ready().status()).isEqualTo(200);

        run("mount", "-o", "remount,rw", files.toString());
        assertThat(write(created(root, "new"), 0)).isEqualTo(OK);
    }

    @Test
    void renamedAway_isServedOnAndNotReady_untilItIsBack() throws Exception {
        unmount();
        assertThat(server.reload(specs())).hasSize(1);
        byte[] root = root();
        Path away = temporary.resolve("away");
        Files.move(files, away);

        assertThat(write(created(root, "f"), 0)).isEqualTo(OK);
        assertThat(away.resolve("f")).hasSize(BLOCK_BYTES);
        assertThat(ready().status()).isEqualTo(503);
        assertThat(ready().text()).contains(files.toString());

        Files.move(away, files);
        assertThat(ready().status()).isEqualTo(200);
        assertThat(lookup(root, "f")).isEqualTo(OK);
    }

    @Test
    void unmountedAndAnotherMounted_isNotReady_andAReloadServesTheOther() throws Exception {
        byte[] root = root();
        byte[] file = created(root, "old");
        unmount();
        mount();
        Files.writeString(files.resolve("other"), "other");

        assertThat(ready().status()).isEqualTo(503);
        assertThat(ready().text()).contains("another directory is at " + files);
        assertThat(write(file, 0)).as("the old one is served on").isEqualTo(OK);
        assertThat(lookup(root, "other")).isNotEqualTo(OK);

        assertThat(server.reload(specs())).singleElement().asString().contains("changed");
        assertThat(ready().status()).isEqualTo(200);
        assertThat(getattr(file)).isEqualTo(STALE);
        assertThat(lookup(root(), "other")).isEqualTo(OK);
    }
}
