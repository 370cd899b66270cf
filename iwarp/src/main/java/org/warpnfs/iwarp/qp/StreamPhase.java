package org.warpnfs.iwarp.qp;

import org.jspecify.annotations.Nullable;

/** How far a connection is, for those who watch: {@link StreamState}, and whether it ends by a Terminate. */
public enum StreamPhase {
    /** Startup frames of MPA are exchanged. */
    NEGOTIATING,
    /** The reply has left, and the initiator's first FPDU has not come. */
    AWAITING_FIRST,
    /** Both directions are open. */
    ESTABLISHED,
    /** The peer has ended its direction; ours goes on. */
    HALF_CLOSED,
    /** A Terminate of ours is on its way to the socket. */
    TERMINATING,
    /** It is over, and the socket may still hold what was to be sent. */
    CLOSING,
    /** Our direction has ended; the peer has not parted yet. */
    LINGERING;

    /** Where a stream in this state is that is not ended by a Terminate; null once it is gone. */
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
