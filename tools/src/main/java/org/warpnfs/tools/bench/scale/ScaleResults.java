package org.warpnfs.tools.bench.scale;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.tools.bench.Protocol;

/** What a run has measured so far. */
final class ScaleResults {
    /**
     * Memory with a number of connections.
     *
     * @param before with none
     * @param idle each has made the calls that open a file, and makes no others
     * @param active each has one READ in flight
     * @param work the work of the active connections
     */
    record MemoryRow(
            Protocol protocol,
            int connections,
            ServerMemory before,
            ServerMemory idle,
            ServerMemory active,
            Work work) {}

    /** One active connection in several rounds, alone and beside idle ones. */
    record BesideRow(Protocol protocol, int depth, int idle, List<Work> alone, List<Work> beside) {}

    /** Some connections in several rounds. */
    record SeveralRow(Protocol protocol, int connections, List<Work> rounds) {}

    /**
     * What was done in some time.
     *
     * @param serverSeconds CPU time of the server
     */
    record Work(long operations, double seconds, double p50Micros, double p99Micros, double serverSeconds) {
        private static final double MICROS = 1e6;

        double perSecond() {
            return operations / seconds;
        }

        double serverMicros() {
            return operations == 0 ? 0 : serverSeconds * MICROS / operations;
        }
    }

    final List<MemoryRow> memory = new ArrayList<>();
    final List<BesideRow> beside = new ArrayList<>();
    final List<SeveralRow> several = new ArrayList<>();
}
