package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.ddp.TaggedBuffer;
import org.warpnfs.iwarp.memory.Region;
import org.warpnfs.iwarp.rdmap.AtomicOpcode;
import org.warpnfs.iwarp.rdmap.AtomicRequestHeader;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.RdmapStream;
import org.warpnfs.iwarp.rdmap.ReadRequestHeader;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * The work posted to a queue pair, until its completion.
 *
 * <h2>Operation</h2>
 *
 * Work is begun and completed in the order of posting. Each request completes once (RFC 5040, section 5.5). A Read or
 * an atomic operation beyond the ORD holds up the work behind it. So does fenced work while a Read or an atomic
 * operation is outstanding.
 *
 * <p>Once the peer no longer answers ({@link #requestsLost}), Reads and atomic operations are flushed. Other work
 * behind them still proceeds. But the first work that is fenced against a lost request is flushed, with all work behind
 * it, because its poster assumed that the data had arrived.
 *
 * <h2>Buffers</h2>
 *
 * Refers to the buffers of work that is not complete.
 *
 * <h2>Errors</h2>
 *
 * None: work was checked when it was posted.
 */
final class SendQueue {
    /** The sink of a zero-length Read, into which no byte is ever placed. */
    private static final TaggedBuffer NOWHERE = new TaggedBuffer() {
        @Override
        public long taggedOffset() {
            return 0;
        }

        @Override
        public int lengthBytes() {
            return 0;
        }

        @Override
        public void place(int offsetBytes, ByteBuffer bytes) {
            throw new IllegalStateException("payload in the response to a zero-length Read");
        }
    };

    private final RdmapStream stream;
    private final RdmapSender sender;

    /** Work that is posted and not completed, oldest first. */
    private final Deque<SendWork> incomplete = new ArrayDeque<>();

    /** Incomplete work that has not been begun. */
    private final Deque<SendWork> waiting = new ArrayDeque<>();

    /** Incomplete Reads whose requests have been sent. */
    private final Queue<SendWork> reading = new ArrayDeque<>();

    /** Incomplete atomic operations whose requests have been sent. */
    private final Queue<SendWork> atomics = new ArrayDeque<>();

    /** Whether the oldest outstanding Read is an RTR, which belongs to no work request. */
    private boolean readingNothing;

    private boolean requestsLost;
    private boolean lossTold;

    /** Whether a request was lost that the poster may not know of yet. */
    private boolean anyLost;

    /** Whether fenced work was flushed because of such a loss, so that all work behind it is flushed too. */
    private boolean cut;

    private int ord;
    private int nextIdentifier;
    private long completedCount;
    private long readBytes;

    SendQueue(RdmapStream stream, RdmapSender sender) {
        this.stream = stream;
        this.sender = sender;
    }

    /** Opens the queue with the number of requests that the peer holds. */
    void open(int agreedOrd) {
        ord = agreedOrd;
    }

    /** @param workTold whether the poster has been told of all completed work */
    void post(SendWork work, BooleanSupplier workTold) {
        if (lossTold && incomplete.isEmpty() && workTold.getAsBoolean()) {
            anyLost = false;
            cut = false;
        }
        incomplete.add(work);
        if (!requestsLost || !flushedAsLost(work)) {
            waiting.add(work);
        }
    }

    /** Accepts work that will not be done. It completes as flushed, in its turn. */
    void postFlushed(SendWork work) {
        work.outcome = CompletionStatus.FLUSHED;
        incomplete.add(work);
    }

    /** Whether work waits that the peer would have to answer. */
    boolean hasRequests() {
        return waiting.stream().anyMatch(SendWork::awaitsAnswer);
    }

    /** Whether work waits that has not been begun. */
    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    int incompleteCount() {
        return incomplete.size();
    }

    /** The number of work requests that have ever completed. */
    long completedCount() {
        return completedCount;
    }

    /** The number of bytes that Reads have ever brought. */
    long readBytes() {
        return readBytes;
    }

    /**
     * The peer no longer answers. Flushes the requests that it has not answered, and the work that is fenced against
     * them.
     */
    void requestsLost() {
        requestsLost = true;
        anyLost = !reading.isEmpty() || !atomics.isEmpty();
        readingNothing = false;
        flush(reading);
        flush(atomics);
        waiting.removeIf(this::flushedAsLost);
    }

    private static void flush(Queue<SendWork> outstanding) {
        for (SendWork work = outstanding.poll(); work != null; work = outstanding.poll()) {
            work.outcome = CompletionStatus.FLUSHED;
        }
    }

    /** The poster has been told that the peer no longer answers. */
    void lossTold() {
        lossTold = true;
    }

    /**
     * Flushes work whose response, or the response that it is fenced against, will not come. Returns whether it did.
     */
    private boolean flushedAsLost(SendWork work) {
        if (work.awaitsAnswer()) {
            anyLost = true;
        } else if (cut || (work.request.fence() && anyLost)) {
            cut = true;
        } else {
            return false;
        }
        work.outcome = CompletionStatus.FLUSHED;
        return true;
    }

    /** Begins no more work. */
    void stop() {
        waiting.clear();
    }

    private boolean fenced(SendWork work) {
        return !requestsLost && work.request.fence() && stream.outstandingRequests() > 0;
    }

    /** Begins the next work that sends something, if its turn has come, and makes its message. */
    @Nullable
    SendWork next() {
        for (SendWork work = waiting.peek(); work != null; work = waiting.peek()) {
            if (fenced(work) || (work.awaitsAnswer() && stream.outstandingRequests() >= ord)) {
                return null;
            }
            waiting.remove();
            if (work.request instanceof WorkRequest.LocalInvalidate local) {
                local.region().invalidate();
                work.outcome = CompletionStatus.SUCCESS;
            } else {
                work.message = message(work);
                return work;
            }
        }
        return null;
    }

    private DdpMessage message(SendWork work) {
        return switch (work.request) {
            case WorkRequest.Send send -> sender.send(send.message(), send.solicitedEvent(), send.invalidateStag());
            case WorkRequest.RdmaWrite write ->
                RdmapSender.write(write.sink().stag(), write.sink().taggedOffset(), write.source());
            case WorkRequest.FileWrite write ->
                RdmapSender.write(
                        write.sink().stag(),
                        write.sink().taggedOffset(),
                        write.source(),
                        write.from(),
                        write.lengthBytes());
            case WorkRequest.RdmaRead read -> readRequest(work, read);
            case WorkRequest.ImmediateData data -> sender.immediateData(data.data(), data.solicitedEvent());
            case WorkRequest.FetchAdd add -> {
                RemoteMemory target = add.target();
                yield atomicRequest(
                        work,
                        AtomicRequestHeader.fetchAdd(
                                nextIdentifier(), target.stag(), target.taggedOffset(), add.add()));
            }
            case WorkRequest.CompareSwap swap ->
                atomicRequest(
                        work,
                        new AtomicRequestHeader(
                                AtomicOpcode.COMPARE_SWAP,
                                nextIdentifier(),
                                swap.target().stag(),
                                swap.target().taggedOffset(),
                                swap.swap(),
                                swap.compare()));
            case WorkRequest.LocalInvalidate _ -> throw new IllegalStateException("an invalidation sends nothing");
        };
    }

    private DdpMessage readRequest(SendWork work, WorkRequest.RdmaRead read) {
        ReadRequestHeader request = new ReadRequestHeader(
                read.sink().stag(),
                read.sink().taggedOffset() + read.sinkOffsetBytes(),
                read.lengthBytes(),
                read.source().stag(),
                read.source().taggedOffset());
        reading.add(work);
        stream.readIssued(request, (Region) read.sink());
        return sender.readRequest(request);
    }

    /** Makes the Read Request of an RTR, which belongs to no work request. */
    DdpMessage readNothing() {
        ReadRequestHeader nothing = new ReadRequestHeader(0, 0, 0, 0, 0);
        stream.readIssued(nothing, NOWHERE);
        readingNothing = true;
        return sender.readRequest(nothing);
    }

    private DdpMessage atomicRequest(SendWork work, AtomicRequestHeader request) {
        atomics.add(work);
        stream.atomicIssued(request.requestIdentifier());
        return sender.atomicRequest(request);
    }

    /** Counts through 32 bits, far more than can be outstanding. */
    private long nextIdentifier() {
        return Integer.toUnsignedLong(nextIdentifier++);
    }

    /** The socket has taken the whole message of a work request. */
    void sent(SendWork work) {
        if (!work.awaitsAnswer()) {
            work.outcome = CompletionStatus.SUCCESS;
        }
    }

    /** All bytes of the oldest Read have been placed. */
    void readCompleted() {
        if (readingNothing) {
            readingNothing = false;
            return;
        }
        SendWork read = reading.remove();
        read.outcome = CompletionStatus.SUCCESS;
        readBytes += ((WorkRequest.RdmaRead) read.request).lengthBytes();
    }

    /** The oldest atomic operation was executed. */
    void atomicCompleted(long originalValue) {
        SendWork work = atomics.remove();
        work.originalValue = originalValue;
        work.outcome = CompletionStatus.SUCCESS;
    }

    /** Removes the oldest work request and returns its completion, if it is done; else null. */
    @Nullable
    Completion pollCompleted() {
        SendWork oldest = incomplete.peek();
        CompletionStatus outcome = oldest == null ? null : oldest.outcome;
        if (oldest == null || outcome == null) {
            return null;
        }
        incomplete.remove();
        completedCount++;
        return oldest.completion(outcome);
    }

    /** Removes and returns the oldest work request, whether it is done or not; null if there is none. */
    @Nullable
    SendWork pollIncomplete() {
        return incomplete.poll();
    }

    // Finding the work that is at fault.

    /** The Read that the peer is answering or has to answer next; null if there is none. */
    @Nullable
    SendWork oldestRead() {
        return readingNothing ? null : reading.peek();
    }

    /** The atomic operation that the peer has to answer next; null if there is none. */
    @Nullable
    SendWork oldestAtomic() {
        return atomics.peek();
    }

    /** The incomplete work request to which a segment with this DDP header belongs; null if there is none. */
    @Nullable
    SendWork named(ByteBuffer ddpHeader) {
        for (SendWork work : incomplete) {
            if (work.isNamedBy(ddpHeader)) {
                return work;
            }
        }
        return null;
    }
}
