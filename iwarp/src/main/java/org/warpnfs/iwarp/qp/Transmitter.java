package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.mpa.Fpdu;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.mpa.Framer;
import org.warpnfs.iwarp.mpa.MpaAgreement;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.RdmapStream;
import org.warpnfs.iwarp.rdmap.RdmapViolation;
import org.warpnfs.iwarp.rdmap.ReadRequestHeader;
import org.warpnfs.payload.FileRange;

/**
 * The sending side of a queue pair. It decides which message is sent next and frames it into FPDUs.
 *
 * <h2>Operation</h2>
 *
 * Work is sent in the order of the {@link SendQueue}. Responses to the peer's requests and our own messages alternate,
 * so that neither starves. A Terminate precedes all other output, and nothing follows it.
 *
 * <p>Kernel siw does not survive a Read Request whose header is cut between two TCP segments. If the socket has sent
 * all that it took before, a batch begins a segment. So a Read Request lies within the first
 * {@value #FIRST_SEGMENT_BYTES} bytes of its batch, or begins the next one. Up to ten of them share a batch, which is
 * one system call.
 *
 * <p>An atomic operation is executed only after the socket has taken the bytes of all earlier Read Responses. Until
 * then the socket reads them from memory that the operation may change.
 *
 * <h2>Buffers</h2>
 *
 * Payload of posted work is referenced until the batch with its last byte has been sent. So is memory that the peer
 * reads. With CRCs, memory that the peer reads is copied instead, because it may change at any time and its CRC would
 * be wrong. {@link BatchesInFlight} has the batches that the socket holds.
 *
 * <h2>Errors</h2>
 *
 * If the region of a response is revoked while the response is being sent, {@link #pull} throws a violation.
 */
final class Transmitter {
    /** What fits into each full segment: 536 bytes (RFC 9293, section 3.7.1), of which timestamps take 12. */
    private static final int FIRST_SEGMENT_BYTES = 524;

    /**
     * The least limit for FPDUs. A peer that announces a smaller segment gets FPDUs that are longer than it, so that
     * its bytes do not cost many times as much as those of others.
     */
    static final int LEAST_FPDU_BYTES = 512;

    /**
     * A message is cut so that its first part fills a segment, if so much is left of it: the least ULPDU with a marker
     * (RFC 5044, section 4.5). Messages that are one segment always, such as Read Requests and Terminates, are shorter.
     */
    private static final int LEAST_CUT_BYTES = Fpdu.lengthBytes(Fpdu.MIN_MULPDU_BYTES) + 8;

    private static final int READ_REQUEST_BYTES = Fpdu.lengthBytes(UntaggedHeader.BYTES + ReadRequestHeader.BYTES);

    private final StreamCounts counts;
    private final int wantedMulpduBytes;
    private final int batchBytes;
    private final RdmapStream stream;
    private final RdmapSender sender = new RdmapSender();
    private final SendQueue work;
    private final Queue<Answer> answers = new ArrayDeque<>();
    private final BatchesInFlight inFlight;

    private @Nullable ByteBuffer rawFrame;
    private @Nullable Framer framer;
    private @Nullable Outgoing current;
    private @Nullable DdpMessage terminate;
    private boolean emptyFpdu;
    private boolean stopped;
    private boolean answerNext;
    private boolean wanted;

    /** Whether the batch that is being filled has bytes of the peer's Reads. */
    private boolean batchReadsMemory;

    private boolean batchCarriesWork;

    /** The longest FPDU, with its markers. */
    private int fpduBytes;

    /** The length of a TCP segment, which FPDUs have to fit; 0 if they need not. */
    private int segmentBytes;

    /** FPDUs in the batch that is being filled. */
    private int fpdusFramed;

    /** Whether FPDUs carry CRCs, so that their bytes must not change before they have been sent. */
    private boolean crc;

    Transmitter(QueuePairConfig config, RdmapStream stream, ScratchPool scratch, StreamCounts counts) {
        this.inFlight = new BatchesInFlight(scratch);
        this.counts = counts;
        this.wantedMulpduBytes = config.mulpduBytes();
        this.fpduBytes = Fpdu.lengthBytes(wantedMulpduBytes);
        this.batchBytes = config.batchBytes();
        this.stream = stream;
        this.work = new SendQueue(stream, sender);
    }

    /** A message that is being sent, and the work request or response that it belongs to. */
    private record Outgoing(
            DdpMessage message,
            @Nullable SendWork work,
            @Nullable Answer answer) {
        boolean isReadRequest() {
            return work != null && work.isRead();
        }

        boolean isRtr() {
            return work == null && answer == null;
        }
    }

    /** The posted work. */
    SendQueue work() {
        return work;
    }

    /** Notes that there may be output to pull at the end of this turn. */
    void want() {
        wanted = true;
    }

    /** Whether output is wanted. */
    boolean wanted() {
        return wanted;
    }

    /** Whether output is wanted. Clears the note, because the caller is about to pull. */
    boolean takeWanted() {
        boolean was = wanted;
        wanted = false;
        return was;
    }

