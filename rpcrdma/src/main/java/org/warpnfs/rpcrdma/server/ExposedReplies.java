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
 * The replies that are exposed to a requester of RFC 5666, which reads them itself, until its RDMA_DONE (section 3.8).
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
 * An exposed reply is a copy in memory of its own. A requester that sends RDMA_DONE while its Reads are still being
 * answered must not see the next contents of a pooled buffer. The number and the bytes of copies are limited for a
 * connection, and the bytes also for a client and for all clients.
 *
 * <h2>Errors</h2>
 *
 * Beyond a limit a reply cannot be exposed. For the owner thread only.
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

    /** The number of replies that wait for RDMA_DONE. */
    int open() {
        return open.size();
    }

    /**
     * Exposes a reply.
     *
     * @return the Read list of the reply; empty if a limit is reached
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

    /** An RDMA_DONE has arrived. Returns false if it names no exposed reply. */
    boolean done(long xid) {
        statistics.increment(Counter.DONES_RECEIVED);
        return end(xid);
    }

    /**
     * Withdraws replies that have waited for too long. To be called regularly.
     *
     * @param nowNanos a clock that never goes back
     * @return true if that happened before on this connection, which is to be ended then
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

    /** The connection has ended, and with it every region. */
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
