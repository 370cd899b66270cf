package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.CompletionStatus;

/**
 * A model of how one end must process the bytes that arrive. It is told of them just before the code under test. It
 * determines which memory changes, which receives and requests complete, and which violation ends the stream.
 */
final class Inbound implements StreamReader.Sink {
    private final End end;
    private final boolean crc;

    /** Whether an FPDU has no effect before all of it has arrived, because a CRC or markers must be checked first. */
    private final boolean wholeOnly;

    private final StreamReader reader;

    /** Whether the current segment was accepted. */
    private boolean admitted;

    private int placedBytes;
    private Arena.Span place;
    private int placeAt;
    private ModelRegion placeIn;

    /** Whether an untagged message has begun and not ended. {@code inTagged} is the same for tagged messages. */
    private boolean inUntagged;

    private boolean inTagged;
    private int messages;

    /** The number of complete FPDUs that had an effect. */
    private int fpdus;

    Inbound(End end, boolean markers, boolean crc) {
        this.end = end;
        this.crc = crc;
        this.wholeOnly = crc || markers;
        this.reader = new StreamReader(markers, this);
    }

    void arrived(ByteBuffer bytes) {
        reader.add(bytes);
    }

    /** Whether the stream may end here. */
    boolean atBoundary() {
        return reader.atBoundary() && !inUntagged && !inTagged;
    }

    /** Whether only what opens the stream has arrived. */
    boolean silent() {
        return fpdus == 0 || (fpdus == 1 && end.run.opens());
    }

    @Override
    public void startupFrame(ByteBuffer frame) {
        if (end.initiator && !end.over()) {
            end.life.established = true;
        }
    }

    @Override
    public void fpdu(ByteBuffer ulpdu, int ulpduBytes, StreamReader.Trailer whole) {
        if (end.over() || (wholeOnly && whole == null)) {
            return;
        }
        if (crc && !whole.crcRight()) {
            end.life.violated(Fault.CRC, null);
            return;
        }
        if (ulpduBytes > 0 && !take(new Segment(ulpdu, ulpduBytes))) {
            return;
        }
        if (whole != null) {
            fpdus++;
            end.life.established = true;
            admitted = false;
            if (ulpduBytes > 0) {
                ended(new Segment(ulpdu, ulpduBytes));
            } else {
                messages++;
            }
        }
    }

    /** Processes the bytes of a segment that have arrived. Returns whether they broke no rule. */
    private boolean take(Segment segment) {
        if (!admitted && segment.headerThere()) {
            admitted = true;
            placedBytes = 0;
            place = null;
            placeIn = null;
            Fault fault = segment.tagged() ? admitTagged(segment) : admitUntagged(segment);
            if (fault != null) {
                end.life.violated(fault, segment);
                return false;
            }
        }
        if (!admitted || place == null) {
            return true;
        }
        ByteBuffer payload = segment.payload();
        if (payload.remaining() > placedBytes) {
            if (placeIn != null && !placeIn.valid()) {
                // The region was revoked while the segment was on its way.
                end.life.violated(Fault.TAGGED_INVALID_STAG, segment);
                return false;
            }
            place.expect(placeAt + placedBytes, payload.position(placedBytes), end.run.steps);
            placedBytes = payload.limit();
        }
        return true;
    }

    private Fault admitTagged(Segment segment) {
        int payloadBytes = segment.payloadBytes();
        if (payloadBytes == 0) {
            return null;
        }
        ModelRegion region;
        if (segment.opcode() == Segment.READ_RESPONSE) {
            region = end.work.reads.element().own;
        } else {
            region = end.find(segment.stag());
            if (region == null) {
                return end.peer.has(segment.stag()) ? Fault.TAGGED_OTHER_STREAM : Fault.TAGGED_INVALID_STAG;
            }
            if (!region.allows(AccessRight.REMOTE_WRITE)) {
                return Fault.TAGGED_INVALID_STAG;
            }
        }
        long offset = segment.taggedOffset() - region.region.taggedOffset();
        if (wraps(segment.taggedOffset(), payloadBytes)) {
            return Fault.TAGGED_WRAP;
        }
        if (outside(offset, payloadBytes, region)) {
            return Fault.TAGGED_BOUNDS;
        }
        place = region.span;
        placeAt = (int) offset;
        placeIn = region;
        return null;
    }

    private static boolean wraps(long to, long lengthBytes) {
        return to < 0 && to + lengthBytes >= 0;
    }

    private static boolean outside(long offset, long lengthBytes, ModelRegion region) {
        return offset < 0 || offset > region.lengthBytes() || lengthBytes > region.lengthBytes() - offset;
    }

