package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * A model of the output of one end. The end may send only posted work, in order, and responses to requests, in order.
 * It sends no byte after a Terminate, and none of memory that was released before.
 */
final class Outbound implements StreamReader.Sink {
    private static final int ATOMIC_FETCH_ADD = 0;
    private static final int ATOMIC_COMPARE_SWAP = 2;

    private final End end;
    private final boolean crc;
    private final StreamReader reader;

    /** Bytes that have been sent. */
    private long position;

    /** The rest of the batch that the socket has. */
    private long inSocketBytes;

    private int batchSince;

    private boolean openingDue;
    private boolean terminated;
    private final long[] msns = {1, 1, 1, 1};

    Outbound(End end, boolean markers, boolean crc) {
        this.end = end;
        this.crc = crc;
        this.reader = new StreamReader(markers, this);
        this.openingDue = end.initiator && end.run.opens();
    }

    void handedOver(long lengthBytes) {
        inSocketBytes = lengthBytes;
        batchSince = end.run.steps;
    }

    /** Whether what arrived then cannot have been answered yet, because the socket has had a batch since before. */
    boolean busySince(int then) {
        return inSocketBytes > 0 && batchSince < then;
    }

    void left(ByteBuffer bytes) {
        Broken.unless(!terminated, () -> end + ": " + bytes.remaining() + " bytes behind a Terminate");
        position += bytes.remaining();
        inSocketBytes -= bytes.remaining();
        reader.add(bytes);
    }

    /** The end of the batch that the socket has. */
    long endOfBatch() {
        return position + inSocketBytes;
    }

    /** Whether the next bytes belong to FPDUs, because the startup of this direction has finished. */
    boolean framing() {
        return reader.started();
    }

    @Override
    public void startupFrame(ByteBuffer frame) {}

    @Override
    public void fpdu(ByteBuffer ulpdu, int ulpduBytes, StreamReader.Trailer whole) {
        Broken.unless(!terminated, () -> end + ": an FPDU behind a Terminate");
        if (whole == null) {
            beginAny(new Segment(ulpdu, ulpduBytes));
            return;
        }
        Broken.unless(whole.markersRight(), () -> end + ": a marker that points elsewhere");
        Broken.unless(
                ulpduBytes <= end.choices.config().mulpduBytes(), () -> end + ": a ULPDU of " + ulpduBytes + " bytes");
        Segment segment = ulpduBytes == 0 ? null : new Segment(ulpdu, ulpduBytes);
        Broken.unless(crc ? whole.crcRight() : whole.crcZero(), () -> end + ": wrong CRC of " + segment);
        if (openingDue) {
            openingDue = false;
            opens(segment);
            return;
        }
        Broken.unless(
                segment != null && segment.wellFormed(),
                () -> end + ": a malformed segment of " + ulpduBytes + " bytes");
        end.run.trace(() -> end + " sends " + segment);
        end.run.coverage.see("opcode " + segment.opcode());
        Broken.unless(
                end.initiator || end.life.established || segment.opcode() == Segment.TERMINATE,
                () -> end + ": " + segment + " before the initiator's first");
        switch (segment.opcode()) {
            case Segment.READ_RESPONSE -> readResponse(segment);
            case Segment.ATOMIC_RESPONSE -> atomicResponse(segment);
            case Segment.TERMINATE -> terminate(segment);
            default -> ours(segment);
        }
    }

    private void opens(Segment segment) {
        RtrKind kind = end.run.scenario.mode.sentRtr();
        boolean right =
                switch (kind) {
                    case FPDU -> segment == null;
                    case WRITE -> segment != null && segment.opcode() == Segment.WRITE && segment.payloadBytes() == 0;
                    case SEND -> isNext(segment, Segment.SEND, 0) && segment.payloadBytes() == 0;
                    case READ ->
                        isNext(segment, Segment.READ_REQUEST, 1)
                                && segment.payload().getInt(12) == 0;
                };
        Broken.unless(right, () -> end + ": " + segment + " in place of the RTR " + kind);
        end.work.openingRead = kind == RtrKind.READ;
        if (kind == RtrKind.SEND || kind == RtrKind.READ) {
            msns[kind == RtrKind.SEND ? 0 : 1]++;
        }
    }

    private boolean isNext(Segment segment, int opcode, int qn) {
        return segment != null
                && segment.opcode() == opcode
                && !segment.tagged()
                && segment.qn() == qn
                && segment.msn() == msns[qn];
    }

