package org.warpnfs.iwarp.memory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Something of which all queue pairs together have only so much. Safe for any thread. */
public final class Budget {
    private final String what;
    private final long limit;
    private final AtomicLong used = new AtomicLong();
    private final LongAdder refusals = new LongAdder();

    /** @param what is counted, for people */
    public Budget(String what, long limit) {
        this.what = what;
        this.limit = limit;
    }

    /** How much is taken, what queue pairs hold in advance included. */
    public long used() {
        return used.get();
    }

    /** How often there was not enough. */
    public long refusals() {
        return refusals.sum();
    }

    /** Takes as much as there is, up to what is wanted; the rest counts as refused. */
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

    /** Takes all of an amount or nothing; whoever asks for too much is in nobody's way. */
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
