package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import org.warpnfs.iwarp.io.MaskedWord;

/**
 * Work for the send queue of a {@link QueuePair}.
 *
 * <p>Each request completes exactly once, in the order of posting, with a {@link Completion} that carries its
 * {@code id}. The buffers of a Send or a Write are read from position to limit, without moving either, and must stay
 * unchanged until the completion.
 */
public sealed interface WorkRequest {
    /** The longest message of any kind: lengths have 32 bits on the wire (RFC 5041, section 5.2). */
    long MAX_MESSAGE_BYTES = (1L << 32) - 1;

    /** Given back in the completion; chosen freely by the poster. */
    long id();

    /**
     * Whether it waits, and holds up what is behind it, until all RDMA Reads and atomic operations posted before it are
     * complete. Without this a Send, a Write or an invalidation may take effect before an earlier Read has been
     * answered (RFC 5040, section 5.5, RFC 7306, section 7).
     */
    boolean fence();

    /**
     * A Send in one of its four forms (RFC 5040, section 4.6, §4.7).
     *
     * @param message the message, gathered in this order; may be empty
     * @param solicitedEvent asks the peer to raise an event
     * @param invalidateStag a steering tag of the peer's that its RDMA layer shall invalidate
     */
    record Send(long id, List<ByteBuffer> message, boolean solicitedEvent, OptionalLong invalidateStag, boolean fence)
            implements WorkRequest {
        public Send {
            message = List.copyOf(message);
            checkLength(message);
            if (invalidateStag.isPresent() && invalidateStag.getAsLong() >>> 32 != 0) {
                throw new IllegalArgumentException(
                        "STag " + Long.toHexString(invalidateStag.getAsLong()) + " is wider than 32 bits");
            }
        }

        /** A Send without a fence. */
        public Send(long id, List<ByteBuffer> message, boolean solicitedEvent, OptionalLong invalidateStag) {
            this(id, message, solicitedEvent, invalidateStag, false);
        }

        /** A plain Send. */
        public static Send of(long id, ByteBuffer... message) {
            return new Send(id, List.of(message), false, OptionalLong.empty());
        }
    }

    /**
     * An RDMA Write (RFC 5040, section 4.3). Completes when its bytes have been handed to the stream, which says
     * nothing about their placement: the arrival of a later message does (RFC 5040, section 5.5).
     *
     * @param source the bytes, gathered in this order
     */
    record RdmaWrite(long id, List<ByteBuffer> source, RemoteMemory sink, boolean fence) implements WorkRequest {
        public RdmaWrite {
            source = List.copyOf(source);
            checkLength(source);
        }

        /** A Write without a fence. */
        public RdmaWrite(long id, List<ByteBuffer> source, RemoteMemory sink) {
            this(id, source, sink, false);
        }
    }

    /**
     * An RDMA Read (RFC 5040, section 4.4). Completes when the last byte has been placed in the sink. Reads beyond the
     * negotiated ORD wait in the queue, and what is posted behind them waits with them: post no more than
     * {@link ConnectionParameters#ord()} to keep the queue moving.
     *
     * @param sink a region with {@link AccessRight#LOCAL_WRITE}, valid until the completion: an answer that finds it
     *     invalid is not placed, and ends the stream
     * @param sinkOffsetBytes where in the region the first byte goes
     * @param lengthBytes how much to read
     */
    record RdmaRead(
            long id, MemoryRegion sink, int sinkOffsetBytes, int lengthBytes, RemoteMemory source, boolean fence)
            implements WorkRequest {
        public RdmaRead {
            if (sinkOffsetBytes < 0 || lengthBytes < 0 || lengthBytes > sink.lengthBytes() - sinkOffsetBytes) {
                throw new IllegalArgumentException("read of " + lengthBytes + " bytes at " + sinkOffsetBytes
                        + " does not fit a sink of " + sink.lengthBytes());
            }
        }

        /** A Read without a fence. */
        public RdmaRead(long id, MemoryRegion sink, int sinkOffsetBytes, int lengthBytes, RemoteMemory source) {
            this(id, sink, sinkOffsetBytes, lengthBytes, source, false);
        }
    }

    /**
     * Immediate Data (RFC 7306, section 6): eight bytes for the peer's upper layer, which use up one of its receives.
     * In order with Sends. Behind an RDMA Write it is what InfiniBand calls a Write with Immediate: post the two one
     * after the other.
     *
     * @param data the eight bytes, the first of them in the highest bits
     * @param solicitedEvent asks the peer to raise an event
     */
    record ImmediateData(long id, long data, boolean solicitedEvent, boolean fence) implements WorkRequest {
        /** Immediate Data without a fence. */
        public ImmediateData(long id, long data, boolean solicitedEvent) {
            this(id, data, solicitedEvent, false);
        }
    }

    /**
     * Adds to a word of the peer's memory (RFC 7306, section 5.1.1) and brings back what was there before, in
     * {@link Completion.AtomicDone}. Counts as a Read for the ORD.
     *
     * <p>The target has to lie at an address of the peer's that is a multiple of eight, else the peer ends the stream.
     * To add nothing changes nothing, and shows whether a peer has atomic operations; one that has not ends the stream,
     * and the completion is {@link CompletionStatus#UNSUPPORTED}.
     *
     * @param add the addend; a bit of its mask is the top of a field, out of which no carry runs
     */
    record FetchAdd(long id, RemoteMemory target, MaskedWord add, boolean fence) implements WorkRequest {
        /** A fetch-and-add without a fence. */
        public FetchAdd(long id, RemoteMemory target, MaskedWord add) {
            this(id, target, add, false);
        }
    }

    /**
     * Replaces bits of a word of the peer's memory if others have the value expected (RFC 7306, section 5.1.2), and
     * brings back what was there before. All else as with {@link FetchAdd}.
     *
     * @param compare what is expected; nothing is if its mask is 0
     * @param swap the bits that replace those under its mask
     */
    record CompareSwap(long id, RemoteMemory target, MaskedWord compare, MaskedWord swap, boolean fence)
            implements WorkRequest {
        /** A compare-and-swap without a fence. */
        public CompareSwap(long id, RemoteMemory target, MaskedWord compare, MaskedWord swap) {
            this(id, target, compare, swap, false);
        }
    }

    /**
     * Invalidates a region of our own when its turn comes: with a fence, when the Reads that were posted before have
     * been answered. Sends nothing.
     */
    record LocalInvalidate(long id, MemoryRegion region, boolean fence) implements WorkRequest {}

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
