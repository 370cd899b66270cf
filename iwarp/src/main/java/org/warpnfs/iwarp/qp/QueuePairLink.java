package org.warpnfs.iwarp.qp;

import java.net.InetSocketAddress;

/** What a {@link QueuePairMachine} asks of the connection and the thread that it lives on. */
public interface QueuePairLink {
    InetSocketAddress localAddress();

    InetSocketAddress remoteAddress();

    boolean inOwnerThread();

    /** Runs a task on the owner thread, later, in order; from any thread. */
    void execute(Runnable task);

    /** The time, of which only differences mean something. */
    long nowNanos();

    /**
     * {@link QueuePairMachine#pull()} has something to give. May pull and report {@link QueuePairMachine#sent} before
     * it returns.
     */
    void outputReady();

    /** Bytes that were pulled and that the socket has not taken yet. */
    long unsentBytes();

    /** {@link QueuePairMachine#deadlineNanos()} has changed. */
    void deadlineChanged();

    /** Ends our direction of the stream behind what was pulled. */
    void endOutput();

    /**
     * Ends the connection and opens another to the same address, on the same thread. Nothing more of the old one is
     * reported. The machine is given its new link by {@link QueuePairMachine#relink} before this returns, and is
     * started again once that is up, or hears {@link QueuePairMachine#linkLost}. Asked of an initiator's link only,
     * once.
     */
    void reconnect();

    /** Ends the connection; {@link QueuePairMachine#linkClosed()} follows, perhaps before this returns. */
    void close();

    /** Somebody's bug ended this connection: to be logged and counted. */
    void internalError(Throwable error);
}
