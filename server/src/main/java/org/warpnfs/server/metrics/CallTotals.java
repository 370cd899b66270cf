package org.warpnfs.server.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.warpnfs.nfs.stats.Metered;

/**
 * The totals of one procedure or operation since the start.
 *
 * @param transport the transport; {@code ""} for the sum of all
 * @param count the number of calls that ended
 * @param nanos the sum of their times
 * @param errors the number of calls that ended with another status than OK
 */
public record CallTotals(Metered what, String transport, long count, long nanos, long errors) {
    /** Returns the sums over all transports. */
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
