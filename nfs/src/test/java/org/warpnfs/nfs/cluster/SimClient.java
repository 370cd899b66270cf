package org.warpnfs.nfs.cluster;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A simulated client: what it believes to hold, and through which instance of its gateway. */
final class SimClient {
    final int number;
    final String home;
    final Set<Integer> holds = new LinkedHashSet<>();
    /** The gateway's process that granted what it holds; null if it holds nothing. */
    @Nullable
    SimGateway through;
    /**
     * True if a grace period was lifted, or its gateway given up, after its gateway's end and before it reclaimed:
     * others may have its locks.
     */
    boolean lapsed;

    SimClient(int number, String home) {
        this.number = number;
        this.home = home;
    }
}
