package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RateWatchTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** 10 seconds of grace, 100 bytes each second. */
    private final RateWatch watch = new RateWatch(Duration.ofSeconds(10), 100);

    @Test
    void fewBytes_notDone_areLateAfterTheGraceAndTheirTime() {
        assertThat(watch.behind(200, 0, 5 * SECOND)).isFalse();
        assertThat(watch.behind(200, 0, 17 * SECOND)).isFalse();
        assertThat(watch.behind(200, 0, 17 * SECOND + 1)).isTrue();
    }

    @Test
    void aByteNowAndThen_isNoProgress() {
        boolean behind = false;
        long done = 0;
        for (int second = 0; second <= 21 && !behind; second++) {
            behind = watch.behind(100_000 - done, done, second * SECOND);
            done++;
        }
        assertThat(behind).isTrue();
    }

    @Test
    void theLeastRate_forEver_isEnough() {
        long done = 0;
        for (int second = 0; second < 1000; second++) {
            assertThat(watch.behind(1 << 20, done, second * SECOND)).isFalse();
            done += 100;
        }
    }

    @Test
    void fastAtFirst_thenNothing_isLateAllTheSame() {
        assertThat(watch.behind(1 << 20, 0, 0)).isFalse();
        assertThat(watch.behind(1 << 20, 1L << 40, SECOND)).isFalse();
        assertThat(watch.behind(1 << 20, 1L << 40, 21 * SECOND)).isFalse();
        assertThat(watch.behind(1 << 20, 1L << 40, 21 * SECOND + 1)).isTrue();
    }

    @Test
    void nothingOutstanding_everBegins() {
        assertThat(watch.behind(1, 0, 0)).isFalse();
        assertThat(watch.behind(0, 1, 5 * SECOND)).isFalse();
        assertThat(watch.behind(1, 1, 100 * SECOND)).as("a new wait").isFalse();
        assertThat(watch.behind(1, 1, 111 * SECOND)).isTrue();
    }

    @Test
    void hurried_waitsForTheShorterGraceFromTheNextLookOn() {
        assertThat(watch.behind(1 << 20, 0, 0)).isFalse();
        watch.hurry(Duration.ofSeconds(2));
        assertThat(watch.behind(1 << 20, 0, SECOND)).isFalse();
        assertThat(watch.behind(1 << 20, 0, 5 * SECOND)).isFalse();
        assertThat(watch.behind(1 << 20, 0, 5 * SECOND + 1)).isTrue();
    }
}
