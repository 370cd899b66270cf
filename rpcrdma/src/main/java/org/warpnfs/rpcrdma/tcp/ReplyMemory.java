package org.warpnfs.rpcrdma.tcp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
 * <p>A call that may not begin waits in line. Clients take turns, each with its oldest call. The next in line waits for
 * room and is not overtaken; one that waits only because of its own client's replies stands in nobody's way. For each
 * that is let go the longest reply is set aside.
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
    static final class Share {
        /** Written under the lock. */
        private volatile long untakenBytes;

        private long heapBytes;
        private long setAsideBytes;
        private final Deque<Request> waiting = new ArrayDeque<>();

        /** Bytes of its replies, and of what calls hold of replies that they have left unfinished. */
        long untakenBytes() {
            return untakenBytes;
        }
    }

    /** One call that waits. */
    static final class Request {
        private final Share share;
        private final Runnable granted;
        private boolean alone;

        private Request(Share share, boolean alone, Runnable granted) {
            this.share = share;
            this.alone = alone;
            this.granted = granted;
        }
    }

    private final long maxBytes;
    private final long maxBytesOfClient;
    private final long longestBytes;
    private final TransportStatistics statistics;
    private final Deque<Share> turns = new ArrayDeque<>();
    private long usedBytes;
    private boolean headWaitsForRoom;

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
        boolean isNext = alone || share.waiting.isEmpty();
        if (headWaitsForRoom || !isNext || !fits(share, alone)) {
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
        List<Request> all;
        synchronized (this) {
            if (share.waiting.isEmpty()) {
                turns.add(share);
            }
            if (alone) {
                share.waiting.addFirst(request);
            } else {
                share.waiting.add(request);
            }
            all = grant();
        }
        run(all);
        return request;
    }

    /**
     * Its connection has nothing else any more: what others of its client have not taken stands in its way no longer.
     */
    void alone(Request request) {
        List<Request> all;
        synchronized (this) {
            if (request.alone || !request.share.waiting.remove(request)) {
                return;
            }
            request.alone = true;
            request.share.waiting.addFirst(request);
            all = grant();
        }
        run(all);
    }

    /** Gives up waiting; false if it was granted meanwhile, and what was set aside has to be given back. */
    boolean cancel(Request request) {
        List<Request> all;
        synchronized (this) {
            if (!request.share.waiting.remove(request)) {
                return false;
            }
            if (request.share.waiting.isEmpty()) {
                turns.remove(request.share);
            }
            // It may have stood at the head of the line.
            all = grant();
        }
        run(all);
        return true;
    }

    /**
     * Notes what a call has of its reply now.
     *
     * @param before what it had
     * @param givesBack whether the longest reply was set aside for it, which is over now
     */
    void change(Share share, Size before, Size now, boolean givesBack) {
        List<Request> all = List.of();
        synchronized (this) {
            share.untakenBytes += now.bytes - before.bytes;
            share.heapBytes += now.heapBytes - before.heapBytes;
            use(now.heapBytes - before.heapBytes);
            if (givesBack) {
                bookSetAside(share, -longestBytes);
            }
            if (!turns.isEmpty()) {
                all = grant();
            }
        }
        run(all);
    }

    /** What was set aside is not needed. */
    void giveBack(Share share) {
        change(share, Size.NONE, Size.NONE, true);
    }

    /** A size on the heap alone. */
    static Size onHeap(long bytes) {
        return Size.heap(bytes);
    }

    private List<Request> grant() {
        List<Request> granted = new ArrayList<>();
        int before;
        do {
            before = granted.size();
            grantOneEach(granted);
        } while (granted.size() > before && !turns.isEmpty());
        return granted;
    }

    /** Looks at each client that waits, once; one that is served goes to the end of the line. */
    private void grantOneEach(List<Request> granted) {
        headWaitsForRoom = false;
        for (int n = turns.size(); n > 0; n--) {
            Share share = turns.removeFirst();
            if (share.heapBytes + share.setAsideBytes == 0 && longestBytes > maxBytes - usedBytes) {
                turns.addFirst(share);
                headWaitsForRoom = true;
                break;
            }
            if (fits(share, share.waiting.getFirst().alone)) {
                bookSetAside(share, longestBytes);
                granted.add(share.waiting.removeFirst());
            }
            if (!share.waiting.isEmpty()) {
                turns.addLast(share);
            }
        }
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

    private static void run(List<Request> granted) {
        granted.forEach(request -> request.granted.run());
    }
}
