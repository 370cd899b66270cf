package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpError;
import org.warpnfs.iwarp.ddp.DdpUlp;
import org.warpnfs.iwarp.ddp.DdpViolation;
import org.warpnfs.iwarp.ddp.TaggedBuffer;
import org.warpnfs.iwarp.ddp.TaggedHeader;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.ddp.UntaggedQueue;

/**
 * The receiving half of an RDMAP stream (RFC 5040 sections 5 and 7.2).
 *
 * <h2>Operation</h2>
 *
 * DDP asks for the checks of each segment before it places a byte: version, opcode, the right kind of buffer for that opcode,
 * and for tagged segments the region or the outstanding Read. What a complete message means goes to the {@link RdmapUlp}.
 *
 * <h2>Buffers</h2>
 *
 * Holds the posted receives, a buffer for each inbound Read Request (IRD) and one for a Terminate. An IRD buffer is used up by
 * its request and posted again by {@link #readAnswered()}, so that the peer cannot have more outstanding.
 *
 * <h2>Errors</h2>
 *
 * Violations of all layers; the stream is over after the first.
 */
public final class RdmapStream implements DdpUlp {
    private static final int NO_OPEN_MESSAGE = -1;

    private final RdmapRegions regions;
    private final RdmapUlp ulp;
    private final UntaggedQueue sends = new UntaggedQueue(RdmapQueue.SENDS);
    private final UntaggedQueue readRequests = new UntaggedQueue(RdmapQueue.READ_REQUESTS);
    private final UntaggedQueue terminates = new UntaggedQueue(RdmapQueue.TERMINATES);
    private final Queue<OutstandingRead> outstandingReads = new ArrayDeque<>();
    private int openTaggedControl = NO_OPEN_MESSAGE;

    public RdmapStream(RdmapRegions regions, RdmapUlp ulp) {
        this.regions = regions;
        this.ulp = ulp;
        terminates.post(new UntaggedBuffer(ByteBuffer.allocate(TerminateHeader.MAX_BYTES)));
    }

    /** The queue of posted receives. */
    public UntaggedQueue receives() {
        return sends;
    }

    /** Makes room for one more inbound Read Request. */
    public void addInboundRead() {
        readRequests.post(new UntaggedBuffer(ByteBuffer.allocate(ReadRequestHeader.BYTES)));
    }

    /** The answer to the oldest inbound Read Request is on its way: its room is free again. */
    public void readAnswered() {
        addInboundRead();
    }

    /** Notes a Read Request as sent. */
    public void readIssued(ReadRequestHeader request, TaggedBuffer sink) {
        outstandingReads.add(new OutstandingRead(request, sink));
    }

    /** Read Requests of ours that are not answered yet. */
    public int outstandingReads() {
        return outstandingReads.size();
    }

    /** Whether a header is that of a Read Response, and a Read of ours is outstanding that it might have answered. */
    public boolean expectsReadResponse(ByteBuffer ddpHeader) {
        return ddpHeader.hasRemaining()
                && (ddpHeader.get(1) & RdmapControl.OPCODE_MASK) == RdmapOpcode.READ_RESPONSE.code()
                && !outstandingReads.isEmpty();
    }

    /** True when the stream may end here: no message is half received. */
    public boolean atMessageBoundary() {
        return openTaggedControl == NO_OPEN_MESSAGE
                && !sends.inMessage()
                && !readRequests.inMessage()
                && !terminates.inMessage();
    }

    @Override
    public @Nullable UntaggedQueue queue(long qn) {
        if (qn == RdmapQueue.SENDS) {
            return sends;
        }
        if (qn == RdmapQueue.READ_REQUESTS) {
            return readRequests;
        }
        return qn == RdmapQueue.TERMINATES ? terminates : null;
    }

