package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** The kernel's own errors, of a device that really fails: nothing that was acknowledged as stable is lost. */
class FailingDeviceTest {
    private static final int BLOCK_BYTES = 4096;
    private static final int WRITERS = 8;
    private static final int WRITES = 60;
    /** How many writes each writer makes at most while the device still works, or while it is about to fail. */
    private static final int FAILS_AT = WRITES / 3;

    private static final int HEALS_AT = 2 * WRITES / 3;
    private static final long LIMIT_SECONDS = 120;

    @TempDir
    Path base;

    private final CountDownLatch failing = new CountDownLatch(1);
    private final CountDownLatch healed = new CountDownLatch(1);
    private FailingDevice device;
    private LocalFileSystem fs;

    @BeforeEach
    void start() throws Exception {
        device = FailingDevice.make(base);
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
    }

    @AfterEach
    void stop() throws IOException {
        if (fs != null) {
            fs.close();
        }
        if (device != null) {
            device.close();
        }
    }

    private void remount() throws IOException {
        fs.close();
        device.remount();
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
    }

    private FileHandle create(String name) throws FsException {
        return fs.create(
                        Caller.ROOT,
                        fs.root(),
                        FileName.of(name),
                        new CreateMode.Guarded(AttributeChanges.ofPermissions(0644)))
                .node()
                .handle();
    }

