package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** The end of one work request or of one posted receive. */
public sealed interface Completion {
    /** The id of the work request or receive that ended. */
    long workRequestId();

    CompletionStatus status();

    /** A {@link WorkRequest.Send} ended. Its buffers may be reused. */
    record Sent(long workRequestId, CompletionStatus status) implements Completion {}

    /** A {@link WorkRequest.RdmaWrite} ended. Its buffers may be reused. */
    record Written(long workRequestId, CompletionStatus status) implements Completion {}

    /** A {@link WorkRequest.RdmaRead} ended. On success every byte is in its sink. */
    record ReadDone(long workRequestId, CompletionStatus status) implements Completion {}

    /** A {@link WorkRequest.ImmediateData} ended. As with a Send, success does not tell that it was delivered. */
    record ImmediateSent(long workRequestId, CompletionStatus status) implements Completion {}

    /**
     * A {@link WorkRequest.FetchAdd} or {@link WorkRequest.CompareSwap} ended.
     *
     * @param originalValue the previous value of the whole word, unmasked; 0 without success. A swap took place if the
     *     compare operand {@linkplain org.warpnfs.iwarp.io.MaskedWord#matches matches} it
     */
    record AtomicDone(long workRequestId, CompletionStatus status, long originalValue) implements Completion {}

    /** A {@link WorkRequest.LocalInvalidate} ended. On success the region is invalid. */
    record Invalidated(long workRequestId, CompletionStatus status) implements Completion {}

    /**
     * A message arrived in a posted receive buffer, or the receive was flushed.
     *
     * @param buffer the buffer that was posted; on success its limit is the end of the message, which starts at its
     *     position
     * @param solicitedEvent the peer asked for an event
     * @param invalidatedStag the STag of ours that the peer's Send invalidated
     */
    record Received(
            long workRequestId,
            CompletionStatus status,
            ByteBuffer buffer,
            boolean solicitedEvent,
            OptionalLong invalidatedStag)
            implements Completion {}

    /**
     * Eight bytes of Immediate Data arrived (RFC 7306, section 6) and used up a posted receive. All RDMA Writes that
     * the peer sent before have been placed. A flushed receive is always reported as {@link Received}.
     *
     * @param data the bytes, the first of them in the highest bits
     * @param buffer the buffer that was posted; it holds the same bytes from its position on
     * @param solicitedEvent the peer asked for an event
     */
    record ReceivedImmediate(
            long workRequestId, CompletionStatus status, long data, ByteBuffer buffer, boolean solicitedEvent)
            implements Completion {}
}
