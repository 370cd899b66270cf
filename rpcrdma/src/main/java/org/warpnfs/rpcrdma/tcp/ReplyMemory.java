package org.warpnfs.rpcrdma.tcp;

import java.util.List;
import org.warpnfs.limits.FairShare;
import org.warpnfs.limits.MemoryTurns;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * Counts the memory of replies that peers have not taken, and of replies that are being made.
 *
 * <h2>Operation</h2>
 *
 * A call asks before it begins. It may begin while the replies of its client are below the client's limit, and while
 * the replies of its client on the heap are no more than what is free of the limit for all. The length of its reply is
 * unknown until the reply exists. For a call that moves data or lists names, memory for the longest reply is reserved
 * until then, so that many calls that begin together do not exceed the limits together. Other calls usually have short
 * replies. They are counted once the reply exists or the call leaves its thread. So the limits are exceeded by at most
 * one reply for each thread.
 *
 * <p>A call that may not begin waits in a queue: {@link MemoryTurns}. For each call that may begin after a wait, memory
 * for the longest reply is reserved.
 *
 * <h2>Buffers</h2>
 *
 * Counts bytes and holds no memory.
 *
 * <h2>Errors</h2>
 *
 * None. Safe for any thread. A grant is reported on the thread that gave memory back, without a lock held.
 */
final class ReplyMemory {
    /**
     * The size of a reply.
     *
     * @param bytes the length of its message, which the peer has to take
     * @param heapBytes the part of it that lies on the heap and not in pooled buffers
     */
    record Size(long bytes, long heapBytes) {
        static final Size NONE = new Size(0, 0);

        static Size of(RpcMessage reply) {
            long heapBytes = reply.xdr().remaining();
            for (int i = 0; i < reply.items().size(); i++) {
                heapBytes += reply.items().get(i).payload().heapBytes();
            }
            return new Size(reply.lengthBytes(), heapBytes);
        }

        private static Size heap(long bytes) {
            return new Size(bytes, bytes);
        }
    }

    /** The memory that the connections of one client address hold and have reserved, and their waiting requests. */
    static final class Share extends MemoryTurns.Share {
        /** Written under the lock. */
        private volatile long untakenBytes;

        private long heapBytes;
        private long setAsideBytes;

        /** Bytes of replies that the client has not taken, and of partial replies that unfinished calls hold. */
        long untakenBytes() {
            return untakenBytes;
        }
    }

    /** One call that waits. */
    final class Request extends MemoryTurns.Request {
        private final Share share;
        private boolean alone;

        private Request(Share share, boolean alone, Runnable granted) {
            super(share, granted);
            this.share = share;
            this.alone = alone;
        }

        @Override
        protected boolean waitsForRoom() {
            return share.heapBytes + share.setAsideBytes == 0 && longestBytes > maxBytes - usedBytes;
        }

        @Override
        protected boolean fits() {
            return ReplyMemory.this.fits(share, alone);
        }

        @Override
        protected void book() {
            bookSetAside(share, longestBytes);
        }
    }

    private final long maxBytes;
    private final long maxBytesOfClient;
    private final long longestBytes;
    private final TransportStatistics statistics;
    private final MemoryTurns turns = new MemoryTurns();
    private long usedBytes;

    ReplyMemory(TcpOptions options, TransportStatistics statistics) {
        this.maxBytes = options.maxUnsentBytesOfAll();
        this.maxBytesOfClient = options.maxUnsentBytesPerClient();
        // A reply is about as long as a call may be, because both carry one transfer.
        this.longestBytes = Math.min(options.maxRecordBytes(), maxBytes);
        this.statistics = statistics;
    }

    /**
     * Asks for a call that usually has a short reply.
     *
     * @param alone whether its connection has no other call; if so, replies that other connections of its client have
     *     not taken do not matter
     */
    synchronized boolean mayBegin(Share share, boolean alone) {
        long room = maxBytes - usedBytes - share.heapBytes;
        return room > 0 && (alone || share.untakenBytes < maxBytesOfClient);
    }

    /** Asks for a call whose reply may have the maximum length, and reserves memory for it. */
    synchronized boolean setAside(Share share, boolean alone) {
        boolean isNext = alone || !share.hasWaiting();
        if (turns.headWaitsForRoom() || !isNext || !fits(share, alone)) {
            return false;
        }
        bookSetAside(share, longestBytes);
        return true;
    }

    /**
     * Queues a call.
     *
     * @param granted runs once, perhaps at once, when memory for the longest reply has been reserved
     */
    Request await(Share share, boolean alone, Runnable granted) {
        Request request = new Request(share, alone, granted);
        List<MemoryTurns.Request> all;
        synchronized (this) {
            if (alone) {
                turns.addFirst(request);
            } else {
                turns.add(request);
            }
            all = turns.grant();
        }
        MemoryTurns.tell(all);
        return request;
    }

    /**
     * The connection of the call has no other call any more, so replies that other connections of its client have not
     * taken no longer matter.
     */
    void alone(Request request) {
        List<MemoryTurns.Request> all;
        synchronized (this) {
            if (request.alone || !turns.toFront(request)) {
                return;
            }
            request.alone = true;
            all = turns.grant();
        }
        MemoryTurns.tell(all);
    }

    /** Cancels a request. Returns false if it has been granted meanwhile and the reserved memory must be given back. */
    boolean cancel(Request request) {
        List<MemoryTurns.Request> all;
        synchronized (this) {
            if (!turns.remove(request)) {
                return false;
            }
            // The request may have been the first in the queue.
            all = turns.grant();
        }
        MemoryTurns.tell(all);
        return true;
    }

    /**
     * Records the current size of a call's reply.
     *
     * @param before its previous size
     * @param givesBack whether memory for the longest reply was reserved for the call and is given back now
     */
    void change(Share share, Size before, Size now, boolean givesBack) {
        List<MemoryTurns.Request> all = List.of();
        synchronized (this) {
            share.untakenBytes += now.bytes - before.bytes;
            share.heapBytes += now.heapBytes - before.heapBytes;
            use(now.heapBytes - before.heapBytes);
            if (givesBack) {
                bookSetAside(share, -longestBytes);
            }
            if (!turns.isEmpty()) {
                all = turns.grant();
            }
        }
        MemoryTurns.tell(all);
    }

    /** Gives back memory that was reserved and is not needed. */
    void giveBack(Share share) {
        change(share, Size.NONE, Size.NONE, true);
    }

    /** A size of bytes that all lie on the heap. */
    static Size onHeap(long bytes) {
        return Size.heap(bytes);
    }

    /** Whether one more reply of maximum length fits. A client that holds nothing needs only free memory. */
    private boolean fits(Share share, boolean alone) {
        long freeBytes = maxBytes - usedBytes;
        long heap = share.heapBytes + share.setAsideBytes;
        long own = share.untakenBytes + share.setAsideBytes;
        return FairShare.allows(heap, longestBytes, freeBytes)
                && (alone || own == 0 || longestBytes <= maxBytesOfClient - own);
    }

    private void bookSetAside(Share share, long bytes) {
        share.setAsideBytes += bytes;
        use(bytes);
    }

    private void use(long bytes) {
        usedBytes += bytes;
        statistics.add(Counter.REPLY_BYTES_HELD, bytes);
    }
}
