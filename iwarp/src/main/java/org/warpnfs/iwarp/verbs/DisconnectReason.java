package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Why a connection ended.
 *
 * @param cause in one word, for counters
 * @param detail in a sentence, for people; names the peer's error code or our own finding
 * @param rejection what the peer said if it refused to connect; null otherwise
 */
public record DisconnectReason(
        Cause cause, String detail, @Nullable Rejection rejection) {
    /** One without a rejection. */
    public DisconnectReason(Cause cause, String detail) {
        this(cause, detail, null);
    }

    public enum Cause {
        /** We asked for it. */
        LOCAL_CLOSE,
        /** The peer closed between two messages. */
        PEER_CLOSE,
        /** The peer broke the protocol and was told so with a Terminate. */
        LOCAL_TERMINATE,
        /** The peer sent a Terminate. */
        PEER_TERMINATE,
        /** The stream ended inside a message, or was reset. */
        CONNECTION_LOST,
        /** The peer refused to connect, or speaks no version or option that we can accept. */
        REJECTED,
        /** The peer took too long. */
        TIMEOUT,
        /** A defect of ours; logged where it happened. */
        INTERNAL_ERROR
    }
}