    /** Checks a segment of posted work. */
    private void ours(Segment segment) {
        Work work = next(segment);
        Broken.unless(work != null, () -> end + ": " + segment + " that nobody posted");
        if (!work.begun) {
            begin(work);
        }
        Broken.unless(says(segment, work), () -> end + ": " + segment + " in place of " + work);
        work.leftBytes += segment.payloadBytes();
        if (segment.last()) {
            work.left = true;
            end.work.leaving.remove();
            if (work.qn >= 0) {
                msns[(int) work.qn]++;
            }
        }
    }

    private Work next(Segment segment) {
        Work work = end.work.leavingAt(reader.startOfFpdu());
        while (work != null && work.mustFlush && !work.begun && !isRequest(segment)) {
            work = end.work.skip(work);
        }
        return work;
    }

    private static boolean isRequest(Segment segment) {
        return segment.opcode() == Segment.READ_REQUEST || segment.opcode() == Segment.ATOMIC_REQUEST;
    }

    /** Marks work as begun. Its header is enough for the peer to name a segment. */
    private void beginAny(Segment segment) {
        boolean answers = !segment.headerThere()
                || segment.opcode() == Segment.READ_RESPONSE
                || segment.opcode() == Segment.ATOMIC_RESPONSE
                || segment.opcode() == Segment.TERMINATE;
        Work work = openingDue || answers ? null : next(segment);
        if (work != null && !work.begun) {
            begin(work);
        }
    }

    private void begin(Work work) {
        Broken.unless(
                work.mustFlush || !work.request.fence() || !end.work.requestsBefore(work),
                () -> end + ": " + work + " passes its fence");
        end.work.begun(work);
        if (work.awaitsAnswer()) {
            int ord = end.queuePair.parameters().ord();
            Broken.unless(
                    end.work.outstandingRequests() <= ord,
                    () -> end + ": " + end.work.outstandingRequests() + " requests outstanding, ORD " + ord);
        }
        if (!(work.request instanceof WorkRequest.RdmaWrite)) {
            work.qn = work.awaitsAnswer() ? 1 : 0;
            work.msn = msns[(int) work.qn];
        }
    }

    private boolean says(Segment segment, Work work) {
        return switch (work.request) {
            case WorkRequest.Send send -> {
                int opcode = send.solicitedEvent() ? Segment.SEND_SOLICITED : Segment.SEND;
                opcode += send.invalidateStag().isPresent() ? 1 : 0;
                yield isNext(segment, opcode, 0)
                        && segment.stag() == send.invalidateStag().orElse(0)
                        && segment.mo() == work.leftBytes
                        && carries(segment, work);
            }
            case WorkRequest.RdmaWrite write ->
                segment.opcode() == Segment.WRITE
                        && segment.tagged()
                        && segment.stag() == write.sink().stag()
                        && segment.taggedOffset() == write.sink().taggedOffset() + work.leftBytes
                        && carries(segment, work);
            case WorkRequest.FileWrite _ ->
                throw new IllegalStateException("a simulated link sends nothing from files");
            case WorkRequest.ImmediateData data ->
                isNext(segment, data.solicitedEvent() ? Segment.IMMEDIATE_SOLICITED : Segment.IMMEDIATE, 0)
                        && segment.stag() == 0
                        && carries(segment, work);
            case WorkRequest.RdmaRead read ->
                isNext(segment, Segment.READ_REQUEST, 1)
                        && segment.last()
                        && segment.payload().equals(readRequest(read));
            case WorkRequest.FetchAdd add ->
                isNext(segment, Segment.ATOMIC_REQUEST, 1)
                        && segment.last()
                        && isAtomic(
                                segment.payload(),
                                ATOMIC_FETCH_ADD,
                                add.target().stag(),
                                add.target().taggedOffset())
                        && segment.payload().getLong(20) == add.add().data()
                        && segment.payload().getLong(28) == add.add().mask();
            case WorkRequest.CompareSwap swap ->
                isNext(segment, Segment.ATOMIC_REQUEST, 1)
                        && segment.last()
                        && isAtomic(
                                segment.payload(),
                                ATOMIC_COMPARE_SWAP,
                                swap.target().stag(),
                                swap.target().taggedOffset())
                        && segment.payload().getLong(20) == swap.swap().data()
                        && segment.payload().getLong(28) == swap.swap().mask()
                        && segment.payload().getLong(36) == swap.compare().data()
                        && segment.payload().getLong(44) == swap.compare().mask();
            case WorkRequest.LocalInvalidate _ -> false;
        };
    }

