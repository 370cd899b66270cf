package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;

/**
 * Direct, page-aligned buffers under one budget, shared fairly between clients.
 *
 * <h2>Operation</h2>
 *
 * Buffers have a few sizes, the size classes, each four times the one before. A request gets a buffer of the smallest
 * class that holds it. The buffers lent out, counted in full size, never exceed the budget.
 *
 * <p>Clients share the budget, and the part of each size class, by {@link org.warpnfs.limits.FairShare}. A client that
 * holds no buffer may have one, however little is free.
 *
 * <p>A request that cannot be met is refused ({@link #tryAcquire}) or waits for its client's turn ({@link #acquire},
 * {@link PoolTurns}).
 *
 * <h2>Buffers</h2>
 *
 * Memory is kept for the life of the pool. Contents are not cleared, so whoever fills a buffer sets its limit to the
 * end of what was filled.
 *
 * <h2>Errors</h2>
 *
 * Asking for more than {@link #maxLengthBytes()} is a bug and throws {@link IllegalArgumentException}, because the
 * caller checks lengths that a peer claims. If the virtual machine has no direct memory left, the pool behaves as if
 * its budget were used up. Safe for any thread. Grants run without a lock held.
 */
public final class PayloadPool {
    /** The alignment of buffers in bytes. */
    public static final int ALIGNMENT_BYTES = 4096;

    /** A request that waits for memory. */
    public interface Wait {
        /**
         * Cancels the request.
         *
         * @return true if it will not be granted any more; false if it was granted, or is being granted on another
         *     thread
         */
        boolean cancel();
    }

    private final Object lock = new Object();
    private final long budgetBytes;
    private final Slabs slabs;
    private final Map<ClientAddress, PoolClient> clients = new HashMap<>();
    private final PoolTurns turns;
    private long lentBytes;
    private long waits;

    /**
     * @param budgetBytes the most memory that is lent out at one time; at least one buffer of the largest class
     * @param maxLengthBytes the largest request that will be made
     */
    public PayloadPool(long budgetBytes, int maxLengthBytes) {
        this(budgetBytes, maxLengthBytes, ByteBuffer::allocateDirect);
    }

    PayloadPool(long budgetBytes, int maxLengthBytes, Slabs.Memory memory) {
        if (maxLengthBytes < 1 || maxLengthBytes > 1 << 28) {
            throw new IllegalArgumentException(
                    "payload length limit of " + maxLengthBytes + " bytes is not within 1.." + (1 << 28));
        }
        int largest = Slabs.roundUpToPage(maxLengthBytes);
        if (budgetBytes < largest) {
            throw new IllegalArgumentException("payload budget of " + budgetBytes
                    + " bytes does not hold one buffer of the largest class, " + largest + " bytes");
        }
        this.budgetBytes = budgetBytes;
        this.slabs = new Slabs(budgetBytes, maxLengthBytes, memory);
        this.turns = new PoolTurns(slabs, new PoolTurns.Lender() {
            @Override
            public boolean withinShare(PoolClient client, Slabs.SizeClass sizeClass) {
                return PayloadPool.this.withinShare(client, sizeClass);
            }

            @Override
            public @Nullable Payload take(PoolRequest request) {
                return PayloadPool.this.take(request.client, request.lengthBytes, request.sizeClass);
            }
        });
    }

    /** The length of the largest possible request. */
    public int maxLengthBytes() {
        return slabs.maxLengthBytes();
    }

    /** Memory lent out now, counted in whole buffers. */
    public long lentBytes() {
        synchronized (lock) {
            return lentBytes;
        }
    }

    /** The budget given to the constructor. */
    public long budgetBytes() {
        return budgetBytes;
    }

    /** The most direct memory that this pool will ever take, in bytes. */
    public long reservedBytes() {
        return slabs.reservedBytes();
    }

    /** Direct memory that this pool has taken so far, in bytes. It never shrinks. */
    public long allocatedBytes() {
        synchronized (lock) {
            return slabs.allocatedBytes();
        }
    }

    /** How often the virtual machine had no direct memory for this pool. */
    public long failedAllocations() {
        synchronized (lock) {
            return slabs.failedAllocations();
        }
    }

    /** Memory lent to one client now, counted in whole buffers. */
    public long lentBytes(ClientAddress client) {
        synchronized (lock) {
            PoolClient known = clients.get(client);
            return known == null ? 0 : known.heldBytes();
        }
    }

    /** The number of clients that hold memory or wait; for tests. */
    int clients() {
        synchronized (lock) {
            return clients.size();
        }
    }

    /** The number of requests that wait now. */
    public int waitingRequests() {
        synchronized (lock) {
            return turns.requests();
        }
    }

    /** The number of requests that had to wait so far. */
    public long waits() {
        synchronized (lock) {
            return waits;
        }
    }

    /**
     * Lends a payload to this host itself, within the budget but outside the clients' shares. For requesters and tools,
     * which serve no clients.
     *
     * @return a payload whose buffer has position 0 and limit {@code lengthBytes}; null if the budget is used up
     */
    public @Nullable Payload tryAcquire(int lengthBytes) {
        checkLength(lengthBytes);
        synchronized (lock) {
            return take(null, lengthBytes, slabs.classFor(lengthBytes));
        }
    }

