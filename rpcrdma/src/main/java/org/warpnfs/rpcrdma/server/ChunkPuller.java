package org.warpnfs.rpcrdma.server;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.chunk.ReadChunk;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.wire.RdmaSegment;

/**
 * Pulls the Read chunks of one connection's calls into their sinks, within the ORD.
 *
 * <h2>Operation</h2>
 *
 * One RDMA Read for each segment, in the order of calls; the rest wait. A call's sink is registered when its first Read
 * is posted and invalidated when its last is done, so no more regions are alive than Reads are outstanding.
 *
 * <h2>Buffers</h2>
 *
 * The sink stays the call's. Once the connection has ended no Read touches it.
 *
 * <h2>Errors</h2>
 *
 * A Read that fails ends the connection by itself; what is queued is forgotten. Where no more memory may be registered
 * the Reads wait ({@link #retry}). Owner thread only.
 */
final class ChunkPuller {
    private record PendingRead(RdmaCall call, RdmaSegment segment, int sinkOffsetBytes) {}

    private final QueuePair queuePair;
    private final TransportStatistics statistics;
    private final CallSteps steps;
    private final ArrayDeque<PendingRead> waiting = new ArrayDeque<>();
    private final Map<Long, PendingRead> outstanding = new HashMap<>();
    private volatile int maxReads = Integer.MAX_VALUE;
    private long nextId;
    private long wantedBytes;
    private long pulledBytes;

    ChunkPuller(QueuePair queuePair, TransportStatistics statistics, CallSteps steps) {
        this.queuePair = queuePair;
        this.statistics = statistics;
        this.steps = steps;
    }

    /** The requester holds no more RDMA Reads than this (RFC 5666, section 6.2), whatever the ORD. */
    void limitReads(long most) {
        maxReads = Math.clamp(most, 0, Integer.MAX_VALUE);
    }

    /**
     * RDMA Reads that may be outstanding: one at a time where the peer did not say how many it holds (MPA revision 1).
     */
    int maxReads() {
        ConnectionParameters parameters = queuePair.parameters();
        int named = parameters.peerReads().ird().isPresent() ? maxReads : Math.min(1, maxReads);
        return Math.min(parameters.ord(), named);
    }

    /** Starts to pull all chunks of a call that has its sink. */
    void pull(RdmaCall call) {
        int reads = 0;
        long offset = 0;
        for (ReadChunk chunk : call.layout().chunks()) {
            offset = RdmaCall.align(offset);
            for (RdmaSegment segment : chunk.segments()) {
                if (segment.lengthBytes() > 0) {
                    waiting.add(new PendingRead(call, segment, (int) offset));
                    wantedBytes += segment.lengthBytes();
                    reads++;
                }
                offset += segment.lengthBytes();
            }
        }
        call.setReadsLeft(reads);
        call.trace().pulling();
        postWaiting();
        if (!waiting.isEmpty()) {
            statistics.increment(Counter.ORD_WAITS);
        }
    }

    void completed(Completion.ReadDone done) {
        PendingRead read = outstanding.remove(done.workRequestId());
        if (read == null) {
            throw new IllegalStateException("RDMA Read " + done.workRequestId() + " was never posted");
        }
        statistics.add(Counter.READS_OUTSTANDING, -1);
        if (done.status() != CompletionStatus.SUCCESS) {
            // The stream is ending, or has ended; disconnected() follows and gives the sink back.
            statistics.increment(Counter.READS_FAILED);
            waiting.clear();
            return;
        }
        statistics.add(Counter.RDMA_READ_BYTES, read.segment.lengthBytes());
        wantedBytes -= read.segment.lengthBytes();
        pulledBytes += read.segment.lengthBytes();
        if (read.call.readDone()) {
            MemoryRegion region = read.call.region();
            if (region != null) {
                region.invalidate();
                read.call.setRegion(null);
            }
            read.call.trace().pulled(read.call.layout().lengthBytes());
            steps.pulled(read.call);
        }
        postWaiting();
    }

    /** Forgets what was not posted. */
    void close() {
        waiting.clear();
    }

    /** Bytes that the requester still has to give; 0 while it was not asked for any. */
    long wantedBytes() {
        return outstanding.isEmpty() ? 0 : wantedBytes;
    }

    /** Bytes that the requester has given since the beginning. */
    long pulledBytes() {
        return pulledBytes;
    }

    /** Posts what could not be posted before; to be called every now and then. */
    void retry() {
        postWaiting();
    }

    private void postWaiting() {
        // Those that wait were taken while Reads were allowed, so one goes at least.
        int most = Math.max(1, maxReads());
        while (!waiting.isEmpty() && outstanding.size() < most && queuePair.connected()) {
            PendingRead read = waiting.element();
            MemoryRegion region;
            try {
                region = region(read.call);
            } catch (LimitReachedException e) {
                // Others hold all memory that may be registered: it comes back.
                statistics.increment(Counter.REGISTRATION_WAITS);
                return;
            }
            waiting.remove();
            long id = nextId++;
            outstanding.put(id, read);
            statistics.increment(Counter.RDMA_READS);
            statistics.increment(Counter.READS_OUTSTANDING);
            queuePair.post(new WorkRequest.RdmaRead(
                    id,
                    region,
                    read.sinkOffsetBytes,
                    (int) read.segment.lengthBytes(),
                    new RemoteMemory(read.segment.handle(), read.segment.offset())));
        }
    }

    private MemoryRegion region(RdmaCall call) {
        MemoryRegion region = call.region();
        if (region == null) {
            Payload sink = call.sink();
            if (sink == null) {
                throw new IllegalStateException("a call without a sink has nothing to pull");
            }
            region = queuePair.register(sink.buffer(), Set.of(AccessRight.LOCAL_WRITE));
            call.setRegion(region);
        }
        return region;
    }
}