    /** Whether the segment has the next payload of the message, and the last flag exactly if it is the last. */
    private static boolean carries(Segment segment, Work work) {
        int restBytes = work.content.length - work.leftBytes;
        return segment.payloadBytes() <= restBytes
                && segment.last() == (segment.payloadBytes() == restBytes)
                && segment.payload().equals(ByteBuffer.wrap(work.content, work.leftBytes, segment.payloadBytes()));
    }

    private static ByteBuffer readRequest(WorkRequest.RdmaRead read) {
        return ByteBuffer.allocate(Request.READ_BYTES)
                .putInt((int) read.sink().stag())
                .putLong(read.sink().taggedOffset() + read.sinkOffsetBytes())
                .putInt(read.lengthBytes())
                .putInt((int) read.source().stag())
                .putLong(read.source().taggedOffset())
                .flip();
    }

    private static boolean isAtomic(ByteBuffer payload, int operation, long stag, long taggedOffset) {
        return payload.remaining() == Request.ATOMIC_BYTES
                && payload.getInt(0) == operation
                && payload.getInt(8) == (int) stag
                && payload.getLong(12) == taggedOffset;
    }

    // Responses.

    private void readResponse(Segment segment) {
        Request request = end.requests.peek();
        Broken.unless(
                request != null && !request.isAtomic() && continues(segment, request),
                () -> end + ": " + segment + " that was not asked for");
        ModelRegion source = request.region;
        if (source != null) {
            Broken.unless(
                    reader.startOfFpdu() < source.readableUntil,
                    () -> end + ": " + segment + " reads memory that was released before");
            check(segment.payload(), request);
        }
        request.answeredBytes += segment.payloadBytes();
        if (segment.last()) {
            end.requests.remove();
        }
    }

    private static boolean continues(Segment segment, Request request) {
        int restBytes = request.sizeBytes() - request.answeredBytes;
        return segment.stag() == request.sinkStag()
                && segment.taggedOffset() == request.sinkOffset() + request.answeredBytes
                && segment.payloadBytes() <= restBytes
                && segment.last() == (segment.payloadBytes() == restBytes);
    }

    /**
     * Checks a payload against memory. Where memory has changed since the request arrived, the peer may get old or new
     * contents.
     */
    private void check(ByteBuffer payload, Request request) {
        if (request.region.released) {
            return;
        }
        int from = request.offset + request.answeredBytes;
        ByteBuffer expected = request.region.span.expected(from, payload.remaining());
        for (int at = payload.mismatch(expected); at >= 0 && at < payload.remaining(); at++) {
            int where = from + at;
            Broken.unless(
                    payload.get(at) == expected.get(at) || request.region.span.changedSince(where, request.since),
                    () -> end + ": a Read Response shows what was not in byte " + where + " of its region");
        }
    }

    private void atomicResponse(Segment segment) {
        Request request = end.requests.poll();
        Broken.unless(
                request != null && request.isAtomic() && isNext(segment, Segment.ATOMIC_RESPONSE, 3),
                () -> end + ": " + segment + " that was not asked for");
        if (!request.executed && !request.region.released) {
            request.execute(end.run.steps);
        }
        msns[3]++;
        ByteBuffer payload = segment.payload();
        Broken.unless(
                segment.last()
                        && payload.remaining() == 12
                        && payload.getInt(0) == request.identifier()
                        && payload.getLong(4) == request.original,
                () -> end + ": an Atomic Response with " + Long.toHexString(payload.getLong(4)) + " where "
                        + Long.toHexString(request.original) + " was");
    }

    private void terminate(Segment segment) {
        terminated = true;
        Broken.unless(
                isNext(segment, Segment.TERMINATE, 2) && segment.mo() == 0 && segment.last(),
                () -> end + ": a malformed Terminate " + segment);
        List<ByteBuffer> due = end.life.terminatesDue();
        Broken.unless(
                due.contains(segment.payload()),
                () -> end + ": a Terminate " + Hex.of(segment.payload()) + " in place of "
                        + due.stream().map(Hex::of).toList());
        end.run.coverage.see(Fault.of(segment.payload()));
    }
}
