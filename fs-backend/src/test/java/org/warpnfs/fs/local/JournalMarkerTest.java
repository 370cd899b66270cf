package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

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

    /** It could perhaps not be opened again, and a sync could not tell then that the journal was aborted. */
    @Test
    void fewInodesAreFree_idle_staysOpen() throws Exception {
        assertThat(mount("-o", "remount,nr_inodes=1000")).isZero();
        marker.use();
        marker.leave();

        nowNanos.set(IDLE_NANOS);
        marker.sweep();
        assertThat(marker.fd()).isNotNull();

        assertThat(mount("-o", "remount,nr_inodes=100000")).isZero();
        marker.sweep();
        assertThat(marker.fd()).isNull();
    }

    @Test
    void notWanted_isNeverOpen() throws Exception {
        try (JournalMarker none = new JournalMarker(root, false, nowNanos::get)) {
            none.use();
            assertThat(none.opened()).isNull();
        }
    }

    /** As a relief of descriptors does, which syncs what it closes, and closes files of all file systems. */
    @Test
    void usedWhileItIsBeingOpened_isOneDescriptor_andNobodyWaits() throws Exception {
        AtomicBoolean first = new AtomicBoolean(true);
        try (JournalMarker opening = new JournalMarker(
                () -> {
                    if (first.compareAndSet(true, false)) {
                        otherThread(this::useMarker);
                        useMarker();
                    }
                    return OpenCalls.openNameless(root, JournalMarker.PERMISSIONS);
                },
                () -> true,
                true,
                nowNanos::get)) {
            marker = opening;

            useMarker();
            nowNanos.set(IDLE_NANOS);
            marker.sweep();

            assertThat(marker.fd()).isNull();
            assertThat(mount("-o", "remount,ro"))
                    .as("every descriptor is closed")
                    .isZero();
        }
    }

    private void useMarker() throws ErrnoException {
        try {
            marker.use();
        } catch (FsException e) {
            throw new IllegalStateException(e);
        }
        try {
            assertThat(marker.opened()).isNotNull();
        } finally {
            marker.leave();
        }
    }

    private static void otherThread(Step step) {
        FutureTask<Void> done = new FutureTask<>(() -> {
            step.run();
            return null;
        });
        Thread.ofPlatform().daemon().start(done);
        assertThat(done).as("what another thread does meanwhile").succeedsWithin(Duration.ofSeconds(30));
    }

    private interface Step {
        void run() throws Exception;
    }

    @Test
    void descriptorsAreShort_use_isPutOff_andIsNoUse() throws Exception {
        AtomicInteger errno = new AtomicInteger(Errno.EMFILE);
        marker = new JournalMarker(
                () -> {
                    if (errno.get() != 0) {
                        throw ErrnoException.of(errno.get());
                    }
                    return OpenCalls.openNameless(root, JournalMarker.PERMISSIONS);
                },
                () -> true,
                true,
                nowNanos::get);

        assertThatThrownBy(marker::use).isInstanceOfSatisfying(FsException.class, refusal -> assertThat(refusal.error())
                .isEqualTo(FsError.TRY_LATER));
        errno.set(0);
        useMarker();
        nowNanos.set(IDLE_NANOS);
        marker.sweep();

        assertThat(marker.fd()).as("nobody uses it").isNull();
    }
}