    private Fault admitUntagged(Segment segment) {
        if (!end.knows(segment.opcode())) {
            return Fault.UNKNOWN_OPCODE;
        }
        if (segment.qn() != 0 || isOpeningSend(segment)) {
            return null;
        }
        ReceiveLog.Receive receive = end.receives.posted.peek();
        if (receive == null) {
            return Fault.NO_RECEIVE;
        }
        receive.begun = true;
        if (segment.mo() + segment.payloadBytes() > receive.capacityBytes) {
            end.receives.over(CompletionStatus.LENGTH_ERROR, null, OptionalLong.empty());
            return Fault.MESSAGE_TOO_LONG;
        }
        place = receive.span;
        placeAt = receive.start + (int) segment.mo();
        return null;
    }

    /** A zero-length Send that opens the stream takes no receive. */
    private boolean isOpeningSend(Segment segment) {
        return end.run.opensWithSend() && !end.initiator && messages == 0 && segment.lengthBytes() == 18;
    }

    /** All bytes of a segment have arrived. */
    private void ended(Segment segment) {
        if (segment.tagged()) {
            inTagged = !segment.last();
        } else {
            inUntagged = !segment.last();
        }
        if (!segment.last()) {
            return;
        }
        boolean opens = messages++ == 0 && !end.initiator && end.run.opens();
        switch (segment.opcode()) {
            case Segment.WRITE -> {
                if (!opens) {
                    end.writeArrived(end.peer.work.arriving.remove());
                }
            }
            case Segment.READ_RESPONSE -> end.readAnswered();
            case Segment.READ_REQUEST -> {
                readRequested(segment, opens ? null : end.peer.work.arriving.remove());
            }
            case Segment.ATOMIC_REQUEST -> atomicRequested(segment, end.peer.work.arriving.remove());
            case Segment.ATOMIC_RESPONSE -> end.atomicAnswered(segment.payload());
            case Segment.TERMINATE -> end.life.terminated(segment.payload());
            default -> {
                if (!opens) {
                    messageArrived(segment, end.peer.work.arriving.remove());
                }
            }
        }
    }

    private void messageArrived(Segment segment, Work message) {
        OptionalLong invalidated = OptionalLong.empty();
        if (segment.opcode() == Segment.SEND_INVALIDATE || segment.opcode() == Segment.SEND_SOLICITED_INVALIDATE) {
            ModelRegion region = end.find(segment.stag());
            if (region == null || region.ofDomain) {
                end.receives.over(CompletionStatus.REMOTE_ERROR, null, invalidated);
                boolean others = region != null || end.peer.has(segment.stag());
                end.life.violated(others ? Fault.CANNOT_INVALIDATE_OTHERS : Fault.CANNOT_INVALIDATE, segment);
                return;
            }
            region.dead = true;
            invalidated = OptionalLong.of(segment.stag());
        }
        end.receives.over(CompletionStatus.SUCCESS, message, invalidated);
    }

    private void readRequested(Segment segment, Work work) {
        ByteBuffer payload = segment.payload();
        long sizeBytes = Integer.toUnsignedLong(payload.getInt(12));
        Target target = sizeBytes == 0
                ? new Target(null, 0, null)
                : find(payload.getInt(16), payload.getLong(20), sizeBytes, AccessRight.REMOTE_READ);
        requested(segment, target, work, payload);
    }

    private void atomicRequested(Segment segment, Work work) {
        ByteBuffer payload = segment.payload();
        Target target = find(payload.getInt(8), payload.getLong(12), Long.BYTES, AccessRight.REMOTE_ATOMIC);
        if (target.fault() == null && target.offset() % Long.BYTES != 0) {
            target = new Target(null, 0, Fault.MISALIGNED);
        }
        requested(segment, target, work, null);
    }

    private void requested(Segment segment, Target target, Work work, ByteBuffer readRequest) {
        if (target.fault() != null) {
            end.life.violated(target.fault(), segment, readRequest);
            return;
        }
        end.requests.add(new Request(
                segment,
                target.region(),
                target.offset(),
                work != null && work.isAtomic() ? work.request : null,
                end.run.steps));
        int held = Math.max(end.queuePair.parameters().ird(), end.run.opens() ? 1 : 0);
        Broken.unless(
                end.requests.size() <= held, () -> end + ": " + end.requests.size() + " requests held, IRD " + held);
    }

    /** The target of a request, or the reason for refusing it. */
    private record Target(ModelRegion region, int offset, Fault fault) {}

    private Target find(int stag, long taggedOffset, long lengthBytes, AccessRight right) {
        ModelRegion region = end.find(Integer.toUnsignedLong(stag));
        if (region == null) {
            boolean others = end.peer.has(Integer.toUnsignedLong(stag));
            return new Target(null, 0, others ? Fault.OTHER_STREAM : Fault.INVALID_STAG);
        }
        if (!region.allows(right)) {
            return new Target(null, 0, Fault.ACCESS_RIGHTS);
        }
        if (wraps(taggedOffset, lengthBytes)) {
            return new Target(null, 0, Fault.WRAP);
        }
        long offset = taggedOffset - region.region.taggedOffset();
        return outside(offset, lengthBytes, region)
                ? new Target(null, 0, Fault.BOUNDS)
                : new Target(region, (int) offset, null);
    }
}
