package org.warpnfs.iwarp.qp;

import org.jspecify.annotations.Nullable;

/**
 * The phase of a connection, for monitoring. It is the {@link StreamState}, and whether a Terminate ends the stream.
 */
public enum StreamPhase {
    /** The startup frames of MPA are being exchanged. */
    NEGOTIATING,
    /** The responder has sent its reply, and the initiator's first FPDU has not arrived. */
    AWAITING_FIRST,
    /** Both directions are open. */
    ESTABLISHED,
    /** The peer has ended its direction. Our direction is still open. */
    HALF_CLOSED,
    /** A Terminate of ours is on its way to the socket. */
    TERMINATING,
    /** The stream has ended. The socket may still hold output. */
    CLOSING,
    /** Our direction has ended. The peer has not ended its direction yet. */
    LINGERING;

    /** The phase of a stream in this state, if no Terminate ends it; null once it is gone. */
    static @Nullable StreamPhase of(StreamState state) {
        return switch (state) {
            case STARTUP -> NEGOTIATING;
            case WAIT_FIRST -> AWAITING_FIRST;
            case OPEN -> ESTABLISHED;
            case HALF_CLOSED -> HALF_CLOSED;
            case ENDING -> CLOSING;
            case LINGERING -> LINGERING;
            case CLOSED -> null;
        };
    }
}
