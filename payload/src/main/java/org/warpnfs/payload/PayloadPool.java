package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;

/**
 * Direct, page-aligned buffers under one budget, shared fairly between clients.
 *
 * <h2>Operation</h2>
 *
 * Buffers come in a few size classes, each four times the one before. A request gets the smallest class that holds it. What is
 * lent out, counted in whole buffers, never exceeds the budget.
 *
 * <p>A client may hold as much as is free: alone it gets half of the budget, two get a third each, and so on. So there is always
 * something left for a client that comes, and nobody has to know beforehand how many there will be. The same holds within each size
 * class. One buffer is granted to a client that holds none, however little is free.
 *
 * <p>A request that cannot be met is refused ({@link #tryAcquire}) or waits ({@link #acquire}). Clients take turns, each with its
 * oldest request. A client that is over its share is passed over. A client that is not, and for whose turn there is no memory, is
 * the next to get any: nobody takes a slab before it.
 *
 * <h2>Buffers</h2>
 *
 * Memory is kept for the life of the pool. Contents are not cleared: the one who fills a buffer sets its limit to what was filled.
 *
 * <h2>Errors</h2>
 *
 * Asking for more than {@link #maxLengthBytes()} is a bug and throws {@link IllegalArgumentException}: lengths that a peer
 * claims are checked before they come here. Direct memory that the virtual machine does not have counts as used up. Safe for any
 * thread; grants run without a lock held.
 */
public final class PayloadPool {
    /** Buffers start on a multiple of this many bytes. */
    public static final int ALIGNMENT_BYTES = 4096;

    /** A request that has to wait for memory. */
    public interface Wait {
        /**
         * Gives the request up.
         *
         * @return true if it will not be granted any more; false if it was granted, or is being granted on another thread
         */
        boolean cancel();
    }

    private static final class Client {
        final ClientAddress address;
        final Deque<Request> waiting = new ArrayDeque<>();
        final Map<Slabs.SizeClass, Long> heldBytesOf = new HashMap<>();
        long heldBytes;

        Client(ClientAddress address) {
            this.address = address;
        }

        void hold(Slabs.SizeClass sizeClass, int bytes) {
            heldBytes += bytes;
            heldBytesOf.merge(sizeClass, (long) bytes, Long::sum);
        }
    }

    private final class Request implements Wait {
        final Client client;
        final int lengthBytes;
        final Slabs.SizeClass sizeClass;
        final Consumer<Payload> granted;

        @Nullable
        Payload payload;

        Request(Client client, int lengthBytes, Consumer<Payload> granted) {
            this.client = client;
            this.lengthBytes = lengthBytes;
            this.sizeClass = slabs.classFor(lengthBytes);
            this.granted = granted;
        }

        @Override
        public boolean cancel() {
            List<Request> others = List.of();
            boolean removed;
            synchronized (lock) {
                removed = withdraw(this);
                if (removed) {
                    // It may have stood in the way of others.
                    others = grantByTurns();
                }
            }
            run(others);
            return removed;
        }
    }

    /** What a thread that is running grants has been given to run meanwhile: so grants never nest. */
    private static final ThreadLocal<Deque<Request>> RUNNING = new ThreadLocal<>();

    private final Object lock = new Object();
    private final long budgetBytes;
    private final Slabs slabs;
    private final Map<ClientAddress, Client> clients = new HashMap<>();

    /** Clients with requests that wait, the next in turn first. */
    private final Deque<Client> turns = new ArrayDeque<>();

    private long lentBytes;
    private int waitingRequests;
    private long waits;

    /**
     * @param budgetBytes how much may be lent out at once; at least one buffer of the largest class
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
    }

    /** The largest request that can be met. */
    public int maxLengthBytes() {
        return slabs.maxLengthBytes();
    }

    /** Memory lent out now, in whole buffers. */
    public long lentBytes() {
        synchronized (lock) {
            return lentBytes;
        }
    }

    /** The budget that this pool was made with. */
    public long budgetBytes() {
        return budgetBytes;
    }

