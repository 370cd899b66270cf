package org.warpnfs.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The buckets, the sums and the maximum of the last minutes. The test drives the clock. */
class LatencyTest {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final Latency latency = new Latency(0);

    @Test
    void record_goesIntoTheBucketThatHoldsIt() {
        latency.record(50_000, 1);
        latency.record(50_001, 1);
        latency.record(TimeUnit.HOURS.toNanos(1), 1, 16);
        ClassicHistogramBuckets buckets = latency.buckets();
        assertThat(buckets.getUpperBound(0)).isEqualTo(50e-6);
        assertThat(buckets.getCount(0)).isEqualTo(1);
        assertThat(buckets.getCount(1)).isEqualTo(1);
        assertThat(buckets.getUpperBound(buckets.size() - 1)).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(buckets.getCount(buckets.size() - 1)).isEqualTo(16);
        assertThat(latency.count()).isEqualTo(18);
        assertThat(latency.nanos()).isEqualTo(100_001 + 16 * TimeUnit.HOURS.toNanos(1));
    }

    @Test
    void longest_isForgottenAfterTwoMinutes() {
        latency.record(7_000_000_000L, 1);
        assertThat(latency.longestSeconds(1)).isEqualTo(7);
        latency.record(1_000_000_000, MINUTE + 1);
        assertThat(latency.longestSeconds(MINUTE + 1)).isEqualTo(7);
        assertThat(latency.longestSeconds(2 * MINUTE + 2)).isEqualTo(1);
        assertThat(latency.longestSeconds(9 * MINUTE)).isZero();
    }
}
