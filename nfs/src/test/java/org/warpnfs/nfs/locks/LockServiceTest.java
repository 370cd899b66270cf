package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.limits.ClientAddress;

class LockServiceTest {
    private static final int BYTES = 12;
    private static final int OWNERS = 4;
    private static final int FILES = 2;
    private static final ClientAddress ANN = ClientAddress.of(new InetSocketAddress("10.0.0.1", 700));
    private static final ClientAddress BOB = ClientAddress.of(new InetSocketAddress("10.0.0.2", 700));

    private final List<Runnable> notices = new ArrayList<>();
    private final List<Runnable> afterTurn = new ArrayList<>();
    private long nowNanos;
    private final LockService service =
            new LockService(100, notices::add, BackendLocking.off(), (_, task) -> afterTurn.add(task), () -> nowNanos);
    private final List<String> told = new ArrayList<>();

    private record Named(String word) implements Locker {
        @Override
        public boolean isGone() {
            return false;
        }

        @Override
        public ClientAddress address() {
            return ANN;
        }

        @Override
        public byte[] name() {
            return word.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        }
    }

    private static FileIdentity file(int number) {
        return new FileIdentity("disk", FileHandle.of(new byte[] {(byte) number}));
    }

    private static LockedFile here(int number) {
        return LockedFile.here(file(number));
    }

    /** No backend has anything to release. */
    private static void none(Runnable release) {
        throw new AssertionError("a release " + release);
    }

    private static ByteRange range(long first, long last) {
        return new ByteRange(first, last);
    }

    private static Named owner(String name) {
        return new Named(name);
    }

    private LockAttempt take(int file, String owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        return service.lock(here(file), owner(owner), exclusive, range);
    }

    private LockAttempt.Outcome await(int file, String owner, boolean exclusive, ByteRange range)
            throws LocksBusyException {
        return service.lockOrWait(here(file), owner(owner), exclusive, range, ANN, () -> told.add(owner))
                .outcome();
    }

    private List<String> toldNow() {
        List.copyOf(notices).forEach(Runnable::run);
        notices.clear();
        List<String> now = List.copyOf(told);
        told.clear();
        return now;
    }

    @Test
    void lock_heldByAnother_isDeniedWithTheHolder() throws LocksBusyException {
        assertThat(take(1, "a", true, range(0, 9)).more()).isEqualTo(1);

        LockAttempt second = take(1, "b", false, range(9, 20));

        assertThat(second.outcome()).isEqualTo(LockAttempt.Outcome.DENIED);
        assertThat(second.holder()).isEqualTo(new HeldLock(owner("a"), true, range(0, 9)));
        assertThat(take(2, "b", true, range(0, 9)).isGranted())
                .as("another file")
                .isTrue();
    }

