package org.warpnfs.tools.bench.crowd;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What came of it.
 *
 * @param wanted connections
 * @param served connections that had at least one call answered when all were there
 * @param writes answered
 * @param commits answered
 * @param reads answered, each compared with what was written
 * @param metadata calls answered: GETATTR, whose size is compared, and LOOKUP or OPEN
 * @param repeated calls that the server asked to try again later
 * @param mismatches reads and sizes that were something else than was written
 * @param errors calls and connections that failed, mismatches included
 * @param firstError what the first of them was
 * @param seconds from when all were there
 */
public record CrowdReport(
        int wanted,
        int served,
        long writes,
        long commits,
        long reads,
        long metadata,
        long repeated,
        long mismatches,
        long errors,
        @Nullable String firstError,
        double seconds) {
    /** Whether every connection was served, and every call answered with what it should be. */
    public boolean clean() {
        return errors == 0 && mismatches == 0 && served == wanted;
    }

    private long calls() {
        return writes + commits + reads + metadata;
    }

    /** For people. */
    public List<String> lines() {
        return List.of(
                String.format(
                        Locale.ROOT,
                        "connections %d of %d served; %.0f calls/s for %.1f s",
                        served,
                        wanted,
                        calls() / Math.max(seconds, 0.001),
                        seconds),
                String.format(
                        Locale.ROOT,
                        "%d reads verified, %d writes, %d commits, %d metadata; %d asked to come later",
                        reads,
                        writes,
                        commits,
                        metadata,
                        repeated),
                errors == 0
                        ? "no error"
                        : errors + " errors, " + mismatches + " of them other data than was written; the first: "
                                + firstError);
    }
}
