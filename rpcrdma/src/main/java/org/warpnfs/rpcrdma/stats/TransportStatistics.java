package org.warpnfs.rpcrdma.stats;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one service. Safe for any thread. A snapshot is not consistent across counters. */
public final class TransportStatistics {
    // The map is filled here and never changed again, so that reading it needs no lock.
    private final Map<Counter, LongAdder> adders = new EnumMap<>(Counter.class);

    public TransportStatistics() {
        for (Counter counter : Counter.values()) {
            adders.put(counter, new LongAdder());
        }
    }

    public void increment(Counter counter) {
        adder(counter).increment();
    }

    /** Adds to a counter. The amount may be negative for a {@link Counter.Kind#LEVEL}. */
    public void add(Counter counter, long amount) {
        adder(counter).add(amount);
    }

    public long get(Counter counter) {
        return adder(counter).sum();
    }

    /** Every counter, in the order of declaration. */
    public Map<Counter, Long> snapshot() {
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        adders.forEach((counter, adder) -> values.put(counter, adder.sum()));
        return values;
    }

    private LongAdder adder(Counter counter) {
        return Objects.requireNonNull(adders.get(counter));
    }
}
