package org.warpnfs.tools.bench.compare;

/**
 * The result of one measurement.
 *
 * @param operations number of operations that succeeded
 * @param seconds length of the measurement
 * @param p50Micros median latency; the other percentiles likewise
 * @param serverSeconds CPU time of all threads of the server, user and system
 * @param clientSeconds CPU time of the load generator
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

    /** @param sizeBytes size of each operation */
    double serverSecondsPerGib(int sizeBytes) {
        return serverSeconds / (operations * (double) sizeBytes / GIB);
    }

    double clientSecondsPerGib(int sizeBytes) {
        return clientSeconds / (operations * (double) sizeBytes / GIB);
    }
}
