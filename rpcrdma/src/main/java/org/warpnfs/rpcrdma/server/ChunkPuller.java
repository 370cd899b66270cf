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
 * It posts one RDMA Read for each segment, in the order of calls. Reads beyond the ORD wait. A call's sink is
 * registered when its first Read is posted and invalidated when its last is done. So there are never more regions than
 * outstanding Reads.
 *
 * <h2>Buffers</h2>
 *
 * The sink belongs to the call. After the end of the connection no Read accesses it.
 *
 * <h2>Errors</h2>
 *
 * A Read that fails ends the connection, and queued Reads are dropped. If no more memory may be registered, Reads wait
 * ({@link #retry}). For the owner thread only.
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

    /** Limits the outstanding Reads to what the requester holds (RFC 5666, section 6.2), whatever the ORD. */
    void limitReads(long most) {
        maxReads = Math.clamp(most, 0, Integer.MAX_VALUE);
    }

    /** The most RDMA Reads that may be outstanding; 1 if the peer did not tell how many it holds (MPA revision 1). */
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
            // The stream is ending or has ended. disconnected() follows and gives the sink back.
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

    /** Drops the Reads that were not posted. */
    void close() {
        waiting.clear();
    }

    /** Bytes that the requester still has to send; 0 if none were asked for. */
    long wantedBytes() {
        return outstanding.isEmpty() ? 0 : wantedBytes;
    }

    /** Bytes that the requester has ever sent. */
    long pulledBytes() {
        return pulledBytes;
    }

    /** Posts Reads that could not be posted before. To be called regularly. */
    void retry() {
        postWaiting();
    }

    private void postWaiting() {
        // The waiting Reads were queued while Reads were allowed, so at least one is posted.
        int most = Math.max(1, maxReads());
        while (!waiting.isEmpty() && outstanding.size() < most && queuePair.connected()) {
            PendingRead read = waiting.element();
            MemoryRegion region;
            try {
                region = region(read.call);
            } catch (LimitReachedException e) {
                // Others hold all memory that may be registered. They will give it back.
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
