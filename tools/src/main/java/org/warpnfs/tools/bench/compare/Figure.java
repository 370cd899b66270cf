package org.warpnfs.tools.bench.compare;

/** A figure of a row: its title, its key in JSON, and how to compute it from a sample. */
enum Figure {
    MEGABYTES("MB/s", "megabytes_per_second") {
        @Override
        double of(Sample sample, Work work) {
            return sample.perSecond() * work.sizeBytes() / 1e6;
        }
    },
    OPERATIONS("operations/s", "operations_per_second") {
        @Override
        double of(Sample sample, Work work) {
            return sample.perSecond();
        }
    },
    SERVER_GIB("server CPU s/GiB", "server_cpu_seconds_per_gib") {
        @Override
        double of(Sample sample, Work work) {
            return sample.serverSecondsPerGib(work.sizeBytes());
        }
    },
    SERVER_OPERATION("server CPU us/op", "server_cpu_us_per_operation") {
        @Override
        double of(Sample sample, Work work) {
            return sample.serverMicros();
        }
    },
    CLIENT_GIB("client CPU s/GiB", "client_cpu_seconds_per_gib") {
        @Override
        double of(Sample sample, Work work) {
            return sample.clientSecondsPerGib(work.sizeBytes());
        }
    },
    CLIENT_OPERATION("client CPU us/op", "client_cpu_us_per_operation") {
        @Override
        double of(Sample sample, Work work) {
            return sample.clientMicros();
        }
    },
    P50("50% us", "p50_us") {
        @Override
        double of(Sample sample, Work work) {
            return sample.p50Micros();
        }
    },
    P99("99% us", "p99_us") {
        @Override
        double of(Sample sample, Work work) {
            return sample.p99Micros();
        }
    },
    P999("99.9% us", "p999_us") {
        @Override
        double of(Sample sample, Work work) {
            return sample.p999Micros();
        }
    };

    private final String title;
    private final String key;

    Figure(String title, String key) {
        this.title = title;
        this.key = key;
    }

    String title() {
        return title;
    }

    /** The name in JSON. */
    String key() {
        return key;
    }

    abstract double of(Sample sample, Work work);
}
