package org.warpnfs.iwarp.netty;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counters of one transport. Safe for any thread. */
public final class TransportStatistics {
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger halfOpen = new AtomicInteger();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder internalErrors = new LongAdder();

    TransportStatistics() {}

    /** Connections that peers opened and that are not closed yet. */
    public int connections() {
        return connections.get();
    }

    /** Of those, how many are in their startup. */
    public int halfOpenConnections() {
        return halfOpen.get();
    }

    /** Connections accepted from the network, ever, those closed because of a limit not among them. */
    public long accepted() {
        return accepted.sum();
    }

    /** Connections closed at once because of a limit. */
    public long refused() {
        return refused.sum();
    }

    /** Connections ended by a bug of ours or of the upper layer's. */
    public long internalErrors() {
        return internalErrors.sum();
    }

    /** Counts a new connection, unless that would break a limit. */
    boolean admit(IwarpConfig limits) {
        if (connections.incrementAndGet() > limits.maxConnections()) {
            connections.decrementAndGet();
            refused.increment();
            return false;
        }
        if (halfOpen.incrementAndGet() > limits.maxHalfOpenConnections()) {
            halfOpen.decrementAndGet();
            connections.decrementAndGet();
            refused.increment();
            return false;
        }
        accepted.increment();
        return true;
    }

    void startupEnded() {
        halfOpen.decrementAndGet();
    }

    void connectionClosed() {
        connections.decrementAndGet();
    }

    void internalError() {
        internalErrors.increment();
    }
}
