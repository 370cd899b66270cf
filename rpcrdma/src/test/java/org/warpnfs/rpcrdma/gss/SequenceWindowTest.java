package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SequenceWindowTest {
    private final SequenceWindow window = new SequenceWindow();

    @Test
    void numbers_inOrder_areNewOnce() {
        for (int number = 0; number < 3 * SequenceWindow.SIZE; number++) {
            assertThat(window.accept(number)).isTrue();
            assertThat(window.accept(number)).isFalse();
        }
    }

    @Test
    void number_belowTheWindow_isOld() {
        assertThat(window.accept(SequenceWindow.SIZE + 10)).isTrue();

        assertThat(window.accept(10)).isFalse();
        assertThat(window.accept(11)).isTrue();
    }

    @Test
    void window_thatJumpsFar_forgetsNothingOfWhatItHolds() {
        assertThat(window.accept(5)).isTrue();
        assertThat(window.accept(0x7fff_ffffL)).isTrue();

        assertThat(window.accept(0x7fff_ffffL)).isFalse();
        assertThat(window.accept(5)).isFalse();
        assertThat(window.accept(0x7fff_fffeL)).isTrue();
    }

    @Test
    void anyNumbers_areAcceptedAsASetWouldAccept() {
        long seed = Long.getLong("warpnfs.seed", System.nanoTime());
        Random random = new Random(seed);
        Set<Long> seen = new HashSet<>();
        long highest = 0;
        for (int i = 0; i < 20_000; i++) {
            long number = Math.max(0, highest + random.nextInt(-3000, 200));
            boolean isNew = (number > highest || highest - number < SequenceWindow.SIZE) && seen.add(number);
            highest = isNew ? Math.max(highest, number) : highest;

            assertThat(window.accept(number))
                    .as("seed %d, number %d", seed, number)
                    .isEqualTo(isNew);
        }
    }
}
