package org.warpnfs.server.rpcbind;

/** What the portmappers of this process were asked, for the metrics. Safe for any thread. */
public final class PortmapTotals {
    private PortmapTotals() {}

    /** Calls of a version, 2 to 4. */
    public static long calls(int version) {
        return PortmapCounts.callsOfProcess(version);
    }

    /** Calls that were refused to everyone: SET, UNSET, CALLIT and its kin, and what there is not. */
    public static long refused() {
        return PortmapCounts.refusedOfProcess();
    }
}
