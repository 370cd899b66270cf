package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.chunk.ReadReplyPlan;
import org.warpnfs.rpcrdma.credit.ClientBudget;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;

/**
 * Reply data that a requester of RFC 5666 reads by itself, until its RDMA_DONE (section 3.8).
 *
 * <h2>Operation</h2>
 *
 * <pre>
 * state   | event                         -> state,  output
 * --------+----------------------------------------------------------------------
 * (none)  | reply that fits nowhere else  -> OPEN,   copied, registered for reading
 * OPEN    | RDMA_DONE with its XID        -> (gone), regions invalidated
 * OPEN    | another reply with its XID    -> (gone), likewise; then as above
 * OPEN    | limit passed since first look -> (gone), likewise; the second time on a connection, it is to be ended
 * OPEN    | connection ended              -> (gone)
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * What is exposed is a copy in memory of its own: a requester that sends RDMA_DONE while its Reads are still being
 * answered must not get to see what a pooled buffer is used for next. Copies are bounded by number and bytes for a
 * connection, and by bytes for a client and for all.
 *
 * <h2>Errors</h2>
 *
 * Where a bound is reached the reply cannot be exposed. Owner thread only.
 */
final class ExposedReplies {
    private static final class Exposed {
        final List<MemoryRegion> regions = new ArrayList<>(1);
        long bytes;
        long seenNanos;
        boolean seen;
    }

    private final QueuePair queuePair;
    private final Rfc5666Options options;
    private final ClientBudget budget;
    private final ClientAddress client;
    private final TransportStatistics statistics;
    private final Map<Long, Exposed> open = new HashMap<>();
    private long openBytes;
    private boolean missedBefore;

    ExposedReplies(
            QueuePair queuePair,
            Rfc5666Options options,
            ClientBudget budget,
            ClientAddress client,
            TransportStatistics statistics) {
        this.queuePair = queuePair;
        this.options = options;
        this.budget = budget;
        this.client = client;
        this.statistics = statistics;
    }

    /** True if replies may be exposed to this requester at all. */
    boolean allowed() {
        return options.replyByReadChunks() && queuePair.parameters().ird() > 0;
    }

    /** Replies that wait for RDMA_DONE. */
    int open() {
        return open.size();
    }

    /**
     * Exposes a reply.
     *
     * @return the Read list that tells of it; empty if a limit is reached
     */
    Optional<List<ReadSegment>> expose(long xid, ReadReplyPlan plan) {
        end(xid);
        long bytes = plan.readableBytes();
        if (open.size() == options.maxExposedReplies()
                || bytes > options.maxExposedBytes() - openBytes
                || !budget.tryTake(client, bytes)) {
            return Optional.empty();
        }
        Exposed exposed = new Exposed();
        exposed.bytes = bytes;
        openBytes += bytes;
        statistics.add(Counter.EXPOSED_BYTES, bytes);
        try {
            List<ReadSegment> readList = register(exposed, plan);
            open.put(xid, exposed);
            statistics.increment(Counter.REPLIES_EXPOSED);
            return Optional.of(readList);
        } catch (LimitReachedException e) {
            release(exposed);
            return Optional.empty();
        } catch (RuntimeException | Error e) {
            release(exposed);
            throw e;
        }
    }

    private List<ReadSegment> register(Exposed exposed, ReadReplyPlan plan) {
        List<ReadSegment> readList = new ArrayList<>(plan.readable().size());
        for (ReadReplyPlan.ReadableItem readable : plan.readable()) {
            ByteBuffer copy = ByteBuffer.allocate(readable.lengthBytes());
            readable.bytes().forEach(piece -> copy.put(piece.duplicate()));
            MemoryRegion region = queuePair.register(copy.flip(), Set.of(AccessRight.REMOTE_READ));
            exposed.regions.add(region);
            readList.add(new ReadSegment(
                    readable.position(),
                    new RdmaSegment(region.stag(), readable.lengthBytes(), region.taggedOffset())));
        }
        return readList;
    }

    /** RDMA_DONE has come; false if it names no open reply. */
    boolean done(long xid) {
        statistics.increment(Counter.DONES_RECEIVED);
        return end(xid);
    }

    /**
     * Takes back what waits for too long; to be called every now and then.
     *
     * @param nowNanos of a clock that only goes forward
     * @return true if the requester did it before and its connection is to be ended
     */
    boolean expire(long nowNanos) {
        boolean missed = false;
        for (Iterator<Exposed> each = open.values().iterator(); each.hasNext(); ) {
            Exposed exposed = each.next();
            if (!exposed.seen) {
                exposed.seen = true;
                exposed.seenNanos = nowNanos;
            } else if (nowNanos - exposed.seenNanos > options.doneLimit().toNanos()) {
                each.remove();
                release(exposed);
                statistics.increment(Counter.DONES_MISSED);
                missed = true;
            }
        }
        boolean again = missed && missedBefore;
        missedBefore |= missed;
        return again;
    }

    /** The connection has ended, and every region with it. */
    void close() {
        open.values().forEach(this::release);
        open.clear();
    }

    private boolean end(long xid) {
        Exposed exposed = open.remove(xid);
        if (exposed == null) {
            return false;
        }
        release(exposed);
        return true;
    }

    private void release(Exposed exposed) {
        exposed.regions.forEach(MemoryRegion::invalidate);
        openBytes -= exposed.bytes;
        budget.give(client, exposed.bytes);
        statistics.add(Counter.EXPOSED_BYTES, -exposed.bytes);
    }
}
