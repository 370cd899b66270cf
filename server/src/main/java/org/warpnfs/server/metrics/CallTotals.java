package org.warpnfs.server.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.warpnfs.nfs.stats.Metered;

/**
 * What one procedure or operation came to since the start.
 *
 * @param transport what carried the calls; {@code ""} for all together
 * @param count how often it ended
 * @param nanos all their times together
 * @param errors how often it ended with another status than OK
 */
public record CallTotals(Metered what, String transport, long count, long nanos, long errors) {
    /** The sums over transports. */
    static List<CallTotals> overAllTransports(List<CallTotals> totals) {
        Map<Metered, CallTotals> sums = new LinkedHashMap<>();
        for (CallTotals total : totals) {
            CallTotals first = new CallTotals(total.what, "", total.count, total.nanos, total.errors);
            sums.merge(
                    total.what,
                    first,
                    (sum, more) -> new CallTotals(
                            sum.what, "", sum.count + more.count, sum.nanos + more.nanos, sum.errors + more.errors));
        }
        return List.copyOf(sums.values());
    }
}