    /**
     * Makes FPDUs fit TCP segments from the next batch on (RFC 5044, section 5.1). What is framed already stays as it
     * is.
     *
     * @param bytes what TCP sends in one segment now
     */
    void fitSegments(int bytes) {
        int segment = bytes & ~3;
        int longest = Fpdu.lengthBytes(wantedMulpduBytes);
        fpduBytes = Math.min(longest, Math.max(segment, LEAST_FPDU_BYTES));
        // The kernel cuts large segments as it likes, and no adapter has such segments.
        boolean kept = segment >= LEAST_FPDU_BYTES && segment <= FpduBatch.SHORT_FPDU_BYTES;
        segmentBytes = kept ? segment : 0;
    }

    /** The longest FPDU that is made now, with its markers. */
    int fpduBytes() {
        return fpduBytes;
    }

    /** Sends a startup frame before any other output. */
    void sendRaw(ByteBuffer frame) {
        rawFrame = frame;
    }

    /** Forgets the startup frame that was sent or waits, because there is a new connection. */
    void restart() {
        rawFrame = null;
        inFlight.restart();
    }

    /** Allows messages to be sent from now on. */
    void open(MpaAgreement.Framing framing, int ord) {
        Framer fpdus = Framer.of(framing);
        framer = fpdus;
        crc = framing.crc();
        work.open(ord);
    }

    /**
     * Sends the RTR that opens the stream in peer-to-peer mode, before all other output and in a batch of its own (RFC
     * 6581, section 9.2).
     */
    void sendRtr(RtrKind kind) {
        switch (kind) {
            case WRITE -> sendFirst(RdmapSender.write(0, 0, List.of()));
            case FPDU -> emptyFpdu = true;
            case SEND -> sendFirst(sender.send(List.of(), false, OptionalLong.empty()));
            case READ -> sendFirst(work.readNothing());
        }
    }

    private void sendFirst(DdpMessage message) {
        current = new Outgoing(message, null, null);
    }

    void answer(Answer answer) {
        answers.add(answer);
    }

    /** The peer no longer answers. Requests that wait are not sent, and those that were sent are flushed. */
    void requestsLost() {
        Outgoing held = current;
        if (held != null && held.isReadRequest()) {
            current = null;
        }
        work.requestsLost();
    }

    /** Sends a Terminate after the current FPDU, and nothing after it. */
    void terminate(DdpMessage message) {
        drop();
        terminate = message;
    }

    /** Sends nothing more. */
    void stop() {
        drop();
        terminate = null;
        stopped = true;
    }

    private void drop() {
        rawFrame = null;
        emptyFpdu = false;
        current = null;
        work.stop();
        answers.clear();
    }

    /** True if the socket has taken all output. */
    boolean idle() {
        return inFlight.isEmpty() && rawFrame == null && terminate == null && !hasMessages();
    }

    private boolean hasMessages() {
        return current != null || !answers.isEmpty() || work.hasWaiting() || emptyFpdu;
    }

    /** The next batch to write; null if there is none now. */
    @Nullable
    FpduBatch pull() throws RdmapViolation {
        if (stopped) {
            return null;
        }
        Framer fpdus = framer;
        if (rawFrame == null && (fpdus == null || (terminate == null && !hasMessages()))) {
            return null;
        }
        FpduBatch batch = inFlight.empty();
        batch.makeFpdus(fpduBytes, segmentBytes);
        List<SendWork> ended = new ArrayList<>();
        batchReadsMemory = false;
        batchCarriesWork = false;
        fpdusFramed = 0;
        if (rawFrame != null) {
            batch.raw(rawFrame);
            rawFrame = null;
        } else if (fpdus != null) {
            fillOrDrop(batch, fpdus, ended);
        }
        if (batch.lengthBytes() == 0) {
            inFlight.giveBack(batch);
            return null;
        }
        if (fpdusFramed > 0) {
            counts.sent(fpdusFramed, fpduBytes);
        }
        inFlight.add(batch, ended, batchReadsMemory, batchCarriesWork);
        batchReadsMemory = false;
        return batch;
    }

    /**
     * Fills a batch. If a fault is found, the FPDUs framed so far are not sent, and the next output takes their place
     * in the stream.
     */
    private void fillOrDrop(FpduBatch batch, Framer fpdus, List<SendWork> ended) throws RdmapViolation {
        int mark = fpdus.mark();
        boolean filled = false;
        try {
            fill(batch, fpdus, ended);
            filled = true;
        } finally {
            if (!filled) {
                fpdus.rewind(mark);
            }
        }
    }

