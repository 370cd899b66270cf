package org.warpnfs.tools.bench.compare;

/**
 * What one measurement brought.
 *
 * @param operations that succeeded
 * @param seconds that they took
 * @param p50Micros latency that half of the operations had at most; the others likewise
 * @param serverSeconds CPU time of the server, all threads, user and system
 * @param clientSeconds that of the load generator
 */
record Sample(
        long operations,
        double seconds,
        double p50Micros,
        double p99Micros,
        double p999Micros,
        double serverSeconds,
        double clientSeconds) {
    private static final double GIB = 1 << 30;

    double perSecond() {
        return operations / seconds;
    }

    double serverMicros() {
        return serverSeconds * 1e6 / operations;
    }

    double clientMicros() {
        return clientSeconds * 1e6 / operations;
    }

    /** @param sizeBytes of each operation */
    double serverSecondsPerGib(int sizeBytes) {
        return serverSeconds / (operations * (double) sizeBytes / GIB);
    }

    double clientSecondsPerGib(int sizeBytes) {
        return clientSeconds / (operations * (double) sizeBytes / GIB);
    }
}