    /**
     * Lends a payload whose buffer has position 0 and limit {@code lengthBytes}, if one is available now.
     *
     * @return null if the client is over its share, the budget is used up, or other requests wait already
     */
    public @Nullable Payload tryAcquire(ClientAddress client, int lengthBytes) {
        checkLength(lengthBytes);
        Payload payload;
        List<PoolRequest> others;
        synchronized (lock) {
            PoolRequest request = request(client, lengthBytes, _ -> {});
            if (turns.nobodyWaits()) {
                payload = withinShare(request.client, request.sizeClass)
                        ? take(request.client, lengthBytes, request.sizeClass)
                        : null;
                forgetIfIdle(request.client);
                return payload;
            }
            turns.enqueue(request);
            others = turns.grant();
            payload = request.payload;
            withdraw(request);
            others.remove(request);
        }
        Grants.runForOthers(others);
        return payload;
    }

    /**
     * Lends a payload when it is this request's turn.
     *
     * @param granted receives the payload, whose buffer has position 0 and limit {@code lengthBytes}, and must release
     *     it in the end. It runs once, either on this thread before the method returns, or later on a thread that
     *     releases a payload. It must not block.
     */
    public Wait acquire(ClientAddress client, int lengthBytes, Consumer<Payload> granted) {
        checkLength(lengthBytes);
        PoolRequest request;
        List<PoolRequest> others;
        boolean met;
        synchronized (lock) {
            request = request(client, lengthBytes, granted);
            turns.enqueue(request);
            others = turns.grant();
            met = others.remove(request);
            if (!met) {
                waits++;
            }
        }
        Grants.runForOthers(others);
        if (met) {
            Grants.run(List.of(request));
        }
        return () -> cancel(request);
    }

    private boolean cancel(PoolRequest request) {
        List<PoolRequest> others = List.of();
        boolean removed;
        synchronized (lock) {
            removed = withdraw(request);
            if (removed) {
                // The cancelled request may have held up others.
                others = turns.grant();
            }
        }
        Grants.runForOthers(others);
        return removed;
    }

    private void checkLength(int lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > maxLengthBytes()) {
            throw new IllegalArgumentException(
                    "payload of " + lengthBytes + " bytes is not within 0.." + maxLengthBytes());
        }
    }

    // Under the lock

    private PoolRequest request(ClientAddress address, int lengthBytes, Consumer<Payload> granted) {
        PoolClient client = clients.computeIfAbsent(address, PoolClient::new);
        return new PoolRequest(client, lengthBytes, slabs.classFor(lengthBytes), granted);
    }

    private void forgetIfIdle(PoolClient client) {
        if (client.idle()) {
            clients.remove(client.address);
        }
    }

    private boolean withdraw(PoolRequest request) {
        boolean removed = turns.withdraw(request);
        if (removed) {
            forgetIfIdle(request.client);
        }
        return removed;
    }

    private boolean withinShare(PoolClient client, Slabs.SizeClass sizeClass) {
        return client.mayHold(sizeClass, budgetBytes - lentBytes, slabs.capacityBytes(sizeClass) - sizeClass.lentBytes);
    }

    private @Nullable Payload take(@Nullable PoolClient client, int lengthBytes, Slabs.SizeClass sizeClass) {
        Slabs.Piece piece = slabs.take(sizeClass);
        if (piece == null) {
            return null;
        }
        lentBytes += sizeClass.sizeBytes;
        if (client != null) {
            client.hold(sizeClass, sizeClass.sizeBytes);
        }
        return new Pooled(client, piece, lengthBytes);
    }

    // Outside the lock

    private void release(@Nullable PoolClient client, Slabs.Piece piece) {
        List<PoolRequest> met;
        synchronized (lock) {
            slabs.give(piece);
            lentBytes -= piece.sizeBytes();
            if (client != null) {
                client.hold(slabs.classFor(piece.sizeBytes()), -piece.sizeBytes());
                forgetIfIdle(client);
            }
            met = turns.grant();
        }
        Grants.runForOthers(met);
    }

    private final class Pooled implements Payload {
        private final @Nullable PoolClient client;
        private final Slabs.Piece piece;
        private final ByteBuffer view;
        private final AtomicBoolean released = new AtomicBoolean();

        Pooled(@Nullable PoolClient client, Slabs.Piece piece, int lengthBytes) {
            this.client = client;
            this.piece = piece;
            this.view = piece.memory().duplicate().clear().limit(lengthBytes);
        }

        @Override
        public ByteBuffer buffer() {
            if (released.get()) {
                throw new IllegalStateException("payload used after its release");
            }
            return view;
        }

        @Override
        public void release() {
            if (!released.compareAndSet(false, true)) {
                throw new IllegalStateException("payload released twice");
            }
            PayloadPool.this.release(client, piece);
        }
    }
}
