package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;

/** When {@link JournalMarker} is open, on a tmpfs of its own. Needs root, to mount. */
class JournalMarkerTest {
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(JournalMarker.IDLE_SECONDS);

    @TempDir
    Path directory;

    private final AtomicLong nowNanos = new AtomicLong();
    private Fd root;
    private JournalMarker marker;

    @BeforeEach
    void start() throws Exception {
        Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Assumptions.assumeTrue(uid.equals(0) && Files.isExecutable(Path.of("/bin/mount")), "only root mounts");
        assertThat(mount("-t", "tmpfs", "-o", "size=1m", "warpnfs-test")).isZero();
        root = OpenCalls.open(
                directory.toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY);
        marker = new JournalMarker(root, true, nowNanos::get);
    }

    @AfterEach
    void stop() throws Exception {
        if (root != null) {
            marker.close();
            root.close();
            assertThat(new ProcessBuilder("umount", directory.toString())
                            .start()
                            .waitFor())
                    .isZero();
        }
    }

    private int mount(String... options) throws Exception {
        String[] command = new String[options.length + 2];
        command[0] = "mount";
        System.arraycopy(options, 0, command, 1, options.length);
        command[options.length + 1] = directory.toString();
        return new ProcessBuilder(command).start().waitFor();
    }

    @Test
    void neverUsed_isNotOpen() throws Exception {
        assertThat(marker.fd()).isNull();
        assertThat(mount("-o", "remount,ro")).isZero();
    }

    @Test
    void used_keepsTheFileSystemWritable_untilItWasIdle() throws Exception {
        marker.use();
        assertThat(marker.fd()).isNotNull();
        nowNanos.set(IDLE_NANOS);
        marker.sweep();
        assertThat(marker.fd()).as("in use").isNotNull();
        assertThat(mount("-o", "remount,ro")).as("busy").isNotZero();

        marker.leave();
        nowNanos.addAndGet(IDLE_NANOS - 1);
        marker.sweep();
        assertThat(marker.fd()).as("used a moment ago").isNotNull();
        nowNanos.addAndGet(1);
        marker.sweep();

        assertThat(marker.fd()).isNull();
        assertThat(mount("-o", "remount,ro")).isZero();
    }

    @Test
    void readOnlyFileSystem_opened_saysSo_andIsThereAfterwards() throws Exception {
        assertThat(mount("-o", "remount,ro")).isZero();
        marker.use();
        assertThat(marker.fd()).isNull();
        assertThatThrownBy(marker::opened)
                .isInstanceOfSatisfying(ErrnoException.class, refusal -> assertThat(refusal.errno())
                        .isEqualTo(Errno.EROFS));

        assertThat(mount("-o", "remount,rw")).isZero();
        marker.use();

        assertThat(marker.fd()).isNotNull();
    }

    @Test
    void notWanted_isNeverOpen() throws Exception {
        try (JournalMarker none = new JournalMarker(root, false, nowNanos::get)) {
            none.use();
            assertThat(none.opened()).isNull();
        }
    }
}
