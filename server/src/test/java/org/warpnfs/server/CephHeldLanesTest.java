package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.ceph.CephFileSystem;
import org.warpnfs.fs.ceph.CephOptions;
import org.warpnfs.fs.ceph.CephProvider;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.DataPath;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.testkit.ceph.CephCluster;
import org.warpnfs.testkit.ceph.CephCluster.Daemon;

/**
 * An OSD that does not answer, and a client that reads more files at once than a lane has threads: what another mount
 * has in memory is read all the same, by the same client, and everything is once the OSD answers.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CephHeldLanesTest {
    private static final int LOOKUP = 3;
    private static final int READ = 6;
    private static final int MNT = 1;
    private static final int JUKEBOX = 10_008;
    private static final int THREADS = 16;
    private static final int FILES = 40;

    @TempDir
    private Path temporary;

    private CephCluster cluster;

    @BeforeEach
    void start() throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        cluster = CephCluster.start();
        CephOptions top = new CephOptions(cluster.configuration(), "admin", CephCluster.FILE_SYSTEM, "/", null);
        try (CephFileSystem fs = CephFileSystem.open(top)) {
            makeFile(fs, makeDirectory(fs, "other"), "kept");
            FileHandle files = makeDirectory(fs, "files");
            for (int i = 0; i < FILES; i++) {
                makeFile(fs, files, "f" + i);
            }
        }
    }

    @AfterEach
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static FileHandle makeDirectory(CephFileSystem fs, String name) throws Exception {
        return fs.makeDirectory(Caller.ROOT, fs.root(), FileName.of(name), AttributeChanges.ofPermissions(0755))
                .handle();
    }

    private static void makeFile(CephFileSystem fs, FileHandle directory, String name) throws Exception {
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(0644));
        FileHandle file = fs.create(Caller.ROOT, directory, FileName.of(name), mode)
                .node()
                .handle();
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            ByteBuffer data = ByteBuffer.allocateDirect(1).put((byte) 1).flip();
            assertThat(open.write(data, 0, Stability.FILE_SYNC)).isEqualTo(Stability.FILE_SYNC);
        }
    }

    private ServerConfig config() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        PluginChoice ceph = new PluginChoice(
                CephProvider.NAME,
                "--backend",
                null,
                List.of(new PluginChoice.Option(
                        CephProvider.CONFIGURATION, cluster.configuration().toString(), "--ceph-conf")));
        return new ServerConfig(
                List.of(
                        ExportSpec.parse("/files:/files,insecure,no_root_squash"),
                        ExportSpec.parse("/other:/other,insecure,no_root_squash")),
                Backend.PLUGIN,
                ceph,
                16 << 20,
                any,
                any,
                temporary.resolve("state"),
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(5),
                THREADS,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT,
                DataPath.DEFAULTS,
                null,
                null);
    }

    @Test
    void osd_doesNotAnswer_clientWithManyReads_isAnsweredWhatNeedsNoOsd() throws Exception {
        try (WarpServer server = WarpServer.start(config())) {
            Client client = new Client(server.tcpAddress());
            byte[] files = client.mount("/files");
            byte[] other = client.lookup(client.mount("/other"), "kept");
            List<byte[]> handles = new ArrayList<>();
            for (int i = 0; i < FILES; i++) {
                handles.add(client.lookup(files, "f" + i));
            }
            assertThat(client.read(other)).isZero();

            cluster.pause(Daemon.OSD);
            for (byte[] each : handles) {
                Thread.ofVirtual().start(() -> client.readInVain(each));
            }
            while (server.counters().get("lanes_waiting_data") == 0) {
                Thread.sleep(20);
            }
            client.readPatiently(other);
            assertThat(client.read(handles.getFirst())).isEqualTo(JUKEBOX);

            cluster.resume(Daemon.OSD);
            for (byte[] each : handles) {
                client.readPatiently(each);
            }
        }
    }

    /** A client of NFSv3 with a connection for each call. */
    private static final class Client {
        private final InetSocketAddress server;
        private int xid = 1;

        Client(InetSocketAddress server) {
            this.server = server;
        }

        private synchronized NfsCall call(int program, int procedure) {
            return NfsCall.of(xid++, program, 3, procedure, 0);
        }

        byte[] mount(String path) throws IOException {
            ByteBuffer results = call(NfsCall.MOUNT, MNT).string(path).overTcp(server);
            assertThat(results.getInt()).isZero();
            return NfsCall.opaque(results);
        }

        byte[] lookup(byte[] directory, String name) throws IOException {
            ByteBuffer results =
                    call(NfsCall.NFS, LOOKUP).opaque(directory).string(name).overTcp(server);
            assertThat(results.getInt()).isZero();
            return NfsCall.opaque(results);
        }

        /** Reads the first byte; returns the status. */
        int read(byte[] file) throws IOException {
            return call(NfsCall.NFS, READ)
                    .opaque(file)
                    .hyper(0)
                    .word(1)
                    .overTcp(server)
                    .getInt();
        }

        void readInVain(byte[] file) {
            try {
                int _ = read(file);
            } catch (IOException e) {
                System.out.println("a READ was not answered in time: " + e.getMessage());
            }
        }

        /** Sends the call again as clients do, until there is an answer. */
        void readPatiently(byte[] file) throws Exception {
            int status = JUKEBOX;
            while (status == JUKEBOX) {
                try {
                    status = read(file);
                } catch (SocketTimeoutException e) {
                    System.out.println("a READ is sent again: " + e.getMessage());
                }
            }
            assertThat(status).isZero();
        }
    }
}
