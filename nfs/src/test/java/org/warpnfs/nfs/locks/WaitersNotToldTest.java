package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.locks.NamedLocks.ANN;
import static org.warpnfs.nfs.locks.NamedLocks.owner;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;

/** Owners that are not told of their turn and ask again and again, as those of NFSv4.0 do. */
class WaitersNotToldTest {
    private static final LockedFile FILE = LockedFile.here(new FileIdentity("disk", FileHandle.of(new byte[] {1})));
    private static final ByteRange RANGE = new ByteRange(0, 9);

    private long nowNanos;
    private final List<String> told = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::atNanos));
    private final LockService service = new LockService(
            100,
            Runnable::run,
            BackendLocking.off(),
            (millis, task) -> timers.add(new Timer(nowNanos + millis * 1_000_000, task)),
            () -> nowNanos);

    private record Timer(long atNanos, Runnable task) {}

    /** An owner that is told nothing. */
    private static final LockWaiter NOT_TOLD = new LockWaiter() {
        @Override
        public void granted() {
            // There is no way.
        }

        @Override
        public boolean isTold() {
            return false;
        }
    };

    @BeforeEach
    void holderLocksTheRange() throws LocksBusyException {
        assertThat(service.lock(FILE, owner("holder"), true, RANGE).isGranted()).isTrue();
    }

    /** Whoever has gone without a word leaves nothing behind. */
    @AfterEach
    void nothingIsLeft() {
        for (String owner : List.of("holder", "poller", "other", "told", "given")) {
            unlock(owner);
        }
        until(10_000_000);
        for (String owner : List.of("told", "given")) {
            unlock(owner);
        }
        assertThat(service.waiting()).isZero();
        assertThat(service.files()).isZero();
    }

    private void unlock(String owner) {
        int _ = service.unlock(FILE.identity(), owner(owner), RANGE, Runnable::run);
    }

    private LockAttempt.Outcome ask(String owner, ByteRange range) throws LocksBusyException {
        return service.lockInTurn(FILE, owner(owner), true, range, ANN, NOT_TOLD)
                .outcome();
    }

    private LockAttempt.Outcome ask(String owner) throws LocksBusyException {
        return ask(owner, RANGE);
    }

    private void assertDenied(String owner) throws LocksBusyException {
        assertThat(ask(owner)).isEqualTo(LockAttempt.Outcome.DENIED);
    }

    private void assertGranted(String owner) throws LocksBusyException {
        assertThat(ask(owner)).isEqualTo(LockAttempt.Outcome.GRANTED);
    }

    /** Waits for the lock and is given it, as by NLM. */
    private LockAttempt.Outcome waitFor(ByteRange range) throws LocksBusyException {
        return service.lockOrWait(FILE, owner("given"), true, range, ANN, () -> told.add("given"))
                .outcome();
    }

    private LockAttempt.Outcome askTold() throws LocksBusyException {
        return service.lockInTurn(FILE, owner("told"), true, RANGE, ANN, () -> told.add("told"))
                .outcome();
    }

    /** Lets time pass until so many milliseconds after the start. */
    private void until(long millis) {
        long end = Duration.ofMillis(millis).toNanos();
        while (!timers.isEmpty() && timers.peek().atNanos <= end) {
            Timer next = timers.remove();
            nowNanos = Math.max(nowNanos, next.atNanos);
            next.task.run();
        }
        nowNanos = Math.max(nowNanos, end);
    }

    /** Asks as Linux does: after 1, 2, 4 and 8 seconds, each time from the last. */
    private void asksFor15Seconds() throws LocksBusyException {
        for (int second : new int[] {0, 1, 3, 7, 15}) {
            until(second * 1000L);
            assertDenied("poller");
        }
    }

    @Test
    void rangeIsReleased_poller_isServedBeforeThoseBehind() throws LocksBusyException {
        assertDenied("poller");
        assertThat(waitFor(RANGE)).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(askTold()).isEqualTo(LockAttempt.Outcome.DENIED);
        until(500);
        unlock("holder");

        assertThat(askTold()).as("not its turn").isEqualTo(LockAttempt.Outcome.DENIED);
        until(1000);
        assertThat(told).isEmpty();
        assertGranted("poller");
        until(5000);
        assertThat(told).isEmpty();

        unlock("poller");
        assertThat(told).containsExactly("given");
    }

    @Test
    void pollerIsGone_thoseBehindIt_areServedWhenItIsOverdue() throws LocksBusyException {
        assertDenied("poller");
        assertThat(waitFor(RANGE)).isEqualTo(LockAttempt.Outcome.WAITING);
        unlock("holder");

        until(1990);
        assertThat(told).isEmpty();
        until(2010);

        assertThat(told).containsExactly("given");
        assertThat(service.waiting()).isZero();
    }

    @Test
    void pollerIsGoneWhenTheRangeIsReleased_nobodyWaitsForIt() throws LocksBusyException {
        asksFor15Seconds();
        assertThat(waitFor(RANGE)).isEqualTo(LockAttempt.Outcome.WAITING);
        until(33_000);

        unlock("holder");

        assertThat(told).containsExactly("given");
    }

    @Test
    void pollerIsNotExpectedSoon_othersUseTheRange_andItKeepsItsPlace() throws LocksBusyException {
        asksFor15Seconds();
        assertThat(waitFor(RANGE)).isEqualTo(LockAttempt.Outcome.WAITING);
        until(16_000);
        unlock("holder");
        assertThat(told).as("a lock for those who can have it at once").containsExactly("given");
        unlock("given");
        assertThat(askTold()).isEqualTo(LockAttempt.Outcome.GRANTED);
        unlock("told");
        assertGranted("other");
        until(26_900);
        unlock("other");
        assertGranted("other");
        unlock("other");

        until(27_100);
        assertDenied("other");
        assertThat(askTold()).isEqualTo(LockAttempt.Outcome.DENIED);
        assertThat(waitFor(RANGE)).isEqualTo(LockAttempt.Outcome.WAITING);
        until(31_000);
        assertThat(told).hasSize(1);
        assertGranted("poller");
    }

    /** It asks after 30 s, as long as Linux ever waits, and the range was taken meanwhile. */
    @Test
    void pollerFindsTheRangeTaken_keepsItsPlaceForTheNextTime() throws LocksBusyException {
        asksFor15Seconds();
        until(16_000);
        unlock("holder");
        assertGranted("other");
        assertThat(waitFor(RANGE)).isEqualTo(LockAttempt.Outcome.WAITING);
        until(31_000);
        assertDenied("poller");
        until(59_000);

        unlock("other");

        until(61_000);
        assertThat(told).isEmpty();
        assertGranted("poller");
    }

    @Test
    void pollerIsGone_thoseBehindItWithAFreePart_areServedWhenItIsOverdue() throws LocksBusyException {
        int _ = service.unlock(FILE.identity(), owner("holder"), new ByteRange(5, 9), Runnable::run);
        assertDenied("poller");
        assertThat(waitFor(new ByteRange(5, 9))).isEqualTo(LockAttempt.Outcome.WAITING);

        until(1990);
        assertThat(told).isEmpty();
        until(2010);

        assertThat(told).containsExactly("given");
    }

    /** One that is told asks every 30 s all the same. */
    @Test
    void toldOneIsGone_thoseBehindItWithAFreePart_areServedWhenItIsOverdue() throws LocksBusyException {
        int _ = service.unlock(FILE.identity(), owner("holder"), new ByteRange(5, 9), Runnable::run);
        assertThat(askTold()).isEqualTo(LockAttempt.Outcome.DENIED);
        assertThat(waitFor(new ByteRange(5, 9))).isEqualTo(LockAttempt.Outcome.WAITING);

        until(39_900);
        assertThat(told).isEmpty();
        until(40_100);

        assertThat(told).containsExactly("given");
    }

    @Test
    void pollerThatAsksInEvenPauses_isExpectedToGoOnLikeThat() throws LocksBusyException {
        assertDenied("poller");
        until(10_000);
        assertDenied("poller");
        until(20_000);
        assertDenied("poller");
        assertThat(waitFor(RANGE)).isEqualTo(LockAttempt.Outcome.WAITING);
        until(38_000);
        unlock("holder");

        until(40_000);
        assertThat(told).isEmpty();
        assertGranted("poller");
    }

    @Test
    void pollers_thatWouldWaitForEachOther_areFoundWhileBothAsk() throws LocksBusyException {
        unlock("holder");
        assertThat(service.lock(FILE, owner("poller"), true, new ByteRange(0, 0))
                        .isGranted())
                .isTrue();
        assertThat(service.lock(FILE, owner("other"), true, new ByteRange(1, 1)).isGranted())
                .isTrue();
        assertThat(ask("poller", new ByteRange(1, 1))).isEqualTo(LockAttempt.Outcome.DENIED);

        until(1900);
        assertThat(service.wouldWaitForItself(FILE, owner("other"), true, new ByteRange(0, 0)))
                .isTrue();
        until(2100);
        assertThat(service.wouldWaitForItself(FILE, owner("other"), true, new ByteRange(0, 0)))
                .as("it has given up")
                .isFalse();
    }
}
