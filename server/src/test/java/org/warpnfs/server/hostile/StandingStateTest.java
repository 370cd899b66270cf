package org.warpnfs.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/**
 * The state directory stands still, as a disk does that retries or a network file system whose server is gone: fsfreeze
 * lets every write to it wait. Needs root, and is left out where no image can be mounted.
 */
@Timeout(120)
class StandingStateTest {
    private static final long IMAGE_BYTES = 64 << 20;
    private static final int PUTROOTFH = 24;
    private static final int OPEN = 18;
    private static final int READ = 1;
    private static final int NFS3_GETATTR = 1;
    private static final int NFS3_LOOKUP = 3;
    private static final int NFS3_READ = 6;
    private static final String CONTENTS = "contents";

    @TempDir
    private Path temporary;

    private Path state;
    private boolean isMounted;

    private static boolean run(String... command) throws Exception {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @BeforeEach
    void mountImage() throws Exception {
        Path image = temporary.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE_BYTES);
        }
        state = Files.createDirectory(temporary.resolve("state"));
        isMounted = run("mkfs.ext4", "-q", image.toString())
                && run("mount", "-o", "loop", image.toString(), state.toString());
        assumeTrue(isMounted, "no image can be mounted here");
    }

    @AfterEach
    void unmountImage() throws Exception {
        if (isMounted) {
            run("fsfreeze", "-u", state.toString());
            assertThat(run("umount", state.toString())).isTrue();
        }
    }

    private WarpServer start() throws Exception {
        Path files = Files.createDirectory(temporary.resolve("files"));
        Path file = Files.writeString(files.resolve("f"), CONTENTS);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return WarpServer.start(new ServerConfig(
                List.of(ExportSpec.parse(files + ":/,no_root_squash,insecure")),
                Backend.LOCAL,
                16 << 20,
                any,
                any,
                state.resolve("warpnfs"),
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(30),
                4,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT));
    }

    private static int open(V41Client client, String owner) {
        NfsCall open = client.sequenced(3).word(PUTROOTFH).word(OPEN).word(0).word(READ);
        try {
            return client.status(
                    open.word(0).hyper(0).string(owner).word(0).word(0).string("f"));
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    private static ByteBuffer answered(WarpServer server, NfsCall call) throws IOException {
        ByteBuffer results = call.overTcp(server.tcpAddress());
        assertThat(results.getInt()).as("status").isZero();
        return results;
    }

    private static void requireNfs3IsServed(WarpServer server) throws IOException {
        byte[] root = NfsCall.opaque(
                answered(server, NfsCall.of(1, NfsCall.MOUNT, 3, 1, 0).string("/")));
        answered(server, NfsCall.of(2, NfsCall.NFS, 3, NFS3_GETATTR, 0).opaque(root));
        byte[] file = NfsCall.opaque(answered(
                server,
                NfsCall.of(3, NfsCall.NFS, 3, NFS3_LOOKUP, 0).opaque(root).string("f")));
        ByteBuffer read = answered(
                server,
                NfsCall.of(4, NfsCall.NFS, 3, NFS3_READ, 0)
                        .opaque(file)
                        .hyper(0)
                        .word(CONTENTS.length()));
        byte[] end = new byte[CONTENTS.length()];
        read.get(read.limit() - end.length, end);
        assertThat(end).asString().isEqualTo(CONTENTS);
    }

    @Test
    void stateDirectoryStandsStill_newClientWaits_andOthersAreServed() throws Exception {
        try (WarpServer server = start()) {
            V41Client known = new V41Client(call -> call.overTcp(server.tcpAddress()), "known");
            known.open();
            assertThat(open(known, "before")).isZero();
            V41Client fresh = new V41Client(call -> call.overTcp(server.tcpAddress()), "new");
            fresh.open();
            // If this process ends meanwhile, nobody else thaws it.
            Process thaws = new ProcessBuilder("sh", "-c", "sleep 60; fsfreeze -u \"$0\" 2>/dev/null", state.toString())
                    .start();
            assumeTrue(run("fsfreeze", "-f", state.toString()), "nothing can be frozen here");
            try {
                CompletableFuture<Integer> waits = CompletableFuture.supplyAsync(() -> open(fresh, "first"));
                for (int i = 0; i < 20; i++) {
                    known.renew();
                    assertThat(open(known, "owner " + i)).isZero();
                    requireNfs3IsServed(server);
                }
                assertThat(waits)
                        .as("nothing is granted before it is on stable storage")
                        .isNotDone();

                assertThat(run("fsfreeze", "-u", state.toString())).isTrue();

                assertThat(waits.get(30, TimeUnit.SECONDS)).isZero();
            } finally {
                run("fsfreeze", "-u", state.toString());
                thaws.destroy();
            }
        }
    }
}
