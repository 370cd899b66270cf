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
 * The work posted to a queue pair, from its posting to its completion.
 *
 * <h2>Operation</h2>
 *
 * Work is begun in the order of posting and completes in the same order, each once (RFC 5040, section 5.5). A Read or
 * an atomic operation beyond the ORD, and fenced work while any of these is outstanding, hold up what is behind them.
 *
 * <p>Once the peer answers nothing more ({@link #requestsLost}), Reads and atomic operations are flushed. What is
 * behind them goes on, but not from the first on that was fenced against one that was lost: the poster meant it for a
 * peer whose data it has.
 *
 * <h2>Buffers</h2>
 *
 * Refers to those of work that is not complete.
 *
 * <h2>Errors</h2>
 *
 * None of its own: what is posted was checked.
 */
final class SendQueue {
    /** The sink of a Read of nothing: no byte ever goes there. */
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
            throw new IllegalStateException("payload in the answer to a Read of nothing");
        }
    };

    private final RdmapStream stream;
    private final RdmapSender sender;

    /** Posted and not completed, oldest first. */
    private final Deque<SendWork> incomplete = new ArrayDeque<>();

    /** Of those, what has not been begun. */
    private final Deque<SendWork> waiting = new ArrayDeque<>();

    /** Of those, the Reads that were requested. */
    private final Queue<SendWork> reading = new ArrayDeque<>();

    /** Of those, the atomic operations that were requested. */
    private final Queue<SendWork> atomics = new ArrayDeque<>();

    /** Whether the oldest Read outstanding is an RTR, and no work of anybody's. */
    private boolean readingNothing;

    private boolean requestsLost;
    private boolean lossTold;

    /** Whether a request was lost since the poster last knew of all that were. */
    private boolean anyLost;

    /** Whether, since then, work was flushed that a peer would miss. */
    private boolean cut;

    private int ord;
    private int nextIdentifier;
    private long completedCount;
    private long readBytes;

    SendQueue(RdmapStream stream, RdmapSender sender) {
        this.stream = stream;
        this.sender = sender;
    }

    /** From here on the peer holds so many requests. */
    void open(int agreedOrd) {
        ord = agreedOrd;
    }

    /** @param workTold whether the poster has heard of all work that is complete */
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

    /** Takes work that will not be done: it completes in its turn. */
    void postFlushed(SendWork work) {
        work.outcome = CompletionStatus.FLUSHED;
        incomplete.add(work);
    }

    /** Whether work waits that the peer would have to answer. */
    boolean hasRequests() {
        return waiting.stream().anyMatch(SendWork::awaitsAnswer);
    }

    /** Whether work has not been begun. */
    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    int incompleteCount() {
        return incomplete.size();
    }

    /** Work requests that have completed since the beginning. */
    long completedCount() {
        return completedCount;
    }

    /** Bytes that Reads have brought since the beginning. */
    long readBytes() {
        return readBytes;
    }

    /**
     * The peer answers nothing more: what it has not answered is flushed, and what was meant for behind the answers.
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

    /** The poster knows that the peer answers nothing more. */
    void lossTold() {
        lossTold = true;
    }

    /** Flushes work that an answer will not come for, to itself or to what it was fenced against. */
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

    /** Makes a Read Request that is no work of anybody's: an RTR. */
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

    /** Counts through 32 bits, far more than there can be outstanding. */
    private long nextIdentifier() {
        return Integer.toUnsignedLong(nextIdentifier++);
    }

    /** The socket has taken all of a work's message. */
    void sent(SendWork work) {
        if (!work.awaitsAnswer()) {
            work.outcome = CompletionStatus.SUCCESS;
        }
    }

    /** The oldest Read has all its bytes. */
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

    /** The next work request that is done, and before which none is left; null if there is none. */
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

    /** The oldest work request not completed, done or not; null if there is none. */
    @Nullable
    SendWork pollIncomplete() {
        return incomplete.poll();
    }

    // Whose fault it is.

    /** The Read that the peer is answering, or has to answer next; null if there is none. */
    @Nullable
    SendWork oldestRead() {
        return readingNothing ? null : reading.peek();
    }

    /** The atomic operation that the peer has to answer next; null if there is none. */
    @Nullable
    SendWork oldestAtomic() {
        return atomics.peek();
    }

    /** The work a segment of which has this DDP header; null if it is none, or complete already. */
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
