package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.payload.FileRange;

/**
 * Work for the send queue of a {@link QueuePair}.
 *
 * <p>Each request completes exactly once, in the order of posting, with a {@link Completion} that carries its
 * {@code id}. The buffers of a Send or a Write are read from position to limit, without moving either. They must stay
 * unchanged until the completion.
 */
public sealed interface WorkRequest {
    /** The longest message of any kind. Lengths have 32 bits on the wire (RFC 5041, section 5.2). */
    long MAX_MESSAGE_BYTES = (1L << 32) - 1;

    /** An id chosen freely by the poster and returned in the completion. */
    long id();

    /**
     * Whether the request waits until all RDMA Reads and atomic operations posted before it are complete. Requests
     * behind it wait too. Without a fence, a Send, a Write or an invalidation may take effect before an earlier Read
     * has been answered (RFC 5040, section 5.5, RFC 7306, section 7).
     */
    boolean fence();

    /**
     * A Send in one of its four forms (RFC 5040, sections 4.6 and 4.7).
     *
     * @param message the message, gathered in this order; may be empty
     * @param solicitedEvent whether to ask the peer to raise an event
     * @param invalidateStag the steering tag of the peer that its RDMA layer shall invalidate
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
     * An RDMA Write (RFC 5040, section 4.3). It completes when the socket has taken its bytes. That does not tell that
     * they have been placed. Only the delivery of a later message to the peer does (RFC 5040, section 5.5).
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
     * An RDMA Write whose bytes are in a file, for a queue pair that {@linkplain QueuePair#takesFileRanges() takes}
     * such. What the file has lost by then is sent as zeroes.
     *
     * @param from offset in the range
     */
    record FileWrite(long id, FileRange source, int from, int lengthBytes, RemoteMemory sink) implements WorkRequest {
        public FileWrite {
            if (from < 0 || lengthBytes < 0 || lengthBytes > source.lengthBytes() - from) {
                throw new IllegalArgumentException("write of " + lengthBytes + " bytes at " + from
                        + " is not within a range of " + source.lengthBytes());
            }
        }

        /** Never: a fence is for Writes of what was read before. */
        @Override
        public boolean fence() {
            return false;
        }
    }

    /**
     * An RDMA Read (RFC 5040, section 4.4). It completes when the last byte has been placed in the sink. Reads beyond
     * the negotiated ORD wait in the queue and hold up the requests behind them. To keep the queue moving, have no more
     * than {@link ConnectionParameters#ord()} outstanding.
     *
     * @param sink a region with {@link AccessRight#LOCAL_WRITE}, valid until the completion; a response to an invalid
     *     region is not placed and ends the stream
     * @param sinkOffsetBytes the offset of the first byte in the region
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
     * They are delivered in order with Sends. Posted right after an RDMA Write, they are what InfiniBand calls a Write
     * with Immediate.
     *
     * @param data the eight bytes, the first of them in the highest bits
     * @param solicitedEvent whether to ask the peer to raise an event
     */
    record ImmediateData(long id, long data, boolean solicitedEvent, boolean fence) implements WorkRequest {
        /** Immediate Data without a fence. */
        public ImmediateData(long id, long data, boolean solicitedEvent) {
            this(id, data, solicitedEvent, false);
        }
    }

    /**
     * Adds to a word of the peer's memory (RFC 7306, section 5.1.1) and returns the previous value in
     * {@link Completion.AtomicDone}. It counts as a Read for the ORD.
     *
     * <p>The target must lie at an address of the peer that is a multiple of eight, else the peer ends the stream.
     * Adding 0 changes nothing and can test whether a peer supports atomic operations. A peer that does not support
     * them ends the stream, and the completion is {@link CompletionStatus#UNSUPPORTED}.
     *
     * @param add the addend; a bit set in its mask is the top bit of a field, and no carry leaves that field
     */
    record FetchAdd(long id, RemoteMemory target, MaskedWord add, boolean fence) implements WorkRequest {
        /** A fetch-and-add without a fence. */
        public FetchAdd(long id, RemoteMemory target, MaskedWord add) {
            this(id, target, add, false);
        }
    }

    /**
     * Replaces bits of a word of the peer's memory if other bits have the expected value (RFC 7306, section 5.1.2), and
     * returns the previous value. Otherwise the same as {@link FetchAdd}.
     *
     * @param compare the expected bits; with a mask of 0 the swap always takes place
     * @param swap the new value of the bits under its mask
     */
    record CompareSwap(long id, RemoteMemory target, MaskedWord compare, MaskedWord swap, boolean fence)
            implements WorkRequest {
        /** A compare-and-swap without a fence. */
        public CompareSwap(long id, RemoteMemory target, MaskedWord compare, MaskedWord swap) {
            this(id, target, compare, swap, false);
        }
    }

    /**
     * Invalidates a region of ours when the request is processed. With a fence that is after the Reads posted before
     * have been answered. Sends nothing.
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
