package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;

/**
 * Work for the send queue of a {@link QueuePair}.
 *
 * <p>Each request completes exactly once, in the order of posting, with a {@link Completion} that carries its {@code id}.
 * The buffers of a Send or a Write are read from position to limit, without moving either, and must stay unchanged until
 * the completion.
 */
public sealed interface WorkRequest {
    /** The longest message of any kind: lengths have 32 bits on the wire (RFC 5041 section 5.2). */
    long MAX_MESSAGE_BYTES = (1L << 32) - 1;

    /** Given back in the completion; chosen freely by the poster. */
    long id();

    /**
     * A Send in one of its four forms (RFC 5040 §4.6, §4.7).
     *
     * @param message the message, gathered in this order; may be empty
     * @param solicitedEvent asks the peer to raise an event
     * @param invalidateStag a steering tag of the peer's that its RDMA layer shall invalidate
     */
    record Send(long id, List<ByteBuffer> message, boolean solicitedEvent, OptionalLong invalidateStag)
            implements WorkRequest {
        public Send {
            message = List.copyOf(message);
            checkLength(message);
            if (invalidateStag.isPresent() && invalidateStag.getAsLong() >>> 32 != 0) {
                throw new IllegalArgumentException(
                        "STag " + Long.toHexString(invalidateStag.getAsLong()) + " is wider than 32 bits");
            }
        }

        /** A plain Send. */
        public static Send of(long id, ByteBuffer... message) {
            return new Send(id, List.of(message), false, OptionalLong.empty());
        }
    }

    /**
     * An RDMA Write (RFC 5040 §4.3). Completes when its bytes have been handed to the stream, which says nothing about
     * their placement: the arrival of a later message does (RFC 5040 §5.5).
     *
     * @param source the bytes, gathered in this order
     */
    record RdmaWrite(long id, List<ByteBuffer> source, RemoteMemory sink) implements WorkRequest {
        public RdmaWrite {
            source = List.copyOf(source);
            checkLength(source);
        }
    }

    /**
     * An RDMA Read (RFC 5040 §4.4). Completes when the last byte has been placed in the sink. Reads beyond the negotiated
     * ORD wait in the queue, and what is posted behind them waits with them: post no more than {@link
     * ConnectionParameters#ord()} to keep the queue moving.
     *
     * @param sink a region with {@link AccessRight#LOCAL_WRITE}
     * @param sinkOffsetBytes where in the region the first byte goes
     * @param lengthBytes how much to read
     */
    record RdmaRead(long id, MemoryRegion sink, int sinkOffsetBytes, int lengthBytes, RemoteMemory source)
            implements WorkRequest {
        public RdmaRead {
            if (sinkOffsetBytes < 0 || lengthBytes < 0 || lengthBytes > sink.lengthBytes() - sinkOffsetBytes) {
                throw new IllegalArgumentException("read of " + lengthBytes + " bytes at " + sinkOffsetBytes
                        + " does not fit a sink of " + sink.lengthBytes());
            }
        }
    }

    private static void checkLength(List<ByteBuffer> pieces) {
        long lengthBytes = 0;
        for (ByteBuffer piece : pieces) {
            lengthBytes += piece.remaining();
        }
        if (lengthBytes > MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("message of " + lengthBytes + " bytes, limit " + MAX_MESSAGE_BYTES);
        }
    }
}
