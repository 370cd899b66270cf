package org.warpnfs.tools.bench.scale;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.warpnfs.tools.bench.Protocol;

/**
 * The options of a run.
 *
 * @param parts what to measure
 * @param version 3 or 4 (for 4.1)
 * @param connections the numbers of connections whose memory is measured, each at least 1
 * @param beside how many idle connections the active one has beside it
 * @param several the numbers of connections whose throughput is compared, each at least 1
 * @param rounds how often the active connection and throughput are measured
 * @param duration length of each measurement
 * @param warmUp how long a server works before the first measurement
 */
public record ScaleOptions(
        Set<Part> parts,
        List<Protocol> protocols,
        int version,
        List<Integer> connections,
        int beside,
        List<Integer> several,
        int rounds,
        Duration duration,
        Duration warmUp) {
    /** What can be measured. */
    public enum Part {
        /** Memory of the server for each connection. */
        MEMORY,
        /** One active connection, alone and beside idle ones. */
        BESIDE,
        /** Throughput over several connections. */
        SEVERAL
    }

    public ScaleOptions {
        parts = Set.copyOf(parts);
        protocols = List.copyOf(protocols);
        connections = List.copyOf(connections);
        several = List.copyOf(several);
    }

    String versionText() {
        return version == 3 ? "NFSv3" : "NFSv4.1";
    }
}
