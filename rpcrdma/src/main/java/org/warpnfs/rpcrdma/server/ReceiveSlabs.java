package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.credit.ClientBudget;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The memory of all receive buffers of one responder.
 *
 * <h2>Operation</h2>
 *
 * Direct memory is taken in slabs of 64 buffers and kept. Buffers of connections that have ended are used for later
 * ones. So connections that come and go do not use up memory that only the garbage collector would free. There is a
 * budget for all clients together and a limit for each client. When a connection takes more than its first buffers, a
 * first set stays reserved for each connection that may still come. Otherwise a few busy connections would keep all
 * others out.
 *
 * <h2>Buffers</h2>
 *
 * A buffer that was taken comes back through {@link #give} when it is no longer read. Contents are not cleared, because
 * the limit marks the end of a message.
 *
 * <h2>Errors</h2>
 *
 * If the budget or the direct memory of the virtual machine is used up, fewer buffers are returned, or none. Safe for
 * any thread.
 */
final class ReceiveSlabs {
    /**
     * The number of buffers in a slab, which is 256 KiB with buffers of 4096 bytes. That makes few allocations, and is
     * not much more than the first busy connection needs.
     */
    static final int SLAB_BUFFERS = 64;

    private final int bufferBytes;
    private final ClientBudget budget;
    private final LongSupplier reserved;
    private final TransportStatistics statistics;
    private final Deque<ByteBuffer> free = new ArrayDeque<>();

    /**
     * @param budget the budget, counted in buffers
     * @param reserved the number of buffers reserved for connections that may still come
     */
    ReceiveSlabs(int bufferBytes, ClientBudget budget, LongSupplier reserved, TransportStatistics statistics) {
        this.bufferBytes = bufferBytes;
        this.budget = budget;
        this.reserved = reserved;
        this.statistics = statistics;
    }

    /**
     * Takes buffers for a connection that already has its first set. Returns up to {@code wanted} buffers, as many as
     * exceed the reserve for other connections.
     */
    List<ByteBuffer> takeMore(ClientAddress client, int wanted) {
        long spare = budget.left() - reserved.getAsLong();
        return take(client, Math.clamp(spare, 0, wanted));
    }

    /** Takes as many buffers as are available, up to {@code wanted}. */
    List<ByteBuffer> take(ClientAddress client, int wanted) {
        int allowed = budget.take(client, wanted);
        List<ByteBuffer> taken = new ArrayList<>(allowed);
        synchronized (free) {
            while (taken.size() < allowed && (!free.isEmpty() || addSlab())) {
                taken.add(free.removeLast());
            }
        }
        budget.give(client, allowed - taken.size());
        statistics.add(Counter.RECEIVE_BUFFERS_HELD, taken.size());
        return taken;
    }

    /** Takes a buffer back. */
    void give(ClientAddress client, ByteBuffer buffer) {
        synchronized (free) {
            free.addLast(buffer);
        }
        statistics.add(Counter.RECEIVE_BUFFERS_HELD, -1);
        budget.give(client, 1);
    }

    /** Adds a slab. The slabs never exceed the budget, because one is added only while all other buffers are lent. */
    private boolean addSlab() {
        ByteBuffer slab;
        try {
            slab = ByteBuffer.allocateDirect(SLAB_BUFFERS * bufferBytes);
        } catch (OutOfMemoryError e) {
            statistics.increment(Counter.RECEIVE_SLABS_REFUSED);
            return false;
        }
        statistics.increment(Counter.RECEIVE_SLABS);
        for (int i = 0; i < SLAB_BUFFERS; i++) {
            free.addLast(slab.slice(i * bufferBytes, bufferBytes));
        }
        return true;
    }
}
