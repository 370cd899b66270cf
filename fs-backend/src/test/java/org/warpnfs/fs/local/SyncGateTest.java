package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.SyncGate.Descriptor;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;

class SyncGateTest {
    private static final long LIMIT_SECONDS = 60;

    /** Each call signals that it began, and waits for a permit to end. */
    private final Semaphore began = new Semaphore(0);

    private final Semaphore mayEnd = new Semaphore(0);
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final AtomicInteger announced = new AtomicInteger();
    private volatile int errno;
    private Fd fd;
    private Fd other;
    private final SyncCounts counts = new SyncCounts();
    private final AtomicInteger waitsBegun = new AtomicInteger();
    private final AtomicInteger waitsEnded = new AtomicInteger();
    private final SyncWaits waits = new SyncWaits() {
        @Override
        public boolean begin() {
            waitsBegun.incrementAndGet();
            return true;
        }

        @Override
        public void end(boolean begun) {
            if (begun) {
                waitsEnded.incrementAndGet();
            }
        }
    };
    private SyncGate gate;

    @BeforeEach
    void open() throws Exception {
        fd = OpenCalls.open("/dev/null".getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDWR);
        other = OpenCalls.open("/dev/null".getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDONLY);
        gate = new SyncGate(SyncGate.Scope.FILE_SYSTEM, this::call, code -> announced.incrementAndGet(), waits, counts);
    }

    @AfterEach
    void close() {
        fd.close();
        other.close();
    }

    private void call(Fd used, boolean withAttributes) throws ErrnoException {
        int code = errno;
        calls.add((used == fd ? "tracked" : "fresh") + (withAttributes ? " fsync" : " fdatasync"));
        began.release();
        mayEnd.acquireUninterruptibly();
        if (code != 0) {
            throw ErrnoException.of(code);
        }
    }

    private static FutureTask<Integer> start(Callable<Integer> call, List<Thread> threads) {
        FutureTask<Integer> task = new FutureTask<>(call);
        Thread thread = Thread.ofPlatform().daemon().start(task);
        threads.add(thread);
        return task;
    }

    /** Errno of a sync, or 0. */
    private int sync(Descriptor kind, boolean withAttributes) {
        try {
            gate.sync(kind == Descriptor.TRACKED ? fd : other, kind, withAttributes);
            return 0;
        } catch (ErrnoException e) {
            return e.errno();
        }
    }

