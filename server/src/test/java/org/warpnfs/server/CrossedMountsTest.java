package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.ExportsFiles;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/**
 * {@code crossmnt}: real file systems that are mounted below an export, as clients of NFSv3 and NFSv4.0 see them over
 * TCP.
 */
class CrossedMountsTest {
    private static final int GETATTR = 1;
    private static final int LOOKUP = 3;
    private static final int RMDIR = 13;
    private static final int RENAME = 14;
    private static final int READDIRPLUS = 17;
    private static final int ACCES = 13;
    private static final int STALE = 70;

    @TempDir
    Path temporary;

    private final Deque<Path> mounted = new ArrayDeque<>();
    private Path above;
    private int xid = 1;

    @BeforeEach
    void start() throws Exception {
        Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Assumptions.assumeTrue(uid.equals(0) && Files.isExecutable(Path.of("/bin/mount")), "only root mounts");
        above = Files.createDirectory(temporary.resolve("above"));
        mount("mnt");
        Files.writeString(above.resolve("mnt/f"), "mounted");
    }

    @AfterEach
    void stop() throws Exception {
        while (!mounted.isEmpty()) {
            run("umount", "-l", mounted.pop().toString());
        }
    }

    private void mount(String name) throws Exception {
        Path point = Files.createDirectories(above.resolve(name));
        run("mount", "-t", "tmpfs", "-o", "size=1m", "warpnfs-test", point.toString());
        mounted.push(point);
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    }

    private List<ExportSpec> specs(String options) throws Exception {
        Path file = temporary.resolve("exports");
        Files.writeString(file, above + " *(rw,insecure,no_root_squash," + options + ")\n");
        return ExportsFiles.read(List.of(file), HostNames.NONE);
    }

