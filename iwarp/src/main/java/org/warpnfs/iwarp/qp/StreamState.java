package org.warpnfs.iwarp.qp;

/** The states of a stream. {@link StreamLife} has the table of transitions. */
enum StreamState {
    /** The startup frames are being exchanged. */
    STARTUP,
    /** The responder has sent its reply and waits for the initiator's first FPDU. */
    WAIT_FIRST,
    /** Both directions are open. */
    OPEN,
    /** The peer has ended its direction, so nothing more arrives. Our direction is still open. */
    HALF_CLOSED,
    /** The stream has ended. The socket may still hold buffers of ours. */
    ENDING,
    /** The stream has ended for the upper layer. The peer has not ended its direction yet. */
    LINGERING,
    /** The connection is gone. */
    CLOSED;

    /** Whether arriving bytes are processed. */
    boolean receiving() {
        return this == STARTUP || this == WAIT_FIRST || this == OPEN;
    }

    /** Whether the startup has finished and the stream has not ended. */
    boolean framing() {
        return this == WAIT_FIRST || sending();
    }

    /** Whether messages of ours may be sent. */
    boolean sending() {
        return this == OPEN || this == HALF_CLOSED;
    }

    /** Whether nothing more is received or sent. */
    boolean ended() {
        return this != STARTUP && !framing();
    }
}
