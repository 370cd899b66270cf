package org.warpnfs.iwarp.qp;

/** Where a stream stands; {@link StreamLife} has the table of what leads where. */
enum StreamState {
    /** Startup frames are exchanged. */
    STARTUP,
    /** A responder has replied and waits for the initiator's first FPDU. */
    WAIT_FIRST,
    /** Both directions are open. */
    OPEN,
    /** The peer has ended its direction: nothing more arrives, ours goes on. */
    HALF_CLOSED,
    /** It is over, but the socket may still hold buffers of ours. */
    ENDING,
    /** It is over for the upper layer; the peer has not parted yet. */
    LINGERING,
    /** The connection is gone. */
    CLOSED;

    /** Whether arriving bytes mean anything. */
    boolean receiving() {
        return this == STARTUP || this == WAIT_FIRST || this == OPEN;
    }

    /** Whether the startup is over and the stream is not. */
    boolean framing() {
        return this == WAIT_FIRST || sending();
    }

    /** Whether messages of ours may leave. */
    boolean sending() {
        return this == OPEN || this == HALF_CLOSED;
    }

    /** Whether nothing more is received or sent. */
    boolean ended() {
        return this != STARTUP && !framing();
    }
}