    private WarpServer serve(String options) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return WarpServer.start(new ServerConfig(
                specs(options),
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
                IdentityChoices.DEFAULT));
    }

    private byte[] root(WarpServer server) throws IOException {
        ByteBuffer reply = NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0)
                .string(above.toString())
                .overTcp(server.tcpAddress());
        assertThat(reply.getInt()).as("MNT").isZero();
        return NfsCall.opaque(reply);
    }

    private ByteBuffer call(WarpServer server, int procedure, byte[] handle, String... names) throws IOException {
        NfsCall call = NfsCall.of(xid++, NfsCall.NFS, 3, procedure, 0).opaque(handle);
        for (int i = 0; i < names.length; i++) {
            if (i > 0) {
                call.opaque(handle);
            }
            call.string(names[i]);
        }
        return call.overTcp(server.tcpAddress());
    }

    private byte[] lookup(WarpServer server, byte[] directory, String name) throws IOException {
        ByteBuffer reply = call(server, LOOKUP, directory, name);
        assertThat(reply.getInt()).as("LOOKUP " + name).isZero();
        return NfsCall.opaque(reply);
    }

    /** Returns the fsid, which is at byte 44 of the 84 bytes of fattr3. */
    private long fsid(WarpServer server, byte[] handle) throws IOException {
        ByteBuffer reply = call(server, GETATTR, handle);
        assertThat(reply.getInt()).as("GETATTR").isZero();
        return reply.getLong(reply.position() + 44);
    }

    @Test
    void v3_crossmnt_leadsIntoWhatIsMountedAndItsHandlesOutliveARestart() throws Exception {
        byte[] file;
        try (WarpServer server = serve("crossmnt")) {
            byte[] root = root(server);
            byte[] below = lookup(server, root, "mnt");
            file = lookup(server, below, "f");
            assertThat(fsid(server, below)).isNotEqualTo(fsid(server, root)).isEqualTo(fsid(server, file));
            assertThat(call(server, RMDIR, root, "mnt").getInt()).isEqualTo(ACCES);
            assertThat(call(server, RENAME, root, "mnt", "moved").getInt()).isEqualTo(ACCES);
            assertListed(server, root);
        }
        try (WarpServer server = serve("crossmnt")) {
            assertThat(call(server, GETATTR, file).getInt()).isZero();
        }
        assertThat(above.resolve("mnt/f")).hasContent("mounted");
    }

    /**
     * READDIRPLUS lists the mount point without handle and attributes. Whether a client may enter it is up to a LOOKUP.
     */
    private void assertListed(WarpServer server, byte[] root) throws IOException {
        ByteBuffer reply = NfsCall.of(xid++, NfsCall.NFS, 3, READDIRPLUS, 0)
                .opaque(root)
                .hyper(0)
                .hyper(0)
                .word(4096)
                .word(8192)
                .overTcp(server.tcpAddress());
        assertThat(reply.getInt()).isZero();
        skipAttributes(reply);
        reply.getLong();
        Map<String, Boolean> withHandle = new HashMap<>();
        while (reply.getInt() == 1) {
            reply.getLong();
            String name = new String(NfsCall.opaque(reply), StandardCharsets.US_ASCII);
            reply.getLong();
            boolean attributes = skipAttributes(reply);
            boolean handle = reply.getInt() == 1;
            if (handle) {
                byte[] _ = NfsCall.opaque(reply);
            }
            withHandle.put(name, attributes || handle);
        }
        assertThat(withHandle).containsEntry("mnt", false).containsEntry(".", true);
    }

    private static boolean skipAttributes(ByteBuffer reply) {
        boolean there = reply.getInt() == 1;
        reply.position(reply.position() + (there ? 84 : 0));
        return there;
    }

    @Test
    void mountedAndUnmounted_whileTheServerRuns_countsAfterAReload() throws Exception {
        Files.createDirectory(above.resolve("later"));
        try (WarpServer server = serve("crossmnt")) {
            byte[] root = root(server);
            byte[] underneath = lookup(server, root, "later");
            mount("later");
            Files.writeString(above.resolve("later/g"), "later");
            assertThat(call(server, LOOKUP, root, "later").getInt())
                    .as("not served yet, and what is underneath neither")
                    .isEqualTo(ACCES);
            assertThat(server.reload(specs("crossmnt")))
                    .containsExactly("export " + above.resolve("later") + " added: " + above.resolve("later"));
            byte[] below = lookup(server, root, "later");
            assertThat(fsid(server, below)).isNotEqualTo(fsid(server, root));
            byte[] file = lookup(server, below, "g");
            run("umount", "-l", mounted.pop().toString());
            assertThat(server.reload(specs("crossmnt")))
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("withdrawn");
            assertThat(call(server, GETATTR, file).getInt()).isEqualTo(STALE);
            assertThat(fsid(server, lookup(server, root, "later"))).isEqualTo(fsid(server, root));
            assertThat(lookup(server, root, "later")).isEqualTo(underneath);
        }
    }

    /**
     * Sends PUTROOTFH, a LOOKUP for each name and an operation. Returns the reply at the results of the last operation.
     */
    private ByteBuffer compound(WarpServer server, List<String> names, int operation, int... words) throws IOException {
        NfsCall call =
                NfsCall.of(xid++, NfsCall.NFS, 4, 1, 0).string("").word(0).word(names.size() + 2);
        call.word(24);
        for (String name : names) {
            call.word(15).string(name);
        }
        call.word(operation);
        for (int word : words) {
            call.word(word);
        }
        ByteBuffer reply = call.overTcp(server.tcpAddress());
        assertThat(reply.getInt()).as("COMPOUND").isZero();
        byte[] _ = NfsCall.opaque(reply);
        assertThat(reply.getInt()).isEqualTo(names.size() + 2);
        reply.position(reply.position() + 8 * (names.size() + 2));
        return reply;
    }

    @Test
    void v4_mountedBelow_isAnotherFileSystemOnTheDirectoryUnderneath() throws Exception {
        try (WarpServer server = serve("crossmnt")) {
            List<String> path = new ArrayList<>();
            above.forEach(name -> path.add(name.toString()));
            ByteBuffer ofAbove = compound(server, path, 9, 1, 1 << 8);
            long fsidAbove = ofAbove.getLong(ofAbove.position() + 12);
            // READDIR that asks for fsid, fileid and mounted_on_fileid.
            ByteBuffer listing = compound(server, path, 26, 0, 0, 0, 0, 4096, 8192, 2, 1 << 8 | 1 << 20, 1 << 23);
            listing.getLong();
            assertThat(listing.getInt()).isEqualTo(1);
            listing.getLong();
            assertThat(new String(NfsCall.opaque(listing), StandardCharsets.US_ASCII))
                    .isEqualTo("mnt");
            listing.position(listing.position() + 16);
            long fsid = listing.getLong();
            listing.getLong();
            long fileId = listing.getLong();
            long mountedOn = listing.getLong();
            path.add("mnt");
            ByteBuffer attributes = compound(server, path, 9, 2, 1 << 8 | 1 << 20, 1 << 23);
            attributes.position(attributes.position() + 16);
            assertThat(attributes.getLong()).isEqualTo(fsid);
            attributes.getLong();
            assertThat(List.of(attributes.getLong(), attributes.getLong())).containsExactly(fileId, mountedOn);
            assertThat(fsid).isNotEqualTo(fsidAbove);
            assertThat(fileId).isEqualTo(Files.getAttribute(above.resolve("mnt"), "unix:ino"));
            assertThat(mountedOn).isNotEqualTo(fileId);
        }
    }
}