    @Test
    void unlock_severalWait_areGrantedInTheirOrder() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        assertThat(await(1, "b", true, range(0, 4))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(await(1, "c", false, range(3, 6))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(await(1, "d", false, range(5, 6))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(toldNow()).isEmpty();

        assertThat(service.unlock(file(1), owner("a"), range(0, 9), LockServiceTest::none))
                .isEqualTo(-1);

        assertThat(told).as("told by the executor alone").isEmpty();
        assertThat(toldNow()).as("c is behind b, d conflicts with nobody").containsExactly("b", "d");

        service.unlockAll(file(1), owner("b"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("c");
        assertThat(service.waiting()).isZero();
    }

    @Test
    void lockOrWait_freeButAnEarlierOneWaits_standsBehindIt() throws LocksBusyException {
        take(1, "reader", false, range(0, 9));
        await(1, "writer", true, range(0, 9));

        assertThat(await(1, "late", false, range(0, 9))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(take(1, "quick", false, range(0, 9)).isGranted())
                .as("who does not wait minds held locks alone")
                .isTrue();

        service.unlockAll(file(1), owner("reader"), LockServiceTest::none);
        service.unlockAll(file(1), owner("quick"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("writer");
    }

    @Test
    void lockOrWait_holderAsksForMore_doesNotStandBehindThoseWhoWaitForIt() throws LocksBusyException {
        take(1, "a", false, range(0, 9));
        await(1, "b", true, range(0, 9));

        assertThat(await(1, "a", false, range(5, 20))).isEqualTo(LockAttempt.Outcome.GRANTED);
    }

    @Test
    void lockOrWait_circleOverTwoFiles_isADeadlock() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        take(2, "b", true, range(0, 9));
        take(3, "c", true, range(0, 9));
        assertThat(await(2, "a", true, range(0, 0))).isEqualTo(LockAttempt.Outcome.WAITING);
        assertThat(await(3, "b", false, range(0, 0))).isEqualTo(LockAttempt.Outcome.WAITING);

        assertThat(await(1, "c", true, range(3, 4))).isEqualTo(LockAttempt.Outcome.DEADLOCK);
        assertThat(await(1, "d", true, range(3, 4))).isEqualTo(LockAttempt.Outcome.WAITING);

        service.cancel(file(3), owner("b"), false, range(0, 0));
        assertThat(await(1, "c", true, range(3, 4))).isEqualTo(LockAttempt.Outcome.WAITING);
    }

    /** A client of NFSv4 asks again and again, and does not say when it has given up. */
    @Test
    void waiter_thatAsksAgain_closesACircleAsLongAsItHasAskedOfLate() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        take(1, "b", true, range(10, 19));
        ask("a", true, range(10, 10));

        assertThat(service.wouldWaitForItself(here(1), owner("b"), true, range(0, 0)))
                .isTrue();
        assertThat(service.wouldWaitForItself(here(1), owner("c"), true, range(0, 0)))
                .isFalse();

        nowNanos += TimeUnit.SECONDS.toNanos(30);
        ask("a", true, range(10, 10));
        nowNanos += TimeUnit.SECONDS.toNanos(30);
        assertThat(service.wouldWaitForItself(here(1), owner("b"), true, range(0, 0)))
                .isTrue();

        nowNanos += TimeUnit.SECONDS.toNanos(30);
        assertThat(service.wouldWaitForItself(here(1), owner("b"), true, range(0, 0)))
                .as("it has given up")
                .isFalse();
    }

    @Test
    void cancel_inLine_isNotGrantedAndLetsOthersPass() throws LocksBusyException {
        take(1, "a", false, range(0, 9));
        await(1, "b", true, range(0, 9));
        await(1, "c", false, range(0, 9));

        assertThat(service.cancel(file(1), owner("b"), true, range(0, 8))).isFalse();
        assertThat(service.cancel(file(1), owner("b"), true, range(0, 9))).isTrue();

        assertThat(toldNow()).containsExactly("c");
        service.unlockAll(file(1), owner("a"), LockServiceTest::none);
        service.unlockAll(file(1), owner("c"), LockServiceTest::none);
        assertThat(toldNow()).isEmpty();
        assertThat(service.files()).isZero();
    }

    @Test
    void lockOrWait_repeated_keepsItsPlaceAndTellsTheLastWaiter() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        await(1, "b", true, range(0, 9));
        await(1, "c", true, range(0, 9));

        service.lockOrWait(here(1), owner("b"), true, range(0, 9), ANN, () -> told.add("b again"));
        assertThat(service.waiting()).isEqualTo(2);

        service.unlockAll(file(1), owner("a"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("b again");
    }

    @Test
    void lockOrWait_oneClientFillsTheLines_leavesRoomForAnother() throws LocksBusyException {
        take(1, "a", true, range(0, 0));
        int stood = 0;
        while (await(1, "hog" + stood, true, range(0, 0)) == LockAttempt.Outcome.WAITING) {
            stood++;
        }

        assertThat(stood).isEqualTo(50);
        assertThat(service.lockOrWait(here(1), owner("other"), true, range(0, 0), BOB, () -> {})
                        .outcome())
                .isEqualTo(LockAttempt.Outcome.WAITING);
    }

    private LockAttempt.Outcome ask(String owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        return service.lockInTurn(here(1), owner(owner), exclusive, range, ANN, () -> told.add(owner))
                .outcome();
    }

    @Test
    void lockInTurn_denied_isToldAndServedBeforeThoseBehind() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        assertThat(ask("b", true, range(0, 9))).isEqualTo(LockAttempt.Outcome.DENIED);
        assertThat(await(1, "c", true, range(0, 9))).isEqualTo(LockAttempt.Outcome.WAITING);

        service.unlockAll(file(1), owner("a"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("b");
        assertThat(ask("d", true, range(0, 9))).as("not its turn").isEqualTo(LockAttempt.Outcome.DENIED);
        assertThat(ask("b", true, range(0, 9))).isEqualTo(LockAttempt.Outcome.GRANTED);

        afterTurn.forEach(Runnable::run);
        assertThat(toldNow()).as("the turn was used").isEmpty();
        service.unlockAll(file(1), owner("b"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("c");
    }

    @Test
    void lockInTurn_turnNotUsed_passesToTheNext() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        ask("b", true, range(0, 9));
        await(1, "c", true, range(0, 9));
        service.unlockAll(file(1), owner("a"), LockServiceTest::none);
        toldNow();

        List.copyOf(afterTurn).forEach(Runnable::run);

        assertThat(toldNow()).containsExactly("c");
        assertThat(service.waiting()).isZero();
    }

    /** Its client need not use its turn: a LOCK that does not wait gets the same. */
    @Test
    void lockInTurn_rangeGotWithoutWaiting_keepsNobodyBehindIt() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        ask("b", true, range(2, 5));
        await(1, "c", true, range(0, 9));
        service.unlockAll(file(1), owner("a"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("b");

        assertThat(take(1, "b", true, range(2, 7)).outcome()).isEqualTo(LockAttempt.Outcome.GRANTED);

        assertThat(service.isWaiting(file(1), owner("b"))).isFalse();
        service.unlockAll(file(1), owner("b"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("c");
    }

    /** W to write, R to read, u to unlock, each with the first and the last byte; -1 is the end of the file. */
    @ParameterizedTest
    @CsvSource({
        "W 2 5, W 2 3 W 4 5, false",
        "W 2 5, W 4 5 W 2 3, false",
        "W 2 5, W 2 2 W 5 5 W 3 4, false",
        "R 2 5, W 2 3 R 4 5, false",
        "R 2 5, R 2 2 W 3 3 R 4 4 W 5 9, false",
        "W 2 5, R 2 5 W 2 3 W 4 5, false",
        "W 2 -1, W 2 9 W 10 -1, false",
        "W 2 -2, W 2 9 W 10 -1, false",
        "R -3 -1, W -3 -2 R -1 -1, false",
        "W 2 5, W 2 3, true",
        "W 2 5, W 2 3 W 5 5, true",
        "W 2 5, W 3 5, true",
        "W 2 5, W 2 3 R 4 5, true",
        "W 2 5, W 2 3 R 3 3 W 4 5, true",
        "W 2 5, W 2 3 u 2 3 W 4 5, true",
        "R 2 5, R 2 3 u 3 3 W 4 5, true",
        "W 2 -1, W 2 9 W 11 -1, true",
        "W 2 -1, W 2 9 W 10 -2, true",
    })
    void lockInTurn_gotInParts_leavesTheLineWithTheLastOne(String waitsFor, String gets, boolean stays)
            throws LocksBusyException {
        Step request = Step.all(waitsFor).getFirst();
        take(1, "a", true, ByteRange.ALL);
        ask("b", request.exclusive(), request.range());
        await(1, "c", true, ByteRange.ALL);
        service.unlockAll(file(1), owner("a"), LockServiceTest::none);

        for (Step step : Step.all(gets)) {
            assertThat(service.isWaiting(file(1), owner("b"))).isTrue();
            if (step.unlocks()) {
                service.unlock(file(1), owner("b"), step.range(), LockServiceTest::none);
            } else {
                assertThat(take(1, "b", step.exclusive(), step.range()).isGranted())
                        .isTrue();
            }
        }

        assertThat(service.isWaiting(file(1), owner("b"))).isEqualTo(stays);
        toldNow();
        service.unlock(file(1), owner("b"), range(2, -1), LockServiceTest::none);
        assertThat(toldNow())
                .as("who unlocks all that it waits for has given up")
                .containsExactly("c");
    }

    private record Step(boolean exclusive, boolean unlocks, ByteRange range) {
        static List<Step> all(String words) {
            List<Step> all = new ArrayList<>();
            String[] word = words.split(" ", -1);
            for (int i = 0; i < word.length; i += 3) {
                all.add(new Step(
                        word[i].equals("W"),
                        word[i].equals("u"),
                        new ByteRange(Long.parseLong(word[i + 1]), Long.parseLong(word[i + 2]))));
            }
            return all;
        }
    }

    @Test
    void unlock_ofAllThatItWaitsFor_endsTheTurn() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        ask("b", true, range(2, 5));
        await(1, "c", true, range(0, 9));
        service.unlockAll(file(1), owner("a"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("b");

        service.unlock(file(1), owner("b"), range(2, 4), LockServiceTest::none);
        assertThat(toldNow()).isEmpty();
        service.unlock(file(1), owner("b"), range(2, 5), LockServiceTest::none);

        assertThat(toldNow()).containsExactly("c");
    }

    @Test
    void lockOrWait_holderWaitsBehindOneWhoWaitsForIt_isNoCircle() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        take(1, "b", true, range(20, 29));
        assertThat(await(1, "c", true, range(0, 40))).isEqualTo(LockAttempt.Outcome.WAITING);

        assertThat(await(1, "b", true, range(0, 9))).as("a waits for nobody").isEqualTo(LockAttempt.Outcome.WAITING);
        service.unlockAll(file(1), owner("a"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("b");
        service.unlockAll(file(1), owner("b"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("c");
    }

    /** It holds a part before its turn has come, so who is before it would wait for it in vain. */
    @Test
    void waiter_gotAPartWithoutWaiting_doesNotStandBehindThoseWhoWaitForThatPart() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        await(1, "c", true, range(0, 9));
        await(1, "b", true, range(2, 5));
        service.unlock(file(1), owner("a"), range(2, 3), LockServiceTest::none);
        assertThat(take(1, "b", true, range(2, 3)).isGranted()).isTrue();

        service.unlockAll(file(1), owner("a"), LockServiceTest::none);

        assertThat(toldNow()).containsExactly("b");
        service.unlockAll(file(1), owner("b"), LockServiceTest::none);
        assertThat(toldNow()).containsExactly("c");
    }

    @Test
    void waiter_becomesAHolderWhileItsRangeIsFree_isGranted() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        await(1, "c", true, range(0, 9));
        await(1, "b", true, range(2, 5));
        service.unlock(file(1), owner("a"), range(2, 5), LockServiceTest::none);
        assertThat(toldNow()).as("b is behind c").isEmpty();

        take(1, "b", true, range(2, 3));

        assertThat(toldNow()).containsExactly("b");
    }

    @Test
    void lockInTurn_lessThanItWaitsForGot_staysInLine() throws LocksBusyException {
        take(1, "a", true, range(4, 9));
        ask("b", true, range(2, 5));
        ask("b", true, range(4, 4));

        take(1, "b", true, range(0, 3));
        take(1, "d", false, range(20, 29));
        take(1, "b", false, range(20, 29));
        ask("b", true, range(20, 29));
        take(1, "b", false, range(20, 29));

        assertThat(service.waiting()).isEqualTo(3);
    }

    @Test
    void lockInTurn_mayHaveGivenUp_closesNoCircle() throws LocksBusyException {
        take(1, "a", true, range(0, 0));
        take(1, "b", true, range(1, 1));
        ask("a", true, range(1, 1));
        nowNanos += TimeUnit.MINUTES.toNanos(1);

        assertThat(await(1, "b", true, range(0, 0))).isEqualTo(LockAttempt.Outcome.WAITING);
    }

    @Test
    void downgrade_readerWaits_isGranted() throws LocksBusyException {
        take(1, "a", true, range(0, 9));
        await(1, "b", false, range(2, 3));

        take(1, "a", false, range(0, 5));

        assertThat(toldNow()).containsExactly("b");
    }

    /** A byte-by-byte model of held locks; who waits is granted at the latest when nothing held conflicts. */
    @Test
    void locksAndWaits_random_areAsAModelByteByByteSays() throws LocksBusyException {
        for (long seed = 0; seed < 200; seed++) {
            new Model(seed).run();
        }
    }

    private static final class Model {
        final long seed;
        final Random random;
        final List<Runnable> notices = new ArrayList<>();
        final LockService service = new LockService(1000, notices::add);
        /** 0 none, 1 shared, 2 exclusive, by file, owner and byte. */
        final int[][][] bytes = new int[FILES][OWNERS][BYTES];

        final List<Request> line = new ArrayList<>();

        record Request(int file, int owner, boolean exclusive, int first, int last) {}

        Model(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() throws LocksBusyException {
            for (int step = 0; step < 80; step++) {
                int first = random.nextInt(BYTES);
                Request next = new Request(
                        random.nextInt(FILES),
                        random.nextInt(OWNERS),
                        random.nextBoolean(),
                        first,
                        first + random.nextInt(BYTES - first));
                step(next, random.nextInt(6));
                notices.forEach(Runnable::run);
                notices.clear();
                check(step);
            }
        }

        private void step(Request next, int what) throws LocksBusyException {
            FileIdentity file = file(next.file);
            Named owner = owner("o" + next.owner);
            ByteRange range = range(next.first, next.last);
            switch (what) {
                case 0, 1 -> {
                    service.unlock(file, owner, range, LockServiceTest::none);
                    fill(next, 0);
                }
                case 2 -> {
                    LockAttempt got = service.lock(LockedFile.here(file), owner, next.exclusive, range);
                    assertThat(got.isGranted()).as("seed %d: %s", seed, next).isEqualTo(isFree(next));
                    if (got.isGranted()) {
                        fill(next, kind(next));
                    }
                }
                case 3, 4 -> {
                    LockAttempt got = service.lockOrWait(
                            LockedFile.here(file), owner, next.exclusive, range, ANN, () -> granted(next));
                    switch (got.outcome()) {
                        case GRANTED -> {
                            assertThat(isFree(next))
                                    .as("seed %d: %s", seed, next)
                                    .isTrue();
                            line.remove(next);
                            fill(next, kind(next));
                        }
                        case WAITING -> {
                            if (!line.contains(next)) {
                                line.add(next);
                            }
                        }
                        case DEADLOCK ->
                            assertThat(isFree(next))
                                    .as("seed %d: %s", seed, next)
                                    .isFalse();
                        case DENIED, HELD_BACK, NO_ROOM, RESERVED, BUSY, CANCELLED, FAILED ->
                            throw new AssertionError("seed " + seed + ": " + got);
                    }
                }
                default ->
                    assertThat(service.cancel(file, owner, next.exclusive, range))
                            .as("seed %d: %s", seed, next)
                            .isEqualTo(line.remove(next));
            }
        }

        private void granted(Request request) {
            assertThat(line.remove(request)).as("seed %d: %s", seed, request).isTrue();
            assertThat(isFree(request)).as("seed %d: %s", seed, request).isTrue();
            fill(request, kind(request));
        }

        private void check(int step) throws LocksBusyException {
            assertThat(service.waiting()).as("seed %d step %d", seed, step).isEqualTo(line.size());
            if (!line.isEmpty()) {
                boolean firstIsFree = isFree(line.getFirst());
                assertThat(firstIsFree)
                        .as("seed %d step %d: the first in line waits for a held lock", seed, step)
                        .isFalse();
            }
            for (int file = 0; file < FILES; file++) {
                for (int at = 0; at < BYTES; at++) {
                    Request probe = new Request(file, random.nextInt(OWNERS), random.nextBoolean(), at, at);
                    assertThat(service.conflict(file(file), owner("o" + probe.owner), probe.exclusive, range(at, at))
                                    == null)
                            .as("seed %d step %d byte %d", seed, step, at)
                            .isEqualTo(isFree(probe));
                }
            }
        }

        private static int kind(Request request) {
            return request.exclusive ? 2 : 1;
        }

        private void fill(Request request, int kind) {
            for (int i = request.first; i <= request.last; i++) {
                bytes[request.file][request.owner][i] = kind;
            }
        }

        private boolean isFree(Request request) {
            for (int other = 0; other < OWNERS; other++) {
                for (int i = request.first; other != request.owner && i <= request.last; i++) {
                    int held = bytes[request.file][other][i];
                    if (held == 2 || (held == 1 && request.exclusive)) {
                        return false;
                    }
                }
            }
            return true;
        }
    }
}