    @Override
    public void checkUntagged(UntaggedHeader header, boolean continues) throws RdmapViolation {
        RdmapOpcode opcode = RdmapControl.check(header.rsvdUlp());
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
        if (openTaggedControl != NO_OPEN_MESSAGE && header.rsvdUlp() != openTaggedControl) {
            throw unexpected(opcode, "within another message");
        }
        if (opcode == RdmapOpcode.READ_RESPONSE) {
            OutstandingRead oldest = outstandingReads.peek();
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
                            + " belongs to another stream or protection domain (RFC 5041 section 8.2)");
        }
        if (region == null || !region.allowsRemoteWrite()) {
            // DDP has no code for missing rights (RFC 5041 section 7.2): for a Write the STag is as good as unknown.
            throw new DdpViolation(
                    DdpError.TAGGED_INVALID_STAG,
                    "STag " + Long.toHexString(header.stag())
                            + (region == null ? " is not valid on this stream" : " may not be written")
                            + " (RFC 5041 section 7.1)");
        }
        return region;
    }

    @Override
    public void taggedPlaced(TaggedHeader header, int payloadBytes) throws RdmapViolation {
        openTaggedControl = header.last() ? NO_OPEN_MESSAGE : header.rsvdUlp();
        if (RdmapControl.check(header.rsvdUlp()) != RdmapOpcode.READ_RESPONSE) {
            return;
        }
        OutstandingRead oldest = outstandingReads.element();
        if (oldest.placed(header, payloadBytes)) {
            outstandingReads.remove();
            ulp.readCompleted();
        }
    }

    @Override
    public void untaggedDelivered(UntaggedHeader header, UntaggedBuffer buffer, int messageBytes)
            throws RdmapViolation {
        RdmapOpcode opcode = RdmapControl.check(header.rsvdUlp());
        switch (opcode) {
            case SEND, SEND_SOLICITED ->
                ulp.sendDelivered(buffer, messageBytes, opcode.solicited(), OptionalLong.empty());
            case SEND_INVALIDATE, SEND_SOLICITED_INVALIDATE -> {
                invalidate(header.rsvdUlpWord(), buffer);
                ulp.sendDelivered(buffer, messageBytes, opcode.solicited(), OptionalLong.of(header.rsvdUlpWord()));
            }
            case READ_REQUEST -> readRequested(ReadRequestHeader.parse(buffer.message(messageBytes)), header);
            case TERMINATE -> {
                ByteBuffer message = buffer.message(messageBytes);
                ulp.terminated(TerminateHeader.parse(message), hex(message));
            }
            case RDMA_WRITE, READ_RESPONSE -> throw unexpected(opcode, "in an untagged segment");
        }
    }

    private void invalidate(long stag, UntaggedBuffer message) throws RdmapViolation {
        RdmapRegion region = regions.find(stag);
        if (region == null || !region.peerMayInvalidate()) {
            ulp.sendRefused(message);
            boolean valid = region != null || regions.isOfOthers(stag);
            throw new RdmapViolation(
                    valid ? RdmapError.PROTECTION_CANNOT_INVALIDATE : RdmapError.OPERATION_CANNOT_INVALIDATE,
                    "STag " + Long.toHexString(stag) + " is not one of this stream alone (RFC 5040 section 5.3)");
        }
        region.invalidate();
    }

    private void readRequested(ReadRequestHeader request, UntaggedHeader segment) throws RdmapViolation {
        if (request.sizeBytes() == 0) {
            // Neither STag nor TO of a read of nothing is looked at (RFC 5040 section 5.2.1).
            ulp.readRequested(request, segment, null, 0);
            return;
        }
        RdmapRegion source = regions.find(request.sourceStag());
        if (source == null && regions.isOfOthers(request.sourceStag())) {
            throw refused(
                    RdmapError.PROTECTION_STAG_OF_OTHER_STREAM,
                    "belongs to another stream or protection domain",
                    request);
        }
        if (source == null) {
            throw refused(RdmapError.PROTECTION_INVALID_STAG, "is not valid on this stream", request);
        }
        if (!source.allowsRemoteRead()) {
            throw refused(RdmapError.PROTECTION_ACCESS_RIGHTS, "may not be read", request);
        }
        long offset = source.locate(request.sourceOffset(), request.sizeBytes());
        if (offset == TaggedBuffer.WRAPS) {
            throw refused(RdmapError.PROTECTION_TO_WRAP, "is read past the end of all offsets", request);
        }
        if (offset == TaggedBuffer.OUTSIDE) {
            throw refused(RdmapError.PROTECTION_BOUNDS, "has only " + source.lengthBytes() + " bytes", request);
        }
        ulp.readRequested(request, segment, source, (int) offset);
    }

    private static RdmapViolation refused(RdmapError error, String why, ReadRequestHeader request) {
        return new RdmapViolation(
                error,
                "Read Request of " + request.sizeBytes() + " bytes at TO " + Long.toHexString(request.sourceOffset())
                        + ": STag " + Long.toHexString(request.sourceStag()) + " " + why
                        + " (RFC 5040 section 7.2)",
                request,
                null);
    }

    private static RdmapViolation unexpected(RdmapOpcode opcode, String where) {
        return new RdmapViolation(
                RdmapError.OPERATION_OPCODE, opcode + " " + where + " (RFC 5040 section 4.1, Figure 4)");
    }

    private static String hex(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(message.position(), bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
