package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.locks.NamedLocks.range;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Owners that are told of their turn, and have to ask again. */
class LockTurnsTest {
    private final NamedLocks locks = new NamedLocks();
    private final LockService service = locks.service();

    @Test
    void lockInTurn_denied_isToldAndServedBeforeThoseBehind() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        assertThat(locks.ask("b", true, range(0, 9))).isEqualTo(LockAttempt.Outcome.DENIED);
        assertThat(locks.await(1, "c", true, range(0, 9))).isEqualTo(LockAttempt.Outcome.WAITING);

        locks.unlockAll(1, "a");
        assertThat(locks.toldNow()).containsExactly("b");
        assertThat(locks.ask("d", true, range(0, 9))).as("not its turn").isEqualTo(LockAttempt.Outcome.DENIED);
        assertThat(locks.ask("b", true, range(0, 9))).isEqualTo(LockAttempt.Outcome.GRANTED);

        locks.endTurns();
        assertThat(locks.toldNow()).as("the turn was used").isEmpty();
        locks.unlockAll(1, "b");
        assertThat(locks.toldNow()).containsExactly("c");
    }

    @Test
    void lockInTurn_turnNotUsed_passesToTheNext() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        locks.ask("b", true, range(0, 9));
        locks.await(1, "c", true, range(0, 9));
        locks.unlockAll(1, "a");
        locks.toldNow();

        locks.endTurns();

        assertThat(locks.toldNow()).containsExactly("c");
        assertThat(service.waiting()).isZero();
    }

    /** Its client need not use its turn: a LOCK that does not wait gets the same. */
    @Test
    void lockInTurn_rangeGotWithoutWaiting_keepsNobodyBehindIt() throws LocksBusyException {
        locks.take(1, "a", true, range(0, 9));
        locks.ask("b", true, range(2, 5));
        locks.await(1, "c", true, range(0, 9));
        locks.unlockAll(1, "a");
        assertThat(locks.toldNow()).containsExactly("b");

        assertThat(locks.take(1, "b", true, range(2, 7)).outcome()).isEqualTo(LockAttempt.Outcome.GRANTED);

        assertThat(locks.isWaiting(1, "b")).isFalse();
        locks.unlockAll(1, "b");
        assertThat(locks.toldNow()).containsExactly("c");
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
        locks.take(1, "a", true, ByteRange.ALL);
        locks.ask("b", request.exclusive(), request.range());
        locks.await(1, "c", true, ByteRange.ALL);
        locks.unlockAll(1, "a");

        for (Step step : Step.all(gets)) {
            assertThat(locks.isWaiting(1, "b")).isTrue();
            if (step.unlocks()) {
                locks.unlock(1, "b", step.range());
            } else {
                assertThat(locks.take(1, "b", step.exclusive(), step.range()).isGranted())
                        .isTrue();
            }
        }

        assertThat(locks.isWaiting(1, "b")).isEqualTo(stays);
        locks.toldNow();
        locks.unlock(1, "b", range(2, -1));
        assertThat(locks.toldNow())
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
        locks.take(1, "a", true, range(0, 9));
        locks.ask("b", true, range(2, 5));
        locks.await(1, "c", true, range(0, 9));
        locks.unlockAll(1, "a");
        assertThat(locks.toldNow()).containsExactly("b");

        locks.unlock(1, "b", range(2, 4));
        assertThat(locks.toldNow()).isEmpty();
        locks.unlock(1, "b", range(2, 5));

        assertThat(locks.toldNow()).containsExactly("c");
    }

    @Test
    void lockInTurn_lessThanItWaitsForGot_staysInLine() throws LocksBusyException {
        locks.take(1, "a", true, range(4, 9));
        locks.ask("b", true, range(2, 5));
        locks.ask("b", true, range(4, 4));

        locks.take(1, "b", true, range(0, 3));
        locks.take(1, "d", false, range(20, 29));
        locks.take(1, "b", false, range(20, 29));
        locks.ask("b", true, range(20, 29));
        locks.take(1, "b", false, range(20, 29));

        assertThat(service.waiting()).isEqualTo(3);
    }
}