    /** The most direct memory that this pool will ever take, in bytes. */
    public long reservedBytes() {
        return slabs.reservedBytes();
    }

    /** Direct memory that this pool has taken so far, in bytes; it never shrinks. */
    public long allocatedBytes() {
        synchronized (lock) {
            return slabs.allocatedBytes();
        }
    }

    /** Times that the virtual machine had no direct memory for this pool. */
    public long failedAllocations() {
        synchronized (lock) {
            return slabs.failedAllocations();
        }
    }

    /** Memory lent to one client now, in whole buffers. */
    public long lentBytes(ClientAddress client) {
        synchronized (lock) {
            Client known = clients.get(client);
            return known == null ? 0 : known.heldBytes;
        }
    }

    /** Clients that hold something or wait, for tests. */
    int clients() {
        synchronized (lock) {
            return clients.size();
        }
    }

    /** Requests that wait now. */
    public int waitingRequests() {
        synchronized (lock) {
            return waitingRequests;
        }
    }

    /** Requests that have had to wait so far. */
    public long waits() {
        synchronized (lock) {
            return waits;
        }
    }

    /**
     * Lends a payload to this host itself, within the budget but outside the clients' shares: for requesters and tools, which serve nobody.
     *
     * @return a payload whose buffer has position 0 and limit {@code lengthBytes}; null when the budget is used up
     */
    public @Nullable Payload tryAcquire(int lengthBytes) {
        checkLength(lengthBytes);
        synchronized (lock) {
            return take(null, lengthBytes, slabs.classFor(lengthBytes));
        }
    }

    /**
     * Lends a payload whose buffer has position 0 and limit {@code lengthBytes}, or says no.
     *
     * @return null when the client is over its share, the budget is used up, or others waited for it before
     */
    public @Nullable Payload tryAcquire(ClientAddress client, int lengthBytes) {
        checkLength(lengthBytes);
        Request request;
        Payload payload;
        List<Request> others = List.of();
        synchronized (lock) {
            request = new Request(known(client), lengthBytes, _ -> {});
            if (turns.isEmpty()) {
                payload = takeWithinShare(request);
                forgetIfIdle(request.client);
                return payload;
            }
            enqueue(request);
            List<Request> met = grantByTurns();
            payload = request.payload;
            withdraw(request);
            met.remove(request);
            others = met;
        }
        run(others);
        return payload;
    }

    /**
     * Lends a payload as soon as it is this request's turn.
     *
     * @param granted takes the payload, whose buffer has position 0 and limit {@code lengthBytes}, and must release it in the end. It runs
     *     once: on this thread before the method returns, or later on a thread that releases a payload. It must not block.
     */
    public Wait acquire(ClientAddress client, int lengthBytes, Consumer<Payload> granted) {
        checkLength(lengthBytes);
        Request request;
        List<Request> met;
        synchronized (lock) {
            request = new Request(known(client), lengthBytes, granted);
            enqueue(request);
            met = grantByTurns();
            if (request.payload == null) {
                waits++;
            }
        }
        run(met);
        return request;
    }

