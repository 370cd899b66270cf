package org.warpnfs.rpcrdma.credit;

import java.util.concurrent.atomic.AtomicLong;

/** How many receive buffers all connections together may hold. Safe for any thread. */
public final class ReceiveBudget {
    private final AtomicLong left;

    /** @param buffers in all, at least one */
    public ReceiveBudget(long buffers) {
        if (buffers < 1) {
            throw new IllegalArgumentException("a budget of " + buffers + " receive buffers serves nobody");
        }
        left = new AtomicLong(buffers);
    }

    /**
     * Takes as many buffers as there are, up to {@code wanted}.
     *
     * @return 0 to {@code wanted}; the caller gives back exactly that many
     */
    public int take(int wanted) {
        while (true) {
            long available = left.get();
            int taken = (int) Math.min(available, wanted);
            if (left.compareAndSet(available, available - taken)) {
                return taken;
            }
        }
    }

    /** Gives buffers back. */
    public void give(int buffers) {
        left.addAndGet(buffers);
    }

    /** Buffers that nobody holds. */
    public long left() {
        return left.get();
    }
}
