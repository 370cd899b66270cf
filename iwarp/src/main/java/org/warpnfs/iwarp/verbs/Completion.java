package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** The end of one work request or of one posted receive. */
public sealed interface Completion {
    /** The id of the work request or receive that ended. */
    long workRequestId();

    CompletionStatus status();

    /** A {@link WorkRequest.Send} ended; its buffers are free again. */
    record Sent(long workRequestId, CompletionStatus status) implements Completion {}

    /** A {@link WorkRequest.RdmaWrite} ended; its buffers are free again. */
    record Written(long workRequestId, CompletionStatus status) implements Completion {}

    /** A {@link WorkRequest.RdmaRead} ended; on success every byte is in its sink. */
    record ReadDone(long workRequestId, CompletionStatus status) implements Completion {}

    /**
     * A message arrived in a posted receive buffer, or the receive was flushed.
     *
     * @param buffer the buffer that was posted; on success from where its position stood to the end of the message
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
}
