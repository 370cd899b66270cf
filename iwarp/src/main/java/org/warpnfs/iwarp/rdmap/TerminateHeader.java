package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpControl;
import org.warpnfs.iwarp.ddp.TaggedHeader;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * The Terminate header (RFC 5040, section 4.8), which is the whole message.
 *
 * <pre>
 * bytes   field
 * 0       0xf0 layer, 0x0f error type
 * 1       error code
 * 2       0x80 M segment length valid, 0x40 D DDP header there, 0x20 R RDMA header there, 0x1f reserved
 * 3       reserved
 * 4-5     DDP segment length of the segment in error, with D (on receipt: with M or D)
 * then    its DDP header, 14 or 18 bytes, with D
 * then    its Read Request header, 28 bytes, with R
 * </pre>
 *
 * <p>The soft iWARP driver of Linux on little-endian machines sends byte 0 with its nibbles exchanged and the flags as
 * 0x01, 0x02, 0x04; {@link #parse} understands both.
 *
 * @param error layer, error type and error code
 * @param segmentBytes length of the segment in error, header included; -1 if unknown
 * @param ddpHeader 0, 14 or 18 bytes
 * @param readRequest 0 or 28 bytes
 */
public record TerminateHeader(TerminateError error, int segmentBytes, ByteBuffer ddpHeader, ByteBuffer readRequest) {
    /** The longest Terminate: with an untagged header and a Read Request. */
    public static final int MAX_BYTES = 6 + UntaggedHeader.BYTES + ReadRequestHeader.BYTES;

    private static final int CONTROL_BYTES = 4;
    private static final int FLAG_LENGTH = 0x80;
    private static final int FLAG_DDP_HEADER = 0x40;
    private static final int FLAG_RDMA_HEADER = 0x20;
    private static final int FLAGS = FLAG_LENGTH | FLAG_DDP_HEADER | FLAG_RDMA_HEADER;
    private static final int SWAPPED_FLAGS = 0x07;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /** A Terminate that includes no header. */
    public static TerminateHeader bare(TerminateError error) {
        return new TerminateHeader(error, -1, NONE, NONE);
    }

    /**
     * A Terminate about a segment.
     *
     * @param ddpHeader the segment's DDP header; if empty, because the segment was too short, the Terminate includes no
     *     header
     * @param request the Read Request that the segment carried, if the fault is in one
     */
    public static TerminateHeader about(
            TerminateError error, int segmentBytes, ByteBuffer ddpHeader, @Nullable ReadRequestHeader request) {
        if (!ddpHeader.hasRemaining()) {
            return bare(error);
        }
        ByteBuffer requestBytes = NONE;
        if (request != null) {
            requestBytes = ByteBuffer.allocate(ReadRequestHeader.BYTES);
            request.encode(requestBytes);
            requestBytes.flip();
        }
        return new TerminateHeader(error, segmentBytes, ddpHeader, requestBytes);
    }

    @Override
    public ByteBuffer ddpHeader() {
        return ddpHeader.duplicate();
    }

    @Override
    public ByteBuffer readRequest() {
        return readRequest.duplicate();
    }

    /**
     * Parses a message as far as possible. Nothing in a Terminate is an error, because a Terminate is never answered.
     * Fields that are missing are left out.
     */
    static TerminateHeader parse(ByteBuffer message) {
        int at = message.position();
        if (message.remaining() < 3) {
            return bare(new TerminateError(TerminateError.LAYER_RDMA, 0, 0));
        }
        int first = BigEndian.u8(message, at);
        int code = BigEndian.u8(message, at + 1);
        int flags = BigEndian.u8(message, at + 2);
        TerminateError ordered = new TerminateError(first >> 4, first & 0x0f, code);
        TerminateError swapped = new TerminateError(first & 0x0f, first >> 4, code);
        boolean swap;
        if ((flags & FLAGS) != 0) {
            swap = false;
        } else if ((flags & SWAPPED_FLAGS) != 0) {
            swap = true;
            flags = Integer.reverse(flags) >>> 24;
        } else {
            swap = !ordered.assigned() && swapped.assigned();
        }
        return parseHeaders(swap ? swapped : ordered, flags, message, at + CONTROL_BYTES);
    }

    private static TerminateHeader parseHeaders(TerminateError error, int flags, ByteBuffer message, int start) {
        int at = start;
        int segmentBytes = -1;
        ByteBuffer ddpHeader = NONE;
        ByteBuffer readRequest = NONE;
        if ((flags & (FLAG_LENGTH | FLAG_DDP_HEADER)) != 0 && message.limit() - at >= 2) {
            segmentBytes = BigEndian.u16(message, at);
            at += 2;
            if ((flags & FLAG_DDP_HEADER) != 0 && at < message.limit()) {
                int headerBytes =
                        (message.get(at) & DdpControl.TAGGED) != 0 ? TaggedHeader.BYTES : UntaggedHeader.BYTES;
                if (message.limit() - at >= headerBytes) {
                    ddpHeader = message.slice(at, headerBytes);
                    at += headerBytes;
                }
            }
            if ((flags & FLAG_RDMA_HEADER) != 0 && message.limit() - at >= ReadRequestHeader.BYTES) {
                readRequest = message.slice(at, ReadRequestHeader.BYTES);
            }
        }
        return new TerminateHeader(error, segmentBytes, ddpHeader, readRequest);
    }

    /** The length of the message. */
    int lengthBytes() {
        return ddpHeader.hasRemaining()
                ? CONTROL_BYTES + 2 + ddpHeader.remaining() + readRequest.remaining()
                : CONTROL_BYTES;
    }

    /** Appends the message. */
    void encode(ByteBuffer out) {
        BigEndian.putU8(out, (error.layer() << 4) | error.type());
        BigEndian.putU8(out, error.code());
        boolean withDdp = ddpHeader.hasRemaining();
        BigEndian.putU8(
                out,
                (withDdp ? FLAG_LENGTH | FLAG_DDP_HEADER : 0)
                        | (withDdp && readRequest.hasRemaining() ? FLAG_RDMA_HEADER : 0));
        BigEndian.putU8(out, 0);
        if (withDdp) {
            BigEndian.putU16(out, segmentBytes);
            out.put(ddpHeader());
            out.put(readRequest());
        }
    }
}