    private OpenFile openToWrite(FileHandle file) throws FsException {
        return fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE);
    }

    private static ByteBuffer block(int seed) {
        byte[] bytes = new byte[BLOCK_BYTES];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static FsError outcome(Action action) {
        try {
            action.run();
            return null;
        } catch (FsException e) {
            return e.error();
        }
    }

    @Test
    void backgroundWritebackFails_anyLaterCommitOrItsVerifierSaysSo() throws Exception {
        FileHandle file = create("f");
        long before = fs.writeVerifier();
        try (OpenFile open = openToWrite(file)) {
            open.write(block(1), 0, Stability.UNSTABLE);
        }
        device.fail();
        // Somebody else on the host makes the kernel write, and takes note of the error.
        Process other =
                new ProcessBuilder("sync", device.directory().resolve("f").toString()).start();
        assertThat(other.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(other.exitValue()).as("the device fails").isNotZero();
        device.heal();
        try (OpenFile reader = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
            assertThat(outcome(reader::sync)).isEqualTo(FsError.NO_SPACE);
        }
        assertThat(fs.writeVerifier()).isNotEqualTo(before);
        long after = fs.writeVerifier();
        try (OpenFile open = openToWrite(file)) {
            open.write(block(1), 0, Stability.UNSTABLE);
            open.sync();
        }
        assertThat(fs.writeVerifier()).as("told once").isEqualTo(after);
    }

    @Test
    void manyWritersOfOneFile_deviceFailsAndHeals_keepWhatWasAcknowledged() throws Exception {
        failAndHealUnder(1);
    }

    @Test
    void manyWritersOfManyFiles_deviceFailsAndHeals_keepWhatWasAcknowledged() throws Exception {
        failAndHealUnder(WRITERS);
    }

    /** Each writer behaves as an NFS client does, and writes blocks that no other does. */
    private void failAndHealUnder(int files) throws Exception {
        List<FileHandle> handles = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            handles.add(create("f" + i));
        }
        Map<Integer, Boolean> acknowledged = new ConcurrentHashMap<>();
        ConcurrentLinkedQueue<FsError> failures = new ConcurrentLinkedQueue<>();
        AtomicInteger done = new AtomicInteger();
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                Callable<Void> client = () -> {
                    write(handles.get(number % files), number, acknowledged, failures, done);
                    return null;
                };
                running.add(writers.submit(client));
            }
            awaitDone(done, WRITERS * WRITES / 6);
            device.fail();
            failing.countDown();
            awaitDone(done, WRITERS * HEALS_AT);
            device.heal();
            healed.countDown();
            for (Future<?> writer : running) {
                writer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            }
        }
        assertThat(failures).as("the device failed").isNotEmpty().doesNotContain(FsError.TRY_LATER);
        assertThat(acknowledged).isNotEmpty();
        remount();
        for (int block : acknowledged.keySet()) {
            FileHandle file = fs.lookup(Caller.ROOT, fs.root(), FileName.of("f" + block / WRITES % files))
                    .handle();
            ByteBuffer read = ByteBuffer.allocate(BLOCK_BYTES);
            try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
                open.read(read, (long) block * BLOCK_BYTES);
            }
            assertThat(read.array())
                    .as("block %s, acknowledged as stable", block)
                    .isEqualTo(block(block).array());
        }
    }

    private void write(
            FileHandle file,
            int writer,
            Map<Integer, Boolean> acknowledged,
            ConcurrentLinkedQueue<FsError> failures,
            AtomicInteger done)
            throws Exception {
        Map<Integer, Long> uncommitted = new HashMap<>();
        for (int i = 0; i < WRITES; i++) {
            if (i == FAILS_AT || i == HEALS_AT) {
                CountDownLatch next = i == FAILS_AT ? failing : healed;
                assertThat(next.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            }
            int block = writer * WRITES + i;
            boolean stable = i % 3 == 0;
            try (OpenFile open = openToWrite(file)) {
                long verifier = fs.writeVerifier();
                open.write(block(block), (long) block * BLOCK_BYTES, stable ? Stability.FILE_SYNC : Stability.UNSTABLE);
                if (stable) {
                    acknowledged.put(block, true);
                } else {
                    uncommitted.put(block, verifier);
                }
                if (i % 7 == 6) {
                    open.sync();
                    long now = fs.writeVerifier();
                    uncommitted.forEach((unstable, then) -> {
                        if (then == now) {
                            acknowledged.put(unstable, true);
                        }
                    });
                    uncommitted.clear();
                }
            } catch (FsException e) {
                failures.add(e.error());
            }
            done.incrementAndGet();
        }
    }

    private static void awaitDone(AtomicInteger done, int wanted) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (done.get() < wanted) {
            assertThat(System.nanoTime() - deadline).as("writers stand still").isNegative();
            Thread.sleep(1);
        }
    }

    @Test
    void fileSystemFull_writes_saySoAndLoseNothing() throws Exception {
        FileHandle small = create("small");
        FileHandle large = create("large");
        long verifier = fs.writeVerifier();
        FsError error = null;
        try (OpenFile kept = openToWrite(small);
                OpenFile open = openToWrite(large)) {
            kept.write(block(1), 0, Stability.UNSTABLE);
            ByteBuffer chunk = ByteBuffer.allocate(1 << 20);
            for (int i = 0; i < 100 && error == null; i++) {
                int at = i;
                error = outcome(() -> open.write(chunk.clear(), (long) at << 20, Stability.UNSTABLE));
            }
            assertThat(error).isEqualTo(FsError.NO_SPACE);
            assertThat(outcome(() -> open.allocate(0, 1 << 30))).isEqualTo(FsError.NO_SPACE);
            kept.sync();
        }
        assertThat(fs.writeVerifier()).as("nothing was lost").isEqualTo(verifier);
    }

    @Test
    void fileSystemReadOnly_changes_saySoAndLoseNothing() throws Exception {
        FileHandle file = create("f");
        try (OpenFile open = openToWrite(file)) {
            open.write(block(1), 0, Stability.FILE_SYNC);
        }
        // No descriptor that could write may be left.
        fs.close();
        device.remountReadOnly();
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
        long verifier = fs.writeVerifier();
        assertThat(outcome(() -> create("g"))).isEqualTo(FsError.READ_ONLY);
        assertThat(outcome(() -> fs.remove(Caller.ROOT, fs.root(), FileName.of("f"))))
                .isEqualTo(FsError.READ_ONLY);
        assertThat(outcome(() -> openToWrite(file))).isEqualTo(FsError.READ_ONLY);
        assertThat(outcome(() -> fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(0600))))
                .isEqualTo(FsError.READ_ONLY);
        assertThat(fs.writeVerifier()).isEqualTo(verifier);
    }

    @Test
    void fileSystemUnmountedLazily_acknowledgedWrites_areThereWhenItIsBack() throws Exception {
        FileHandle file = create("f");
        device.unmountLazily();
        try (OpenFile open = openToWrite(file)) {
            open.write(block(7), 0, Stability.FILE_SYNC);
        }
        FileHandle made = create("made");
        assertThat(fs.attributes(made).sizeBytes()).isZero();
        fs.close();
        device.mountAgain();
        fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS);
        ByteBuffer read = ByteBuffer.allocate(BLOCK_BYTES);
        FileHandle again = fs.lookup(Caller.ROOT, fs.root(), FileName.of("f")).handle();
        try (OpenFile open = fs.open(Caller.ROOT, again, OpenAccess.READ)) {
            open.read(read, 0);
        }
        assertThat(read.array()).isEqualTo(block(7).array());
        fs.lookup(Caller.ROOT, fs.root(), FileName.of("made"));
    }

    private interface Action {
        void run() throws FsException;
    }
}
