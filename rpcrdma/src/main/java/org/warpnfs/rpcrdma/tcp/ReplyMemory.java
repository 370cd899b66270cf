package org.warpnfs.rpcrdma.tcp;

import java.util.List;
import org.warpnfs.limits.FairShare;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * Memory of replies that peers have not taken, and of those that are being made.
 *
 * <h2>Operation</h2>
 *
 * A call asks before it begins. It may while the replies of its client are below the client's mark, and while those of
 * its client that lie on the heap are no more than what of the limit for all is still free. How long its reply will be
 * nobody knows before it is there. For a call that moves data or lists names the longest reply is set aside until then,
 * so that many which begin together do not pass the limits together. Any other answers little as a rule, and it is
 * counted once its reply is there or it leaves its thread: so there is more than the limits allow by one reply for each
 * thread at most.
 *
 * <p>A call that may not begin waits in line: {@link MemoryTurns}. For each that is let go the longest reply is set
 * aside.
 *
 * <h2>Buffers</h2>
 *
 * Counts bytes, holds none.
 *
 * <h2>Errors</h2>
 *
 * None. Safe for any thread; a grant is told on the thread that gave memory back, without a lock.
 */
final class ReplyMemory {
    /**
     * What a reply takes.
     *
     * @param bytes of its message: what its peer has to take
     * @param heapBytes of those what lies on the heap, and not in pooled buffers
     */
    record Size(long bytes, long heapBytes) {
        static final Size NONE = new Size(0, 0);

        static Size of(RpcMessage reply) {
            long heapBytes = reply.xdr().remaining();
            for (RpcMessage.Item item : reply.items()) {
                heapBytes +=
                        item.payload().buffer().isDirect() ? 0 : item.payload().lengthBytes();
            }
            return new Size(reply.lengthBytes(), heapBytes);
        }

        private static Size heap(long bytes) {
            return new Size(bytes, bytes);
        }
    }

    /** What the connections of one client address hold, have set aside and wait for. */
    static final class Share extends MemoryTurns.Share {
        /** Written under the lock. */
        private volatile long untakenBytes;

        private long heapBytes;
        private long setAsideBytes;

        /** Bytes of its replies, and of what calls hold of replies that they have left unfinished. */
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
        boolean waitsForRoom() {
            return share.heapBytes + share.setAsideBytes == 0 && longestBytes > maxBytes - usedBytes;
        }

        @Override
        boolean fits() {
            return ReplyMemory.this.fits(share, alone);
        }

        @Override
        void book() {
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
        // A reply is about as long as a call may be: both carry one transfer.
        this.longestBytes = Math.min(options.maxRecordBytes(), maxBytes);
        this.statistics = statistics;
    }

    /**
     * Asks for a call that may answer with little.
     *
     * @param alone whether its connection has no other call: then it does not matter what others of its client have not
     *     taken
     */
    synchronized boolean mayBegin(Share share, boolean alone) {
        long room = maxBytes - usedBytes - share.heapBytes;
        return room > 0 && (alone || share.untakenBytes < maxBytesOfClient);
    }

    /** Asks for one whose reply may be of the longest, which is set aside. */
    synchronized boolean setAside(Share share, boolean alone) {
        boolean isNext = alone || !share.hasWaiting();
        if (turns.headWaitsForRoom() || !isNext || !fits(share, alone)) {
            return false;
        }
        bookSetAside(share, longestBytes);
        return true;
    }

    /**
     * Waits.
     *
     * @param granted runs once, perhaps at once, when the longest reply was set aside
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
     * Its connection has nothing else any more: what others of its client have not taken stands in its way no longer.
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

    /** Gives up waiting; false if it was granted meanwhile, and what was set aside has to be given back. */
    boolean cancel(Request request) {
        List<MemoryTurns.Request> all;
        synchronized (this) {
            if (!turns.remove(request)) {
                return false;
            }
            // It may have stood at the head of the line.
            all = turns.grant();
        }
        MemoryTurns.tell(all);
        return true;
    }

    /**
     * Notes what a call has of its reply now.
     *
     * @param before what it had
     * @param givesBack whether the longest reply was set aside for it, which is over now
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

    /** What was set aside is not needed. */
    void giveBack(Share share) {
        change(share, Size.NONE, Size.NONE, true);
    }

    /** A size on the heap alone. */
    static Size onHeap(long bytes) {
        return Size.heap(bytes);
    }

    /** Whether one more of the longest replies fits. A client that has nothing needs no more than room. */
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
