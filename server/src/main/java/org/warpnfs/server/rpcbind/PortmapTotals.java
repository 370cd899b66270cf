package org.warpnfs.server.rpcbind;

/** Totals of the portmappers of this process, for the metrics. Safe for any thread. */
public final class PortmapTotals {
    private PortmapTotals() {}

    /** Returns the calls of a version, 2 to 4. */
    public static long calls(int version) {
        return PortmapCounts.callsOfProcess(version);
    }

    /** Returns the calls that are refused to everyone: SET, UNSET, CALLIT, BCAST, INDIRECT, and unknown procedures. */
    public static long refused() {
        return PortmapCounts.refusedOfProcess();
    }
}
