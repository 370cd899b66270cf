package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateWatchTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long RATE = 1000;

    private final RateWatch watch = new RateWatch(Duration.ofSeconds(10), RATE);

    /** Looks once a second, and says in which second the peer was found late; 0 for never. */
    private int lateAfter(int seconds, long bytesPerSecond) {
        for (int second = 0; second <= seconds; second++) {
            if (watch.late(true, 1, second * bytesPerSecond, second * SECOND)) {
                return second;
            }
        }
        return 0;
    }

    @Test
    void waiting_noByte_isLateAfterTheGrace() {
        assertThat(lateAfter(100, 0)).isEqualTo(11);
    }

    @Test
    void waiting_singleBytes_areNoProgress() {
        assertThat(lateAfter(100, 1)).isEqualTo(11);
    }

    @Test
    void waiting_bytesAtTheLeastRate_isInTimeForEver() {
        assertThat(lateAfter(10_000, RATE)).isZero();
    }

    @Test
    void waiting_bytesAtHalfTheRate_isLateAfterTwiceTheGrace() {
        assertThat(lateAfter(100, RATE / 2)).isEqualTo(21);
    }

    /** What came fast is not saved up: the pause after it is no longer than any other. */
    @Test
    void waiting_muchAtOnceThenNothing_isLateAfterTheGrace() {
        assertThat(watch.late(true, 1, 0, 0)).isFalse();
        assertThat(watch.late(true, 1, 1L << 60, SECOND)).isFalse();
        assertThat(watch.late(true, 1, 1L << 60, 11 * SECOND)).isFalse();
        assertThat(watch.late(true, 1, 1L << 60, 11 * SECOND + 1)).isTrue();
    }

    @Test
    void waitingAnew_betweenLooks_hasTheWholeGrace() {
        for (int second = 0; second < 100; second += 5) {
            assertThat(watch.late(true, second, 0, second * SECOND)).isFalse();
        }
    }

    /** A line of 64 KiB/s, less what headers take, and a socket that reports in steps of a third of 4 MiB. */
    @Test
    void slowLine_defaultLimits_isInTimeForHours() {
        TcpOptions options = TcpOptions.DEFAULT;
        RateWatch usual = new RateWatch(options.grace(), options.leastBytesPerSecond());
        long lineBytesPerSecond = 62 << 10;
        long stepBytes = (4 << 20) / 3;
        for (long second = 0; second <= 4 * 3600; second++) {
            long taken = second * lineBytesPerSecond / stepBytes * stepBytes;
            assertThat(usual.late(true, 1, taken, second * SECOND))
                    .as("second %s", second)
                    .isFalse();
        }
    }

    @Test
    void notWaiting_anyTime_isInTime() {
        assertThat(watch.late(true, 1, 0, 0)).isFalse();
        assertThat(watch.late(false, 1, 0, 100 * SECOND)).isFalse();
        assertThat(watch.late(true, 1, 0, 200 * SECOND)).isFalse();
        assertThat(watch.late(true, 1, 0, 210 * SECOND)).isFalse();
        assertThat(watch.late(true, 1, 0, 211 * SECOND)).isTrue();
    }
}
