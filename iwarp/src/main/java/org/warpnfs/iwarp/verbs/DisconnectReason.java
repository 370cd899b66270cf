package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The reason why a connection ended.
 *
 * @param cause the kind of reason, for counters
 * @param detail a sentence for people, with the peer's error code or our own finding
 * @param rejection the peer's rejection of the connection; null if there was none
 */
public record DisconnectReason(
        Cause cause, String detail, @Nullable Rejection rejection) {
    /** A reason without a rejection. */
    public DisconnectReason(Cause cause, String detail) {
        this(cause, detail, null);
    }

    public enum Cause {
        /** The upper layer or the transport of this end closed the connection. */
        LOCAL_CLOSE,
        /** The peer closed between two messages. */
        PEER_CLOSE,
        /** The peer broke the protocol, and we sent it a Terminate. */
        LOCAL_TERMINATE,
        /** The peer sent a Terminate. */
        PEER_TERMINATE,
        /** The stream ended inside a message, or was reset. */
        CONNECTION_LOST,
        /** The peer rejected the connection, or it supports no version or option that we can accept. */
        REJECTED,
        /** The peer took too long. */
        TIMEOUT,
        /** A defect of ours. It was logged where it happened. */
        INTERNAL_ERROR
    }
}
