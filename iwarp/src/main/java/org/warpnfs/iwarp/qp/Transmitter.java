package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.ddp.TaggedBuffer;
import org.warpnfs.iwarp.memory.Region;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.mpa.Framer;
import org.warpnfs.iwarp.mpa.MpaAgreement;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.RdmapStream;
import org.warpnfs.iwarp.rdmap.RdmapViolation;
import org.warpnfs.iwarp.rdmap.ReadRequestHeader;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * The sending side of a queue pair: decides what goes next and makes FPDUs of it.
 *
 * <h2>Operation</h2>
 *
 * Work leaves in the order of posting; a Read beyond the ORD holds up what is behind it (RFC 5040 section 5.5). Answers to the
 * peer's Reads and our own messages take turns, message by message, so that neither starves. A Terminate goes before anything
 * else, and nothing follows it. A Read Request has a batch to itself, so that the socket gets it in a write of its own: kernel
 * siw does not survive one that arrives cut in its middle.
 *
 * <h2>Buffers</h2>
 *
 * Payload of posted work is referred to until the batch with its last byte has been sent. Scratch memory for headers is kept
 * for the next batch.
 *
 * <h2>Errors</h2>
 *
 * An answer whose source was revoked under way is reported as a violation by {@link #pull}.
 */
final class Transmitter {
    /** Scratch buffers kept for later batches. */
    private static final int MAX_KEPT_SCRATCH = 2;

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

    private final int wantedMulpduBytes;
    private final int batchBytes;
    private final RdmapStream stream;
    private final RdmapSender sender = new RdmapSender();

    /** Posted and not completed, oldest first. */
    private final Deque<SendWork> incomplete = new ArrayDeque<>();

    /** Of those, what has not been started. */
    private final Queue<SendWork> waiting = new ArrayDeque<>();

    /** Of those, the Reads that were requested. */
    private final Queue<SendWork> reading = new ArrayDeque<>();

    private final Queue<ReadAnswer> answers = new ArrayDeque<>();
    private final Queue<InFlight> inFlight = new ArrayDeque<>();
    private final List<ByteBuffer> keptScratch = new ArrayList<>();

    private @Nullable ByteBuffer rawFrame;
    private @Nullable Framer framer;
    private @Nullable Outgoing current;
    private @Nullable DdpMessage terminate;
    private boolean emptyFpdu;

    /** Whether the oldest Read outstanding is an RTR, and no work of anybody's. */
    private boolean readingNothing;

    private boolean stopped;
    private boolean answerNext;
    private int mulpduBytes;
    private int ord;

    Transmitter(QueuePairConfig config, RdmapStream stream) {
        this.wantedMulpduBytes = config.mulpduBytes();
        this.batchBytes = config.batchBytes();
        this.stream = stream;
    }

    /** A message under way, and what it is part of. */
    private record Outgoing(
            DdpMessage message,
            @Nullable SendWork work,
            @Nullable ReadAnswer answer) {
        boolean isReadRequest() {
            return work != null && work.isRead();
        }

        boolean isRtr() {
            return work == null && answer == null;
        }
    }

    private record InFlight(FpduBatch batch, List<Outgoing> ended) {}

    /** Sends a startup frame, before anything else. */
    void sendRaw(ByteBuffer frame) {
        rawFrame = frame;
    }

    /** Forgets the startup frame that was sent, and whether it has left: there is a new connection. */
    void restart() {
        rawFrame = null;
        inFlight.clear();
    }

    /** From here on messages may leave. */
    void open(MpaAgreement.Framing framing, int outstandingReads) {
        Framer fpdus = Framer.of(framing);
        framer = fpdus;
        mulpduBytes = fpdus.mulpduBytes(wantedMulpduBytes);
        ord = outstandingReads;
    }

    /** Sends what opens the stream in peer-to-peer mode, before anything else and alone (RFC 6581 section 9.2). */
    void sendRtr(RtrKind kind) {
        switch (kind) {
            case WRITE -> sendFirst(RdmapSender.write(0, 0, List.of()));
            case FPDU -> emptyFpdu = true;
            case SEND -> sendFirst(sender.send(List.of(), false, OptionalLong.empty()));
            case READ -> {
                ReadRequestHeader nothing = new ReadRequestHeader(0, 0, 0, 0, 0);
                stream.readIssued(nothing, NOWHERE);
                readingNothing = true;
                sendFirst(sender.readRequest(nothing));
            }
        }
    }

    private void sendFirst(DdpMessage message) {
        current = new Outgoing(message, null, null);
    }

    void post(SendWork work) {
        incomplete.add(work);
        waiting.add(work);
    }

    /** Takes work that will not be done: it completes in its turn. */
    void postFlushed(SendWork work) {
        work.outcome = CompletionStatus.FLUSHED;
        incomplete.add(work);
    }

    /** Whether a Read waits to be requested. */
    boolean hasReads() {
        return waiting.stream().anyMatch(SendWork::isRead);
    }

    int incompleteCount() {
        return incomplete.size();
    }

    void answer(ReadAnswer answer) {
        answers.add(answer);
    }

    /** Sends a Terminate as soon as the FPDU under way has left, and nothing after it. */
    void terminate(DdpMessage message) {
        drop();
        terminate = message;
    }

    /** Sends nothing more. */
    void stop() {
        drop();
        stopped = true;
    }

    private void drop() {
        rawFrame = null;
        emptyFpdu = false;
        current = null;
        waiting.clear();
        answers.clear();
    }

    /** True when all that was to be sent has been taken by the socket. */
    boolean idle() {
        return inFlight.isEmpty() && rawFrame == null && terminate == null && !hasMessages();
    }

    private boolean hasMessages() {
        return current != null || !answers.isEmpty() || !waiting.isEmpty() || emptyFpdu;
    }

    /** The next batch to write; null if there is nothing to be written now. */
    @Nullable
    FpduBatch pull() throws RdmapViolation {
        if (stopped) {
            return null;
        }
        Framer fpdus = framer;
        if (rawFrame == null && (fpdus == null || (terminate == null && !hasMessages()))) {
            return null;
        }
        FpduBatch batch = new FpduBatch(takeScratch());
        List<Outgoing> ended = new ArrayList<>();
        if (rawFrame != null) {
            batch.raw(rawFrame);
            rawFrame = null;
        } else if (fpdus != null) {
            fill(batch, fpdus, ended);
        }
        if (batch.lengthBytes() == 0) {
            keepScratch(batch);
            return null;
        }
        inFlight.add(new InFlight(batch, ended));
        return batch;
    }

    private void fill(FpduBatch batch, Framer fpdus, List<Outgoing> ended) throws RdmapViolation {
        if (terminate != null) {
            frame(batch, fpdus, terminate);
            terminate = null;
            stopped = true;
            return;
        }
        if (emptyFpdu) {
            emptyFpdu = false;
            fpdus.start(batch, 0);
            fpdus.end(batch);
            return;
        }
        while (fpdus.hasRoom(batch) && batch.lengthBytes() < batchBytes) {
            Outgoing outgoing = current != null ? current : next();
            current = outgoing;
            if (outgoing == null || (outgoing.isReadRequest() && batch.lengthBytes() > 0)) {
                return;
            }
            ReadAnswer answer = outgoing.answer();
            if (answer != null && !answer.allowed()) {
                throw answer.revoked();
            }
            frame(batch, fpdus, outgoing.message());
            if (outgoing.message().ended()) {
                current = null;
                ended.add(outgoing);
                if (answer != null) {
                    // Not when the batch has been sent: the peer may have the answer, and ask again, before we hear of
                    // that.
                    stream.readAnswered();
                }
                if (outgoing.isReadRequest() || outgoing.isRtr()) {
                    return;
                }
            }
        }
    }

    /** Frames one segment. */
    private void frame(FpduBatch batch, Framer fpdus, DdpMessage message) {
        int payloadBytes = message.nextPayloadBytes(mulpduBytes);
        ByteBuffer header = fpdus.start(batch, message.headerBytes() + payloadBytes);
        message.encodeHeader(header, payloadBytes);
        for (int left = payloadBytes; left > 0; ) {
            ByteBuffer piece = message.payload().next(left);
            left -= piece.remaining();
            fpdus.payload(batch, piece);
        }
        fpdus.end(batch);
    }

    private @Nullable Outgoing next() {
        Outgoing work = answerNext ? null : nextWork();
        if (work != null) {
            answerNext = true;
            return work;
        }
        answerNext = false;
        ReadAnswer answer = answers.poll();
        return answer != null ? new Outgoing(answer.message(), null, answer) : nextWork();
    }

    private @Nullable Outgoing nextWork() {
        SendWork work = waiting.peek();
        if (work == null || (work.isRead() && stream.outstandingReads() >= ord)) {
            return null;
        }
        waiting.remove();
        return new Outgoing(message(work), work, null);
    }

    private DdpMessage message(SendWork work) {
        return switch (work.request) {
            case WorkRequest.Send send -> sender.send(send.message(), send.solicitedEvent(), send.invalidateStag());
            case WorkRequest.RdmaWrite write ->
                RdmapSender.write(write.sink().stag(), write.sink().taggedOffset(), write.source());
            case WorkRequest.RdmaRead read -> readRequest(work, read);
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

    /** The socket has taken a batch, in the order of pulling. */
    void sent(FpduBatch batch) {
        InFlight first = inFlight.poll();
        if (first == null || first.batch() != batch) {
            throw new IllegalStateException("a batch was reported as sent out of order");
        }
        keepScratch(batch);
        for (Outgoing outgoing : first.ended()) {
            SendWork work = outgoing.work();
            if (work != null && !work.isRead()) {
                work.outcome = CompletionStatus.SUCCESS;
            }
        }
    }

    /** The oldest Read has all its bytes. */
    void readCompleted() {
        if (readingNothing) {
            readingNothing = false;
            return;
        }
        reading.remove().outcome = CompletionStatus.SUCCESS;
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
        return oldest.completion(outcome);
    }

    /** The oldest work request not completed, done or not; null if there is none. */
    @Nullable
    SendWork pollIncomplete() {
        return incomplete.poll();
    }

    /** The oldest Read that was requested; null if there is none. */
    @Nullable
    SendWork oldestRead() {
        return readingNothing ? null : reading.peek();
    }

    private ByteBuffer takeScratch() {
        return keptScratch.isEmpty() ? ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES) : keptScratch.removeLast();
    }

    private void keepScratch(FpduBatch batch) {
        if (keptScratch.size() < MAX_KEPT_SCRATCH) {
            keptScratch.add(batch.scratch().clear());
        }
    }
}
