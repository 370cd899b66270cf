package org.warpnfs.rpcrdma.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StallWatchTest {
    private static final long LIMIT = 1000;

    private final StallWatch watch = new StallWatch(LIMIT);

    @Test
    void busyWithoutProgress_longerThanTheLimit_isStalled() {
        assertThat(watch.stalled(true, 5)).isFalse();
        assertThat(watch.stalled(true, 5 + LIMIT)).isFalse();
        assertThat(watch.stalled(true, 6 + LIMIT)).isTrue();
    }

    @Test
    void progress_betweenLooks_beginsAnew() {
        watch.stalled(true, 0);
        watch.progressed();
        assertThat(watch.stalled(true, 10 * LIMIT)).isFalse();
        assertThat(watch.stalled(true, 11 * LIMIT)).isFalse();
        assertThat(watch.stalled(true, 11 * LIMIT + 1)).isTrue();
    }

    @Test
    void idle_atOneLook_beginsAnew() {
        watch.stalled(true, 0);
        assertThat(watch.stalled(false, LIMIT)).isFalse();
        assertThat(watch.stalled(true, 10 * LIMIT)).isFalse();
        assertThat(watch.stalled(true, 10 * LIMIT + 1)).isFalse();
    }

    /** System.nanoTime() may be anything, and go over the edge. */
    @Test
    void clockOverTheEdge_isAsGood() {
        watch.stalled(true, Long.MAX_VALUE);
        assertThat(watch.stalled(true, Long.MIN_VALUE + LIMIT - 1)).isFalse();
        assertThat(watch.stalled(true, Long.MIN_VALUE + LIMIT)).isTrue();
    }
}
