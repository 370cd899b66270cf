package org.warpnfs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FairShareTest {
    /** Takes single pieces as long as permitted, and returns how many it got. */
    private static long greedy(long free) {
        long held = 0;
        while (FairShare.allows(held, 1, free - held)) {
            held++;
        }
        return held;
    }

    @Test
    void oneAlone_takesAllItCan_getsHalf() {
        assertThat(greedy(16)).isEqualTo(8);
        assertThat(greedy(1000)).isEqualTo(500);
    }

    @Test
    void eachNewcomer_takesAllItCan_getsHalfOfWhatIsLeft() {
        assertThat(greedy(16 - 8)).isEqualTo(4);
        assertThat(greedy(16 - 8 - 4)).isEqualTo(2);
        assertThat(greedy(1)).as("the last one").isEqualTo(1);
        assertThat(greedy(0)).isZero();
    }

    @Test
    void two_takeInTurn_getAThirdEach() {
        long free = 99;
        long[] held = new long[2];
        for (int turn = 0; turn < 200; turn++) {
            if (FairShare.allows(held[turn % 2], 1, free)) {
                held[turn % 2]++;
                free--;
            }
        }
        assertThat(held).containsExactly(33, 33);
    }

    @Test
    void holdsNothing_mayTakeAllThatIsFree_andNoMore() {
        assertThat(FairShare.room(0, 7)).isEqualTo(7);
        assertThat(FairShare.allows(0, 8, 7)).isFalse();
    }

    @Test
    void holdsMoreThanIsFree_hasNoRoom() {
        assertThat(FairShare.room(8, 7)).isZero();
        assertThat(FairShare.allows(8, 0, 7)).isTrue();
    }

    /** What {@link FairShare} promises is exact down to whole pieces alone. */
    @Test
    void greedyClients_afterEachOther_useUpEverythingAndNoMore_andWhatComesBackIsANewcomers() {
        for (long most : new long[] {1, 2, 3, 1000, 1_000_000}) {
            long free = most;
            List<Long> held = new ArrayList<>();
            while (free > 0) {
                held.add(greedy(free));
                free -= held.getLast();
            }
            assertThat(free).as("limit of %s", most).isZero();
            assertThat(held).hasSizeLessThanOrEqualTo(1 + Long.SIZE - Long.numberOfLeadingZeros(most));
            assertThat(FairShare.allows(0, 1, free)).as("the next one").isFalse();
            free++;
            held.set(0, held.getFirst() - 1);
            assertThat(FairShare.allows(0, 1, free)).as("the next one").isTrue();
            for (long each : held) {
                assertThat(FairShare.allows(each, 1, free))
                        .as("one with %s", each)
                        .isEqualTo(each == 0);
            }
        }
    }
}