    private void awaitBegin() throws InterruptedException {
        assertThat(began.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private static void awaitWaiting(List<Thread> threads) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING)) {
            assertThat(System.nanoTime() - deadline).as("they never waited").isNegative();
            Thread.onSpinWait();
        }
    }

    private static int result(FutureTask<Integer> task) throws Exception {
        return task.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** As one that finds no memory to log a line. */
    @Test
    void announcement_thatFails_leavesNobodyWaiting_andTheFailureIsCounted() throws Exception {
        gate = new SyncGate(
                SyncGate.Scope.FILE,
                this::call,
                code -> {
                    throw new IllegalStateException("no memory");
                },
                waits,
                counts);
        List<Thread> threads = new ArrayList<>();
        errno = Errno.EIO;
        FutureTask<Integer> leader = start(() -> sync(Descriptor.TRACKED, true), threads);
        awaitBegin();
        errno = 0;
        FutureTask<Integer> next = start(() -> sync(Descriptor.TRACKED, true), threads);
        awaitWaiting(threads);
        mayEnd.release(2);

        assertThatThrownBy(() -> result(leader)).hasRootCauseInstanceOf(IllegalStateException.class);
        assertThat(result(next)).isZero();
        assertThat(gate.failures()).isEqualTo(1);
        assertThatThrownBy(() -> gate.lost(Errno.EIO)).isInstanceOf(IllegalStateException.class);
        assertThat(gate.failures()).isEqualTo(2);
    }

    @Test
    void waiters_whileASyncRuns_shareTheNext() throws Exception {
        List<Thread> threads = new ArrayList<>();
        FutureTask<Integer> first = start(() -> sync(Descriptor.TRACKED, false), threads);
        awaitBegin();
        List<FutureTask<Integer>> waiters = new ArrayList<>();
        waiters.add(start(() -> sync(Descriptor.FRESH, false), threads));
        for (int i = 0; i < 20; i++) {
            waiters.add(start(() -> sync(Descriptor.TRACKED, false), threads));
        }
        waiters.add(start(() -> sync(Descriptor.FRESH, true), threads));
        awaitWaiting(threads);

        assertThat(calls).containsExactly("tracked fdatasync");

        mayEnd.release(2);
        assertThat(result(first)).isZero();

        for (FutureTask<Integer> waiter : waiters) {
            assertThat(result(waiter)).isZero();
        }
        // The best descriptor of the threads that share, and attributes if any of them needs them.
        assertThat(calls).containsExactly("tracked fdatasync", "tracked fsync");
        assertThat(List.of(counts.calls(), counts.served(), counts.failures())).containsExactly(2L, 23L, 0L);
    }

    @Test
    void change_thatEndedDuringASync_isCoveredByTheNextAlone() throws Exception {
        List<Thread> threads = new ArrayList<>();
        gate.changed();
        FutureTask<Integer> first = start(() -> sync(Descriptor.TRACKED, false), threads);
        awaitBegin();
        gate.changed();
        mayEnd.release(1);

        assertThat(result(first)).isZero();
        assertThat(gate.isDirty()).isTrue();

        mayEnd.release(1);
        assertThat(sync(Descriptor.TRACKED, false)).isZero();
        assertThat(gate.isDirty()).isFalse();
    }

    @Test
    void freshDescriptor_synced_leavesTheFileDirty() {
        gate.changed();
        mayEnd.release(1);

        assertThat(sync(Descriptor.FRESH, true)).isZero();
        assertThat(gate.isDirty()).isTrue();
    }

    @Test
    void failedSync_ofManyWaiters_isAnnouncedOnceBeforeAnyHears() throws Exception {
        List<Thread> threads = new ArrayList<>();
        FutureTask<Integer> first = start(() -> sync(Descriptor.TRACKED, false), threads);
        awaitBegin();
        errno = Errno.ENOSPC;
        gate.changed();
        List<FutureTask<Integer>> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiters.add(start(
                    () -> {
                        int heard = sync(Descriptor.TRACKED, true);
                        return heard == 0 ? 0 : heard + 1000 * announced.get();
                    },
                    threads));
        }
        awaitWaiting(threads);
        mayEnd.release(1);

        assertThat(result(first)).isZero();

        awaitBegin();
        assertThat(announced).hasValue(0);
        assertThat(gate.failures()).isZero();

        mayEnd.release(1);
        for (FutureTask<Integer> waiter : waiters) {
            assertThat(result(waiter)).isEqualTo(1000 + Errno.ENOSPC);
        }
        assertThat(calls).hasSize(2);
        assertThat(gate.failures()).isEqualTo(1);
        // The loss has been announced, so nothing is left to sync.
        assertThat(gate.isDirty()).isFalse();
    }

    @Test
    void stableChange_whileAnotherTakesTheError_fails() throws Exception {
        List<Thread> threads = new ArrayList<>();
        errno = Errno.EIO;
        FutureTask<Integer> takesTheError = start(() -> sync(Descriptor.TRACKED, true), threads);
        awaitBegin();
        long failures = gate.failures();
        gate.changed();
        errno = 0;
        mayEnd.release(2);

        assertThat(result(takesTheError)).isEqualTo(Errno.EIO);
        assertThatThrownBy(() -> Durability.syncSince(failures, gate, fd, Descriptor.TRACKED, false))
                .hasMessageStartingWith("IO");

        mayEnd.release(1);
        Durability.syncSince(gate.failures(), gate, fd, Descriptor.TRACKED, false);
        assertThat(announced).hasValue(1);
    }

    /** The thread that makes the call for all names waits as much as those that share it. */
    @Test
    void waits_ofEachThread_areToldFromBeforeTheSyncToItsEnd() throws Exception {
        List<Thread> threads = new ArrayList<>();
        FutureTask<Integer> first = start(() -> sync(Descriptor.TRACKED, false), threads);
        awaitBegin();
        FutureTask<Integer> second = start(() -> sync(Descriptor.TRACKED, false), threads);
        awaitWaiting(threads);
        assertThat(waitsBegun).hasValue(2);
        assertThat(waitsEnded).hasValue(0);

        errno = Errno.EIO;
        mayEnd.release(2);
        assertThat(result(first)).isZero();
        assertThat(result(second)).isEqualTo(Errno.EIO);
        assertThat(waitsEnded).as("also after a failure").hasValue(2);
    }

    /** A thread that calls the kernel for one file is no cheaper for others: syncs of many files run side by side. */
    @Test
    void waitsForOneFile_areToldOfThreadsThatAnotherServes_andNotOfThoseThatSync() throws Exception {
        SyncGates gates = new SyncGates(this::call, code -> announced.incrementAndGet(), waits);
        try (SyncGates.Hold file = gates.hold(AttributeReader.statx(fd))) {
            gate = file.gate();
            List<Thread> threads = new ArrayList<>();
            List<FutureTask<Integer>> syncs = new ArrayList<>();
            syncs.add(start(() -> sync(Descriptor.TRACKED, false), threads));
            awaitBegin();
            syncs.add(start(() -> sync(Descriptor.TRACKED, false), threads));
            awaitWaiting(threads);
            assertThat(waitsBegun).as("one syncs, one is about to").hasValue(0);

            syncs.add(start(() -> sync(Descriptor.TRACKED, false), threads));
            syncs.add(start(() -> sync(Descriptor.TRACKED, false), threads));
            awaitWaiting(threads);
            assertThat(waitsBegun).hasValue(2);
            assertThat(waitsEnded).hasValue(0);

            mayEnd.release(2);
            for (FutureTask<Integer> each : syncs) {
                assertThat(result(each)).isZero();
            }
            assertThat(calls).hasSize(2);
            assertThat(waitsEnded).hasValue(2);
        }
    }

    /** The round may use the descriptor of a member, which closes it as soon as it returns. */
    @Test
    void waitThatCannotBegin_threadStaysUntilTheRoundHasEnded() throws Exception {
        SyncWaits failing = new SyncWaits() {
            @Override
            public boolean begin() {
                throw new IllegalStateException("as if memory were short");
            }

            @Override
            public void end(boolean begun) {
                assertThat(begun).isFalse();
            }
        };
        SyncGates gates = new SyncGates(this::call, code -> announced.incrementAndGet(), failing);
        try (SyncGates.Hold file = gates.hold(AttributeReader.statx(fd))) {
            gate = file.gate();
            List<Thread> threads = new ArrayList<>();
            FutureTask<Integer> first = start(() -> sync(Descriptor.FRESH, false), threads);
            awaitBegin();
            FutureTask<Integer> leader = start(() -> sync(Descriptor.FRESH, false), threads);
            awaitWaiting(threads);
            FutureTask<Integer> member = start(() -> sync(Descriptor.TRACKED, false), threads);
            awaitWaiting(threads);
            mayEnd.release(1);
            assertThat(result(first)).isZero();

            awaitBegin();
            assertThat(calls).containsExactly("fresh fdatasync", "tracked fdatasync");
            assertThat(member.isDone()).isFalse();
            mayEnd.release(1);
            assertThat(result(leader)).isZero();
            assertThatThrownBy(() -> result(member)).hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void gates_ofOneInode_areOneUntilNobodyHoldsThem() throws Exception {
        SyncGates gates = new SyncGates(this::call, code -> {}, SyncWaits.UNCOUNTED);
        try (SyncGates.Hold first = gates.hold(AttributeReader.statx(fd));
                SyncGates.Hold second = gates.hold(AttributeReader.statx(other))) {
            assertThat(first.gate()).isSameAs(second.gate());
            assertThat(gates.size()).isOne();
        }

        assertThat(gates.size()).isZero();
    }
}
