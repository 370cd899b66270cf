package org.warpnfs.tools.bench.crowd;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The result of a crowd.
 *
 * @param wanted number of connections that were asked for
 * @param served connections that had at least one call answered while all were open
 * @param writes WRITEs that were answered
 * @param commits COMMITs that were answered
 * @param reads READs that were answered, each compared with what was written
 * @param metadata metadata calls that were answered: GETATTR, whose size is verified, and LOOKUP or OPEN
 * @param repeated calls that the server asked to try again later
 * @param mismatches data and sizes that differ from what was written
 * @param errors calls and connections that failed, mismatches included
 * @param firstError message of the first error
 * @param seconds time since all connections were open
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
    /** Whether every connection was served and every call got the right reply. */
    public boolean clean() {
        return errors == 0 && mismatches == 0 && served == wanted;
    }

    private long calls() {
        return writes + commits + reads + metadata;
    }

    /** The report as lines for people. */
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
