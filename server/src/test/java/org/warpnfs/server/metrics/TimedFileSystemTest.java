package org.warpnfs.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.lanes.CallThread;

/** A file system with measured times behaves like the backend behind it. */
class TimedFileSystemTest {
    private final AtomicLong clock = new AtomicLong();
    private final BackendTimes times = new BackendTimes(() -> clock.addAndGet(1_000_000));
    private final FileSystem bare = new MemoryFileSystem(1 << 20, 1024);
    private final FileSystem files = TimedFileSystem.of(bare, times);

    @AfterEach
    void close() {
        files.close();
    }

    private FileHandle create(String name) throws FsException {
        return files.create(
                        Caller.ROOT,
                        files.root(),
                        FileName.of(name),
                        new CreateMode.Unchecked(AttributeChanges.ofPermissions(0600)))
                .node()
                .handle();
    }

    @Test
    void copy_betweenTwoFiles_reachesTheBackendsOwn() throws FsException {
        try (OpenFile from = files.open(Caller.ROOT, create("a"), OpenAccess.READ_WRITE);
                OpenFile to = files.open(Caller.ROOT, create("b"), OpenAccess.READ_WRITE)) {
            from.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0, Stability.FILE_SYNC);
            assertThat(from.copyTo(0, to, 0, 3)).isEqualTo(3);
            assertThat(to.attributes().sizeBytes()).isEqualTo(3);
            to.sync();
        }
        assertThat(times.count(BackendTimes.Call.CREATE)).isEqualTo(2);
        assertThat(times.count(BackendTimes.Call.COPY)).isEqualTo(1);
        assertThat(times.count(BackendTimes.Call.SYNC)).isEqualTo(1);
        assertThat(times.count(BackendTimes.Call.WRITE_STABLE)).isEqualTo(1);
    }

    /** A method with a default would be forgotten in silence. */
    @Test
    void methods_ofTheSpi_areAllPassedOn() {
        for (Class<?> type : List.of(FileSystem.class, OpenFile.class, OwnerLocks.class)) {
            Class<?> wrapper =
                    switch (type.getSimpleName()) {
                        case "FileSystem" -> TimedFileSystem.class;
                        case "OpenFile" -> TimedOpenFile.class;
                        default -> TimedLocks.class;
                    };
            for (Method method : type.getMethods()) {
                assertThatNoException()
                        .as(method.toString())
                        .isThrownBy(() -> wrapper.getDeclaredMethod(method.getName(), method.getParameterTypes()));
            }
        }
    }

    @Test
    void calls_thatFail_areMeasuredAndFailAsBefore() {
        assertThatThrownBy(() -> files.remove(Caller.ROOT, files.root(), FileName.of("none")))
                .isInstanceOf(FsException.class);
        assertThat(times.count(BackendTimes.Call.REMOVE)).isEqualTo(1);
    }

    /** The time of a measured call is exact. The time of other calls is counted in the steps of a coarse clock. */
    @Test
    void longCalls_areToldToTheCallThatTheyAreMadeFor() throws Exception {
        List<Long> spent = new ArrayList<>();
        try (CoarseClock clock = CoarseClock.beside(Duration.ofMillis(200))) {
            times.tellCalls(clock);
            CallThread thread = new CallThread(
                    () -> {
                        times.ended(BackendTimes.Call.SYNC, times.begin(BackendTimes.Call.SYNC));
                        spent.add(CallOnThread.spentNanos());
                        long began = times.begin(BackendTimes.Call.ATTRIBUTES);
                        while (began > Long.MIN_VALUE / 2) {
                            began = times.begin(BackendTimes.Call.ATTRIBUTES);
                        }
                        long step = clock.steps();
                        while (clock.steps() < step + 3) {
                            Thread.onSpinWait();
                        }
                        times.ended(BackendTimes.Call.ATTRIBUTES, began);
                        spent.add(CallOnThread.spentNanos());
                    },
                    "of a call");
            thread.start();
            thread.join();
            assertThat(spent.getFirst()).isEqualTo(1_000_000);
            assertThat(spent.getLast() - spent.getFirst())
                    .isGreaterThanOrEqualTo(Duration.ofMillis(30).toNanos());
        }
        assertThat(CallOnThread.spentNanos()).as("no thread of calls").isZero();
    }

    /** One call in sixteen is measured and counts for sixteen, so a large number of calls is counted about right. */
    @Test
    void shortCalls_areSampled_andCountAsOften() throws FsException {
        int calls = 100_000;
        for (int i = 0; i < calls; i++) {
            assertThat(files.attributes(files.root())).isNotNull();
        }
        long counted = times.count(BackendTimes.Call.ATTRIBUTES);
        assertThat(counted % BackendTimes.SAMPLE).isZero();
        assertThat(counted).isBetween(calls * 8L / 10, calls * 12L / 10);
        assertThat(clock.get() / 1_000_000).as("readings of the clock").isLessThan(calls / 4);
    }

    /** Each method is passed on to the backend. No default method of the interface may answer instead. */
    @Test
    void everyMethod_goesToTheBackend() {
        assertThat(Arrays.stream(FileSystem.class.getMethods()).map(Method::getName))
                .allSatisfy(name -> assertThat(Arrays.stream(TimedFileSystem.class.getDeclaredMethods())
                                .map(Method::getName))
                        .contains(name));
        assertThat(files.identity(files.root())).isEqualTo(bare.identity(bare.root()));
        assertThat(files.actsAsCaller()).isEqualTo(bare.actsAsCaller());
        assertThat(files.writeVerifier()).isEqualTo(bare.writeVerifier());
    }
}
