package org.warpnfs.iwarp.memory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** A limited resource that all queue pairs share. Safe for any thread. */
public final class Budget {
    private final String what;
    private final long limit;
    private final AtomicLong used = new AtomicLong();
    private final LongAdder refusals = new LongAdder();

    /** @param what the name of the resource, for people */
    public Budget(String what, long limit) {
        this.what = what;
        this.limit = limit;
    }

    /** The amount taken, including what queue pairs hold in reserve. */
    public long used() {
        return used.get();
    }

    /** How often a request was refused or reduced. */
    public long refusals() {
        return refusals.sum();
    }

    /** Takes up to {@code wanted}, as much as is available. Taking less counts as a refusal. */
    public int takeUpTo(int wanted) {
        for (long now = used.get(); ; now = used.get()) {
            int taken = (int) Math.min(wanted, limit - now);
            if (used.compareAndSet(now, now + taken)) {
                if (taken < wanted) {
                    refused();
                }
                return taken;
            }
        }
    }

    /** Takes the whole amount or nothing. A request that fails does not affect others. */
    boolean take(long amount) {
        for (long now = used.get(); amount <= limit - now; now = used.get()) {
            if (used.compareAndSet(now, now + amount)) {
                return true;
            }
        }
        return false;
    }

    /** Gives back what was taken. */
    public void give(long amount) {
        used.addAndGet(-amount);
    }

    void refused() {
        refusals.increment();
    }

    @Override
    public String toString() {
        return "limit of " + limit + " " + what;
    }
}
