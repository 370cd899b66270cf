package org.warpnfs.tools.bench.crowd;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The counters that all members of a crowd share. Thread-safe. */
final class Tally {
    final LongAdder writes = new LongAdder();
    final LongAdder commits = new LongAdder();
    final LongAdder reads = new LongAdder();
    final LongAdder metadata = new LongAdder();
    final LongAdder repeated = new LongAdder();
    final AtomicInteger served = new AtomicInteger();
    private final LongAdder errors = new LongAdder();
    private final LongAdder mismatches = new LongAdder();
    private final AtomicReference<@Nullable String> firstError = new AtomicReference<>();

    void failed(String why) {
        errors.increment();
        firstError.compareAndSet(null, why);
    }

    void mismatch(String what) {
        mismatches.increment();
        failed(what);
    }

    long calls() {
        return writes.sum() + commits.sum() + reads.sum() + metadata.sum();
    }

    long errors() {
        return errors.sum();
    }

    CrowdReport report(int wanted, double seconds) {
        return new CrowdReport(
                wanted,
                served.get(),
                writes.sum(),
                commits.sum(),
                reads.sum(),
                metadata.sum(),
                repeated.sum(),
                mismatches.sum(),
                errors.sum(),
                firstError.get(),
                seconds);
    }
}
