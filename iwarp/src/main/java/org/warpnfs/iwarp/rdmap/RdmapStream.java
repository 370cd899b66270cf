package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpError;
import org.warpnfs.iwarp.ddp.DdpUlp;
import org.warpnfs.iwarp.ddp.DdpViolation;
import org.warpnfs.iwarp.ddp.TaggedBuffer;
import org.warpnfs.iwarp.ddp.TaggedHeader;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.ddp.UntaggedQueue;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * The receiving half of an RDMAP stream (RFC 5040, sections 5 and 7.2, RFC 7306, sections 5 to 8).
 *
 * <h2>Operation</h2>
 *
 * DDP calls this class to check each segment before it places a byte. The checks are version, opcode, the kind of
 * buffer for that opcode, and for tagged segments the region or the outstanding Read. Each complete message is reported
 * to the {@link RdmapUlp}.
 *
 * <h2>Buffers</h2>
 *
 * Holds the posted receives, a buffer for each inbound request (IRD), one for each Atomic Response that may be due
 * (ORD) and one for a Terminate. A request uses up an IRD buffer until {@link #requestAnswered()} posts it again. So
 * the peer cannot have more requests outstanding than the IRD.
 *
 * <h2>Errors</h2>
 *
 * Throws violations of all layers. The first violation ends the stream.
 */
public final class RdmapStream implements DdpUlp {
    private static final int QUEUES = 4;

    private final RdmapRegions regions;
    private final RdmapUlp ulp;
    private final InboundRequests requests;
    private final UntaggedQueue[] queues = new UntaggedQueue[QUEUES];
    private final DeliveryOrder order = new DeliveryOrder();
    private final DeliveryOrder.@Nullable Message[] openUntagged = new DeliveryOrder.Message[QUEUES];
    private final OutstandingRequests outstanding = new OutstandingRequests();
    private RdmapExtensions extensions = RdmapExtensions.NONE;
    private DeliveryOrder.@Nullable Message openTagged;
    private int openTaggedControl;

    public RdmapStream(RdmapRegions regions, RdmapUlp ulp) {
        this.regions = regions;
        this.ulp = ulp;
        this.requests = new InboundRequests(regions, ulp);
        for (int qn = 0; qn < QUEUES; qn++) {
            queues[qn] = new UntaggedQueue(qn);
        }
        queues[RdmapQueue.TERMINATES].post(new UntaggedBuffer(ByteBuffer.allocate(TerminateHeader.MAX_BYTES)));
    }

    /**
     * Opens the stream, before its first segment.
     *
     * @param known the extensions of RFC 7306 that the stream supports
     * @param ird how many requests of the peer we have room for
     * @param ord how many requests of ours the peer has room for
     */
    public void open(RdmapExtensions known, int ird, int ord) {
        extensions = known;
        for (int i = 0; i < ird; i++) {
            requestAnswered();
        }
        for (int i = 0; known.atomics() && i < ord; i++) {
            addResponseBuffer();
        }
    }

    /** The queue of posted receives. */
    public UntaggedQueue receives() {
        return queues[RdmapQueue.SENDS];
    }

    /** The response to the oldest inbound request is on its way, so its buffer can be used again. */
    public void requestAnswered() {
        int lengthBytes = extensions.atomics() ? AtomicRequestHeader.BYTES : ReadRequestHeader.BYTES;
        queues[RdmapQueue.READ_REQUESTS].post(new UntaggedBuffer(ByteBuffer.allocate(lengthBytes)));
    }

    private void addResponseBuffer() {
        queues[RdmapQueue.ATOMIC_RESPONSES].post(new UntaggedBuffer(ByteBuffer.allocate(AtomicResponseHeader.BYTES)));
    }

    /** Records a Read Request as sent. */
    public void readIssued(ReadRequestHeader request, TaggedBuffer sink) {
        outstanding.add(new OutstandingRead(request, sink));
    }

    /** Records an Atomic Request as sent. */
    public void atomicIssued(long requestIdentifier) {
        outstanding.addAtomic(requestIdentifier);
    }

    /** The number of our Read Requests and Atomic Requests whose responses have not been delivered yet. */
    public int outstandingRequests() {
        return outstanding.count();
    }

    /** Whether a header is that of a Read Response while a Read of ours is outstanding that it could answer. */
    public boolean answersRead(ByteBuffer ddpHeader) {
        return has(ddpHeader, RdmapOpcode.READ_RESPONSE) && outstanding.read() != null;
    }

    /** Whether a header is that of an Atomic Response, which could answer an Atomic Request of ours. */
    public boolean answersAtomic(ByteBuffer ddpHeader) {
        return has(ddpHeader, RdmapOpcode.ATOMIC_RESPONSE);
    }

    private static boolean has(ByteBuffer ddpHeader, RdmapOpcode opcode) {
        return ddpHeader.hasRemaining() && opcode.isThatOf(ddpHeader.get(1));
    }

    /** True when the stream may end here, because no message has been received in part. */
    public boolean atMessageBoundary() {
        return order.isEmpty();
    }

    /**
     * Removes and returns the next buffer whose message is complete but was not delivered before the stream ended; null
     * if none is left.
     */
    public @Nullable UntaggedBuffer pollUndelivered() {
        return order.pollWaiting();
    }

    // What DDP calls before it places.

    @Override
    public @Nullable UntaggedQueue queue(UntaggedHeader header) throws RdmapViolation {
        if (header.qn() == RdmapQueue.ATOMIC_RESPONSES && !extensions.atomics()) {
            if (RdmapControl.check(header.rsvdUlp()) == RdmapOpcode.ATOMIC_RESPONSE) {
                throw switchedOff(RdmapOpcode.ATOMIC_RESPONSE);
            }
            return null;
        }
        return header.qn() < QUEUES ? queues[(int) header.qn()] : null;
    }

    @Override
    public void checkUntagged(UntaggedHeader header, boolean continues) throws RdmapViolation {
        RdmapOpcode opcode = RdmapControl.check(header.rsvdUlp());
        if (!extensions.know(opcode)) {
            throw switchedOff(opcode);
        }
        if (!opcode.goesTo(header.qn())) {
            throw unexpected(opcode, "on QN " + header.qn());
        }
        if (!continues) {
            throw unexpected(opcode, "within another message");
        }
    }

    @Override
    public @Nullable TaggedBuffer checkTagged(TaggedHeader header, int payloadBytes)
            throws RdmapViolation, DdpViolation {
        RdmapOpcode opcode = RdmapControl.check(header.rsvdUlp());
        if (!opcode.tagged()) {
            throw unexpected(opcode, "in a tagged segment");
        }
        if (openTagged != null && header.rsvdUlp() != openTaggedControl) {
            throw unexpected(opcode, "within another message");
        }
        if (opcode == RdmapOpcode.READ_RESPONSE) {
            OutstandingRead oldest = outstanding.read();
            if (oldest == null) {
                throw unexpected(opcode, "without a Read outstanding");
            }
            return payloadBytes == 0 ? null : oldest.check(header, payloadBytes);
        }
        return payloadBytes == 0 ? null : writable(header);
    }

    private RdmapRegion writable(TaggedHeader header) throws DdpViolation {
        RdmapRegion region = regions.find(header.stag());
        if (region == null && regions.isOfOthers(header.stag())) {
            throw new DdpViolation(
                    DdpError.TAGGED_STAG_OF_OTHER_STREAM,
                    "STag " + Long.toHexString(header.stag())
                            + " belongs to another stream or protection domain (RFC 5041, section 8.2)");
        }
        if (region == null || !region.allowsRemoteWrite()) {
            // DDP has no error code for missing rights (RFC 5041, section 7.2). For a Write, an STag without the right
            // is treated as invalid.
            throw new DdpViolation(
                    DdpError.TAGGED_INVALID_STAG,
                    "STag " + Long.toHexString(header.stag())
                            + (region == null ? " is not valid on this stream" : " may not be written")
                            + " (RFC 5041, section 7.1)");
        }
        return region;
    }

    // What DDP calls after it has placed.

    @Override
    public void taggedPlaced(TaggedHeader header, int payloadBytes) throws RdmapViolation {
        boolean response = RdmapControl.check(header.rsvdUlp()) == RdmapOpcode.READ_RESPONSE;
        OutstandingRead read = response ? outstanding.read() : null;
        if (read != null && read.placed(header, payloadBytes)) {
            outstanding.readPlaced();
        }
        if (!header.last()) {
            if (openTagged == null) {
                openTagged = order.open();
                openTaggedControl = header.rsvdUlp();
            }
            return;
        }
        DeliveryOrder.Message opened = openTagged;
        openTagged = null;
        if (response) {
            order.complete(opened, this::readCompleted, null, null);
        } else {
            order.completeQuietly(opened);
        }
    }

    private void readCompleted() {
        outstanding.readDelivered();
        ulp.readCompleted();
    }

    @Override
    public void untaggedOpened(UntaggedHeader header) {
        openUntagged[(int) header.qn()] = order.open();
    }

    @Override
    public void untaggedDelivered(UntaggedHeader header, UntaggedBuffer buffer, int messageBytes)
            throws RdmapViolation {
        RdmapOpcode opcode = RdmapControl.check(header.rsvdUlp());
        if (opcode == RdmapOpcode.TERMINATE) {
            // A Terminate ends the stream, even if other messages are still open.
            deliver(opcode, header, buffer, messageBytes);
            return;
        }
        int qn = (int) header.qn();
        DeliveryOrder.Message opened = openUntagged[qn];
        openUntagged[qn] = null;
        order.complete(
                opened,
                () -> deliver(opcode, header, buffer, messageBytes),
                buffer,
                FailedSegment.of(header, messageBytes - (int) header.mo()));
    }

    private void deliver(RdmapOpcode opcode, UntaggedHeader header, UntaggedBuffer buffer, int messageBytes)
            throws RdmapViolation {
        ByteBuffer message = buffer.message(messageBytes);
        switch (opcode) {
            case SEND, SEND_SOLICITED ->
                ulp.sendDelivered(buffer, messageBytes, opcode.solicited(), OptionalLong.empty());
            case SEND_INVALIDATE, SEND_SOLICITED_INVALIDATE -> {
                invalidate(header.rsvdUlpWord(), buffer);
                ulp.sendDelivered(buffer, messageBytes, opcode.solicited(), OptionalLong.of(header.rsvdUlpWord()));
            }
            case IMMEDIATE_DATA, IMMEDIATE_DATA_SOLICITED -> immediateDelivered(opcode, buffer, message);
            case READ_REQUEST -> requests.read(message, header);
            case ATOMIC_REQUEST -> requests.atomic(message, header);
            case ATOMIC_RESPONSE -> atomicAnswered(AtomicResponseHeader.parse(message));
            case TERMINATE -> ulp.terminated(TerminateHeader.parse(message), hex(message));
            case RDMA_WRITE, READ_RESPONSE -> throw unexpected(opcode, "in an untagged segment");
        }
    }

    private void invalidate(long stag, UntaggedBuffer buffer) throws RdmapViolation {
        RdmapRegion region = regions.find(stag);
        if (region == null || !region.peerMayInvalidate()) {
            ulp.receiveFailed(buffer);
            boolean valid = region != null || regions.isOfOthers(stag);
            throw new RdmapViolation(
                    valid ? RdmapError.PROTECTION_CANNOT_INVALIDATE : RdmapError.OPERATION_CANNOT_INVALIDATE,
                    "STag " + Long.toHexString(stag)
                            + " is not valid on this stream alone and cannot be invalidated (RFC 5040, section 5.3)");
        }
        region.invalidate();
    }

    private void immediateDelivered(RdmapOpcode opcode, UntaggedBuffer buffer, ByteBuffer message)
            throws RdmapViolation {
        if (message.remaining() != Long.BYTES) {
            ulp.receiveFailed(buffer);
            throw new RdmapViolation(
                    RdmapError.OPERATION_CATASTROPHIC_STREAM,
                    "Immediate Data of " + message.remaining() + " bytes, expected " + Long.BYTES
                            + " (RFC 7306, section 6.3)");
        }
        ulp.immediateDelivered(buffer, BigEndian.u64(message, message.position()), opcode.solicited());
    }

    private void atomicAnswered(AtomicResponseHeader response) throws RdmapViolation {
        outstanding.atomicAnswered(response);
        addResponseBuffer();
        ulp.atomicCompleted(response.originalValue());
    }

    private static RdmapViolation switchedOff(RdmapOpcode opcode) {
        return new RdmapViolation(
                RdmapError.OPERATION_OPCODE, opcode + " is switched off on this stream (RFC 7306, section 1.1)");
    }

    private static RdmapViolation unexpected(RdmapOpcode opcode, String where) {
        return new RdmapViolation(
                RdmapError.OPERATION_OPCODE,
                opcode + " " + where + " (RFC 5040, section 4.1, Figure 4; RFC 7306, section 4.1, Figure 2)");
    }

    private static String hex(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(message.position(), bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