    private void fill(FpduBatch batch, Framer fpdus, List<SendWork> ended) throws RdmapViolation {
        DdpMessage last = terminate;
        if (last != null) {
            terminate = null;
            stopped = true;
            frame(batch, fpdus, last, false);
            return;
        }
        if (emptyFpdu) {
            emptyFpdu = false;
            fpdus.start(batch, 0);
            fpdus.end(batch);
            fpdusFramed++;
            return;
        }
        while (fpdus.hasRoom(batch)) {
            Outgoing outgoing = current != null ? current : next();
            current = outgoing;
            if (outgoing == null
                    || (outgoing.isReadRequest() && !mayBeBehind(batch.lengthBytes()))
                    || !fits(batch, fpdus, outgoing.message())) {
                return;
            }
            Answer answer = outgoing.answer();
            if (answer != null) {
                answer.check();
                batchReadsMemory |= answer.readsMemory() && !crc;
            }
            batchCarriesWork |= outgoing.work() != null;
            frame(batch, fpdus, outgoing.message(), crc && answer != null);
            if (outgoing.message().ended()) {
                current = null;
                if (outgoing.work() != null) {
                    ended.add(outgoing.work());
                }
                if (answer != null) {
                    // Done here and not when the batch has been sent. The peer may receive the response and send
                    // another request before we are told that the batch was sent.
                    stream.requestAnswered();
                }
                if (outgoing.isRtr()) {
                    return;
                }
            }
        }
    }

    /** Whether a Read Request may follow so many bytes of its batch. */
    private static boolean mayBeBehind(long batchBytes) {
        return batchBytes + READ_REQUEST_BYTES <= FIRST_SEGMENT_BYTES;
    }

    /** Whether the next FPDU of a message fits into a batch; it is never too long for an empty one. */
    private boolean fits(FpduBatch batch, Framer fpdus, DdpMessage message) {
        int ulpduBytes = message.headerBytes() + message.nextPayloadBytes(mulpduBytes(batch, fpdus));
        return batch.lengthBytes() == 0 || Fpdu.lengthBytes(ulpduBytes) <= batchBytes - batch.lengthBytes();
    }

    /**
     * The longest ULPDU that may be made next. An FPDU that fills what is left of a TCP segment spares the system call
     * that would end the segment. If little is left, it ends, so that FPDUs are not tiny.
     */
    private int mulpduBytes(FpduBatch batch, Framer fpdus) {
        int roomBytes = batch.segmentRoomBytes();
        int mostBytes = roomBytes < LEAST_CUT_BYTES ? fpduBytes : Math.min(roomBytes, fpduBytes);
        return Math.min(wantedMulpduBytes, fpdus.mulpduBytes(mostBytes));
    }

    /** Whether a batch that was pulled and not yet reported as sent carries posted work. */
    boolean carriesWork(FpduBatch batch) {
        return inFlight.carriesWork(batch);
    }

    /** See {@link BatchesInFlight#takenBytes}. */
    long takenBytes(boolean workOnly, long unsentBytes) {
        return inFlight.takenBytes(workOnly, unsentBytes);
    }

    /**
     * Frames one segment.
     *
     * @param changing whether Writes of the peer or our own Reads may change the payload while the socket holds it; if
     *     so it is copied, so that its CRC stays right
     */
    private void frame(FpduBatch batch, Framer fpdus, DdpMessage message, boolean changing) {
        int payloadBytes = message.nextPayloadBytes(mulpduBytes(batch, fpdus));
        ByteBuffer header = fpdus.start(batch, message.headerBytes() + payloadBytes);
        message.encodeHeader(header, payloadBytes);
        FileRange range = message.payload().range();
        if (range != null) {
            fpdus.payload(batch, range, message.payload().skip(payloadBytes), payloadBytes);
        }
        for (int left = range == null ? payloadBytes : 0; left > 0; ) {
            ByteBuffer piece = message.payload().next(left);
            left -= piece.remaining();
            fpdus.payload(batch, changing ? copy(piece) : piece);
        }
        fpdus.end(batch);
        fpdusFramed++;
    }

    private static ByteBuffer copy(ByteBuffer piece) {
        return ByteBuffer.allocate(piece.remaining()).put(piece).flip();
    }

    private @Nullable Outgoing next() throws RdmapViolation {
        Outgoing ours = answerNext ? null : nextWork();
        if (ours != null) {
            answerNext = true;
            return ours;
        }
        answerNext = false;
        Outgoing answer = nextAnswer();
        return answer != null ? answer : nextWork();
    }

    private @Nullable Outgoing nextWork() {
        SendWork next = work.next();
        return next == null || next.message == null ? null : new Outgoing(next.message, next, null);
    }

    private @Nullable Outgoing nextAnswer() throws RdmapViolation {
        Answer answer = answers.peek();
        boolean tooEarly = answer != null && answer.changesMemory() && (batchReadsMemory || inFlight.readMemory());
        if (answer == null || tooEarly) {
            return null;
        }
        answers.remove();
        return new Outgoing(answer.begin(sender), null, answer);
    }

    /** The socket has taken a batch. Batches must be reported in the order in which they were pulled. */
    void sent(FpduBatch batch) {
        inFlight.sent(batch).forEach(work::sent);
    }

    /** Releases all batches, because the connection is gone. Nothing is pulled any more. */
    void release() {
        stop();
        inFlight.release();
    }
}
