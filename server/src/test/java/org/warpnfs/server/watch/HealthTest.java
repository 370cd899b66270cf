package org.warpnfs.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.PseudoPath;

class HealthTest {
    private final AtomicLong nowNanos = new AtomicLong();

    private static Export export(String path, FileSystem files) {
        return Export.of(PseudoPath.of(path), files, ExportOptions.DEFAULTS, "test");
    }

    private BackendCheck check(Duration patience, Export... exports) {
        return new BackendCheck(() -> List.of(exports), patience, nowNanos::get);
    }

    @Test
    void backends_thatCanBeRead_areGood() {
        Export memory = export("/a", new MemoryFileSystem(1 << 20, 100));
        assertThat(check(Duration.ofMinutes(1), memory).look().good()).isTrue();
    }

    @Test
    void backend_directoryRemoved_isBadAndNamed(@TempDir Path temporary) throws Exception {
        Path directory = Files.createDirectory(temporary.resolve("files"));
        try (FileSystem files = LocalFileSystem.open(
                directory,
                LocalOptions.DEFAULTS.withStateDirectory(Files.createDirectory(temporary.resolve("state"))))) {
            BackendCheck check = check(Duration.ofMinutes(1), export("/gone", files));
            assertThat(check.look().good()).isTrue();
            Files.delete(directory);
            assertThat(check.look())
                    .matches(verdict -> !verdict.good() && verdict.reason().contains("/gone"));
        }
    }

    @Test
    void backend_directoryRenamedAndBack_isBadMeanwhile(@TempDir Path temporary) throws Exception {
        Path directory = Files.createDirectory(temporary.resolve("files"));
        try (FileSystem files = LocalFileSystem.open(
                directory,
                LocalOptions.DEFAULTS.withStateDirectory(Files.createDirectory(temporary.resolve("state"))))) {
            BackendCheck check = check(Duration.ofMinutes(1), export("/moved", files));

            Files.move(directory, temporary.resolve("elsewhere"));
            assertThat(check.look().reason()).contains("/moved").contains("no directory is at " + directory);
            assertThat(check.failed()).isEqualTo(1);
            Files.createDirectory(directory);
            assertThat(check.look().reason()).contains("another directory is at " + directory);
            Files.delete(directory);
            Files.move(temporary.resolve("elsewhere"), directory);

            assertThat(check.look().good()).isTrue();
            assertThat(check.failed()).isZero();
        }
    }

    /** A backend whose attributes can be had once {@code free} is counted down. */
    private static FileSystem hanging(CountDownLatch begun, CountDownLatch free, AtomicInteger asked) {
        FileSystem memory = new MemoryFileSystem(1 << 20, 100);
        return (FileSystem) Proxy.newProxyInstance(
                HealthTest.class.getClassLoader(), new Class<?>[] {FileSystem.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("attributes")) {
                        asked.incrementAndGet();
                        begun.countDown();
                        free.await();
                    }
                    try {
                        return method.invoke(memory, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void backend_standsStill_isBadAndAskedOnceUntilItComesBack() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        FileSystem still = hanging(begun, free, asked);
        BackendCheck check = check(Duration.ofMillis(1), export("/still", still));
        assertThat(check.look().good()).isFalse();
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        nowNanos.set(TimeUnit.SECONDS.toNanos(7));
        check.lookLater();
        assertThat(check.failed()).isEqualTo(1);
        assertThat(check.look().reason()).isEqualTo("the backend of export /still has not answered for 7 s");
        assertThat(asked).hasValue(1);
        free.countDown();
        Verdict verdict = check.look();
        while (!verdict.good()) {
            verdict = check.look();
        }
        assertThat(check.failed()).isZero();
    }

    @Test
    void backend_standsStill_withdrawn_theOthersAreLookedAt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        Export still = export("/still", hanging(begun, free, new AtomicInteger()));
        Export well = export("/well", new MemoryFileSystem(1 << 20, 100));
        AtomicReference<List<Export>> served = new AtomicReference<>(List.of(still, well));
        BackendCheck check = new BackendCheck(served::get, Duration.ofMinutes(1), nowNanos::get);
        check.lookLater();
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

        served.set(List.of(well));

        assertThat(check.look().good()).isTrue();
        free.countDown();
        assertThat(check.look().good()).isTrue();
    }

    @Test
    void thread_cannotBeMade_isBad_andLookedAtAnewNextTime() {
        AtomicInteger refusals = new AtomicInteger(2);
        Export memory = export("/a", new MemoryFileSystem(1 << 20, 100));
        BackendCheck check = new BackendCheck(() -> List.of(memory), Duration.ofMinutes(1), nowNanos::get, look -> {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return Thread.ofPlatform().daemon().unstarted(look);
        });

        check.lookLater();
        assertThat(check.look().reason()).contains("unable to create native thread");
        assertThat(check.look().good()).isTrue();
    }

    @Test
    void backend_throws_isNamed_andHidesNoOther() {
        FileSystem broken = (FileSystem) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {FileSystem.class}, (proxy, method, arguments) -> {
                    throw new IllegalStateException("test");
                });
        BackendCheck check = check(Duration.ofMinutes(1), export("/broken", broken), export("/also", broken));

        assertThat(check.look().reason()).contains("/broken").contains("/also").contains("defect");
        assertThat(check.failed()).isEqualTo(2);
    }

    @Test
    void loop_thatIsBusy_lagsForAsLongAsItsTaskWaits() {
        Deque<Runnable> tasks = new ArrayDeque<>();
        List<Executor> loops = new ArrayList<>(List.of(tasks::add, Runnable::run));
        LoopLag lag = new LoopLag(loops, nowNanos::get);
        assertThat(lag.worstNanos()).isZero();
        lag.look();
        nowNanos.set(500);
        lag.look();
        assertThat(tasks).hasSize(1);
        assertThat(lag.worstNanos()).isEqualTo(500);
        nowNanos.set(700);
        tasks.remove().run();
        nowNanos.set(5000);
        assertThat(lag.worstNanos()).isEqualTo(700);
        lag.look();
        tasks.remove().run();
        assertThat(lag.worstNanos()).isZero();
    }
}