    private void checkLength(int lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > maxLengthBytes()) {
            throw new IllegalArgumentException(
                    "payload of " + lengthBytes + " bytes is not within 0.." + maxLengthBytes());
        }
    }

    // Under the lock

    private Client known(ClientAddress address) {
        return clients.computeIfAbsent(address, Client::new);
    }

    private void forgetIfIdle(Client client) {
        if (client.waiting.isEmpty() && client.heldBytes == 0) {
            clients.remove(client.address);
        }
    }

    /** Takes a request that was not met out of the queue; false if it is not there. */
    private boolean withdraw(Request request) {
        Client client = request.client;
        if (request.payload != null || !client.waiting.remove(request)) {
            return false;
        }
        waitingRequests--;
        if (client.waiting.isEmpty()) {
            turns.remove(client);
        }
        forgetIfIdle(client);
        return true;
    }

    private void enqueue(Request request) {
        if (request.client.waiting.isEmpty()) {
            turns.addLast(request.client);
        }
        request.client.waiting.addLast(request);
        waitingRequests++;
    }

    /** Goes around the clients that wait until nobody can be given any more. */
    private List<Request> grantByTurns() {
        List<Request> met = new ArrayList<>();
        boolean again = true;
        while (again && !turns.isEmpty()) {
            again = false;
            boolean slabsAreSpokenFor = false;
            Deque<Client> later = new ArrayDeque<>();
            for (Iterator<Client> turn = turns.iterator(); turn.hasNext(); ) {
                Client client = turn.next();
                Request request = client.waiting.getFirst();
                if (!withinShare(client, request.sizeClass)
                        || (slabsAreSpokenFor && !slabs.hasFree(request.sizeClass))) {
                    continue;
                }
                request.payload = takeWithinShare(request);
                if (request.payload == null) {
                    slabsAreSpokenFor |= !slabs.capped(request.sizeClass);
                    continue;
                }
                client.waiting.removeFirst();
                waitingRequests--;
                met.add(request);
                turn.remove();
                if (!client.waiting.isEmpty()) {
                    later.addLast(client);
                    again = true;
                }
            }
            turns.addAll(later);
        }
        return met;
    }

    /** As much as is free, of the budget and of what buffers of this class may take. */
    private boolean withinShare(Client client, Slabs.SizeClass sizeClass) {
        if (client.heldBytes == 0) {
            return true;
        }
        long ofClass = client.heldBytesOf.getOrDefault(sizeClass, 0L);
        long freeOfClass = slabs.capacityBytes(sizeClass) - sizeClass.lentBytes;
        return client.heldBytes + sizeClass.sizeBytes <= budgetBytes - lentBytes
                && (ofClass == 0 || ofClass + sizeClass.sizeBytes <= freeOfClass);
    }

    private @Nullable Payload takeWithinShare(Request request) {
        return withinShare(request.client, request.sizeClass)
                ? take(request.client, request.lengthBytes, request.sizeClass)
                : null;
    }

    private @Nullable Payload take(@Nullable Client client, int lengthBytes, Slabs.SizeClass sizeClass) {
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

    private void release(@Nullable Client client, Slabs.Piece piece) {
        List<Request> met;
        synchronized (lock) {
            slabs.give(piece);
            lentBytes -= piece.sizeBytes();
            if (client != null) {
                client.hold(slabs.classFor(piece.sizeBytes()), -piece.sizeBytes());
                forgetIfIdle(client);
            }
            met = grantByTurns();
        }
        run(met);
    }

    /** Tells those whose turn came. One that throws keeps no other from hearing. */
    private void run(List<Request> met) {
        if (met.isEmpty()) {
            return;
        }
        Deque<Request> already = RUNNING.get();
        if (already != null) {
            already.addAll(met);
            return;
        }
        Deque<Request> queue = new ArrayDeque<>(met);
        RUNNING.set(queue);
        Failures failures = new Failures();
        try {
            for (Request request = queue.poll(); request != null; request = queue.poll()) {
                Request next = request;
                failures.guard(() -> next.granted.accept(Objects.requireNonNull(next.payload)));
            }
        } finally {
            RUNNING.remove();
        }
        failures.throwFirst();
    }

    /** Lets each of several steps run, whatever those before it threw; an Error too, or others would wait for ever. */
    private static final class Failures {
        private @Nullable Throwable first;

        void guard(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                Throwable before = first;
                if (before == null) {
                    first = e;
                } else {
                    before.addSuppressed(e);
                }
            }
        }

        void throwFirst() {
            switch (first) {
                case null -> {}
                case Error error -> throw error;
                case RuntimeException unchecked -> throw unchecked;
                default -> throw new AssertionError(first);
            }
        }
    }

    private final class Pooled implements Payload {
        private final @Nullable Client client;
        private final Slabs.Piece piece;
        private final ByteBuffer view;
        private final AtomicBoolean released = new AtomicBoolean();

        Pooled(@Nullable Client client, Slabs.Piece piece, int lengthBytes) {
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
