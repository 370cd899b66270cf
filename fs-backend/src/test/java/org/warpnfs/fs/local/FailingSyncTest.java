package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.local.ShortCalls.outcomeOf;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.ShortCalls.Call;
import org.warpnfs.fs.local.libc.Errno;
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

/** Answers of {@link LocalFileSystem} when syncs fail at moments that a test chooses. */
class FailingSyncTest extends LocalFixture {
    private static final long LIMIT_SECONDS = 60;

    private final FailingSyncs calls = new FailingSyncs();

    @BeforeEach
    void start() throws Exception {
        open(LocalOptions.DEFAULTS);
    }

    private void open(LocalOptions options) throws Exception {
        Path tree = base.resolve("tree");
        if (!Files.exists(tree)) {
            Files.createDirectory(tree);
        }
        fs = LocalFileSystem.open(tree, options, calls);
    }

    @AfterEach
    void letSyncsSucceed() {
        calls.heal();
        calls.letGo();
    }

    private static void write(OpenFile file, long offset, Stability stability) throws FsException {
        file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), offset, stability);
    }

    private static FutureTask<FsError> start(Callable<FsError> call) {
        FutureTask<FsError> task = new FutureTask<>(call);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    @Test
    void stableWrite_whileACommitTakesTheError_isNotAcknowledged() throws Exception {
        FileHandle file = create("f");
        try (OpenFile committer = openToWrite(file);
                OpenFile writer = openToWrite(file)) {
            write(committer, 0, Stability.UNSTABLE);
            long before = fs.writeVerifier();
            calls.hold();
            calls.fail(Errno.EIO);
            FutureTask<FsError> commit = start(() -> outcomeOf(committer::sync));
            calls.awaitBegin();
            // The commit has consumed the kernel's one error: the next call on the descriptor returns 0.
            calls.heal();
            FutureTask<FsError> stable = start(() -> outcomeOf(() -> write(writer, 4096, Stability.FILE_SYNC)));
            awaitSize(file, 4096 + 3);
            calls.letGo();
            assertThat(commit.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(FsError.IO);
            assertThat(stable.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(FsError.IO);
            assertThat(fs.writeVerifier()).isNotEqualTo(before);
        }
    }

    private void awaitSize(FileHandle file, long sizeBytes) throws FsException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (fs.attributes(file).sizeBytes() < sizeBytes) {
            assertThat(System.nanoTime() - deadline).as("never written").isNegative();
            Thread.onSpinWait();
        }
    }

    @Test
    void stableWrite_whileAnotherFileFails_isAcknowledged() throws Exception {
        FileHandle one = create("one");
        FileHandle other = create("other");
        try (OpenFile failing = openToWrite(one);
                OpenFile fine = openToWrite(other)) {
            write(failing, 0, Stability.UNSTABLE);
            calls.fail(Errno.EIO);
            assertFails(FsError.IO, failing::sync);
            calls.heal();
            write(fine, 0, Stability.FILE_SYNC);
            long after = fs.writeVerifier();
            write(failing, 0, Stability.FILE_SYNC);
            assertThat(fs.writeVerifier()).isEqualTo(after);
        }
    }

    @Test
    void commit_throughAReader_syncsTheWriter() throws Exception {
        FileHandle file = create("f");
        try (OpenFile reader = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
            writeUnstable(file);
            calls.fail(Errno.EIO);
            assertFails(FsError.IO, reader::sync);
        }
    }

    @Test
    void evictedDescriptor_ofUnsyncedWrites_isSyncedFirstAndItsFailureMovesTheVerifier() throws Exception {
        fs.close();
        open(LocalOptions.DEFAULTS.withMaxIdleFiles(1));
        FileHandle one = create("one");
        FileHandle two = create("two");
        FileHandle three = create("three");
        writeUnstable(one);
        calls.forget();
        writeUnstable(two);

        assertThat(calls.count()).as("the first is synced, the second stays").isEqualTo(1);

        long before = fs.writeVerifier();
        calls.fail(Errno.EIO);
        writeUnstable(three);
        assertThat(fs.writeVerifier()).isNotEqualTo(before);
    }

    @Test
    void evictedDescriptor_withoutUnsyncedWrites_goesBeforeThoseThatHaveThem() throws Exception {
        fs.close();
        open(LocalOptions.DEFAULTS.withMaxIdleFiles(2));
        FileHandle dirty = create("dirty");
        FileHandle clean = create("clean");
        writeUnstable(dirty);
        calls.forget();
        for (int i = 0; i < 5; i++) {
            fs.open(Caller.ROOT, clean, OpenAccess.READ).close();
            FileHandle next = create("next" + i);
            calls.forget();
            fs.open(Caller.ROOT, next, OpenAccess.READ).close();
            assertThat(calls.count()).isEqualTo(0);
        }
        try (OpenFile open = fs.open(Caller.ROOT, dirty, OpenAccess.READ)) {
            open.sync();
        }

        assertThat(calls.count()).as("its writes were not synced until now").isEqualTo(1);
    }

    private void writeUnstable(FileHandle file) throws FsException {
        try (OpenFile open = openToWrite(file)) {
            write(open, 0, Stability.UNSTABLE);
        }
    }

    @Test
    void allocateDeallocateAndLength_answered_areStable() throws Exception {
        FileHandle file = create("f");
        try (OpenFile open = openToWrite(file)) {
            open.write(ByteBuffer.allocate(65_536), 0, Stability.FILE_SYNC);
            List<Call> changes = List.of(
                    () -> open.allocate(0, 131_072),
                    () -> open.deallocate(4096, 8192),
                    () -> fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofSize(5000)),
                    () -> fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofSize(0)),
                    () -> fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(0600)));
            for (Call change : changes) {
                calls.forget();
                change.run();
                assertThat(calls.count()).isPositive();
                calls.fail(Errno.EIO);
                assertFails(FsError.IO, change::run);
                calls.heal();
            }
        }
    }

    /** The call that made the file has failed or died before its sync, and the client sends it again. */
    @Test
    void exclusiveCreate_repeatedAfterASyncThatFailed_isAnsweredWhenItIsStable() throws Exception {
        assertIsAnsweredWhenStable(new CreateMode.Exclusive(7, AttributeChanges.ofPermissions(0644)));
    }

    /** The call that made the file has failed, was killed before its sync or still runs. */
    @Test
    void uncheckedCreate_ofAFileWhoseSyncFailed_isAnsweredWhenItIsStable() throws Exception {
        assertIsAnsweredWhenStable(new CreateMode.Unchecked(AttributeChanges.ofPermissions(0644)));
    }

    private void assertIsAnsweredWhenStable(CreateMode mode) throws Exception {
        FileName name = FileName.of("f");
        calls.fail(Errno.EIO);
        assertFails(FsError.IO, () -> fs.create(Caller.ROOT, fs.root(), name, mode));
        assertThat(Files.exists(base.resolve("tree/f"))).isTrue();

        assertFails(FsError.IO, () -> fs.create(Caller.ROOT, fs.root(), name, mode));
        calls.heal();
        calls.forget();
        assertThat(fs.create(Caller.ROOT, fs.root(), name, mode).isNew()).isFalse();

        assertThat(calls.count()).isPositive();
    }

    @Test
    void failingSync_ofAnyErrno_isNeverTryLater() throws Exception {
        FileHandle file = create("f");
        fs.makeDirectory(Caller.ROOT, fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0755));
        int number = 0;
        for (int errno : new int[] {Errno.EIO, Errno.ENOMEM, Errno.EAGAIN, Errno.EMFILE, Errno.ENFILE, Errno.EROFS}) {
            FileName created = FileName.of("created" + number);
            FileName next = FileName.of("next" + number);
            FileName name = FileName.of("n" + number++);
            try (OpenFile open = openToWrite(file)) {
                List<Call> changes = List.of(
                        () -> write(open, 0, Stability.DATA_SYNC),
                        open::sync,
                        () -> fs.create(
                                Caller.ROOT,
                                fs.root(),
                                created,
                                new CreateMode.Guarded(AttributeChanges.ofPermissions(0644))),
                        () -> fs.rename(Caller.ROOT, fs.root(), created, fs.root(), next),
                        () -> fs.link(Caller.ROOT, file, fs.root(), name),
                        () -> fs.remove(Caller.ROOT, fs.root(), name),
                        () -> fs.makeDirectory(Caller.ROOT, fs.root(), name, AttributeChanges.ofPermissions(0755)),
                        () -> fs.removeDirectory(Caller.ROOT, fs.root(), name),
                        () -> fs.makeSymlink(Caller.ROOT, fs.root(), name, new byte[] {'x'}, AttributeChanges.NONE),
                        () -> fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(0600)));
                for (Call change : changes) {
                    long before = fs.writeVerifier();
                    calls.fail(errno);
                    assertFails(FsError.IO, change::run);
                    calls.heal();
                    assertThat(fs.writeVerifier()).isNotEqualTo(before);
                }
            }
        }
    }
}
