package org.warpnfs.tools.iwarp;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * The results of a test.
 *
 * @param bytes the bytes of all messages
 * @param elapsedNanos from the first message to the end of the last
 * @param latenciesNanos the latency of each message; empty if not measured
 */
public record Summary(long messages, long bytes, long elapsedNanos, Histogram latenciesNanos) {
    private static final double MIB = 1 << 20;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    /** Returns lines of text. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%d messages, %d bytes in %.3f s: %s",
                messages,
                bytes,
                elapsedNanos / NANOS_PER_SECOND,
                rate(messages, bytes, elapsedNanos)));
        if (latenciesNanos.getTotalCount() > 0) {
            StringBuilder line = new StringBuilder(
                    String.format(Locale.ROOT, "latency us: min %.1f", latenciesNanos.getMinValue() / NANOS_PER_MICRO));
            for (double percentile : PERCENTILES) {
                line.append(String.format(
                        Locale.ROOT,
                        "  %s%% %.1f",
                        percentile == Math.rint(percentile) ? Long.toString(Math.round(percentile)) : percentile,
                        latenciesNanos.getValueAtPercentile(percentile) / NANOS_PER_MICRO));
            }
            lines.add(line.append(String.format(
                            Locale.ROOT,
                            "  max %.1f  mean %.1f",
                            latenciesNanos.getMaxValue() / NANOS_PER_MICRO,
                            latenciesNanos.getMean() / NANOS_PER_MICRO))
                    .toString());
        }
        return List.copyOf(lines);
    }

    /** Returns a rate as text. */
    static String rate(long messages, long bytes, long nanos) {
        double seconds = Math.max(nanos, 1) / NANOS_PER_SECOND;
        return String.format(Locale.ROOT, "%.2f MiB/s, %.0f messages/s", bytes / MIB / seconds, messages / seconds);
    }
}
