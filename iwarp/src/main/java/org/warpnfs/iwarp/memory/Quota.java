package org.warpnfs.iwarp.memory;

import org.warpnfs.iwarp.verbs.LimitReachedException;

/**
 * One holder's part of a {@link Budget}, with a limit of its own.
 *
 * <h2>Operation</h2>
 *
 * Takes from the budget in steps and keeps up to two steps of what is given back. So taking and giving for each message
 * do not access the state that all threads share.
 *
 * <h2>Buffers</h2>
 *
 * None.
 *
 * <h2>Errors</h2>
 *
 * {@link #take} beyond either limit throws {@link LimitReachedException} and takes nothing. For one thread at a time.
 */
public final class Quota {
    private final Budget total;
    private final long limit;
    private final long step;
    private long used;
    private long held;

    /**
     * @param limit the limit of this holder
     * @param step how much to take from the total at a time, if that much is available
     */
    public Quota(Budget total, long limit, long step) {
        this.total = total;
        this.limit = limit;
        this.step = step;
    }

    /** The amount in use. */
    public long used() {
        return used;
    }

    public void take(long amount) {
        if (amount > limit - used) {
            total.refused();
            throw new LimitReachedException(
                    total + ": this holder may have " + limit + ", has " + used + ", wants " + amount);
        }
        long missing = used + amount - held;
        if (missing > 0) {
            hold(missing);
        }
        used += amount;
    }

    private void hold(long missing) {
        long more = Math.max(missing, step);
        if (!total.take(more)) {
            more = missing;
            if (!total.take(more)) {
                total.refused();
                throw new LimitReachedException(total + " in all is reached");
            }
        }
        held += more;
    }

    public void give(long amount) {
        used -= amount;
        if (held - used > 2 * step) {
            total.give(held - used - step);
            held = used + step;
        }
    }

    /** Gives everything back. */
    public void close() {
        total.give(held);
        held = 0;
        used = 0;
    }
}
