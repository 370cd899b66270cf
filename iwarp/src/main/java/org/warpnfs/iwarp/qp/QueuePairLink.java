package org.warpnfs.iwarp.qp;

import java.net.InetSocketAddress;

/** The connection and the thread of a {@link QueuePairMachine}, as the machine uses them. */
public interface QueuePairLink {
    InetSocketAddress localAddress();

    InetSocketAddress remoteAddress();

    boolean inOwnerThread();

    /** Runs a task on the owner thread, later, in order. May be called from any thread. */
    void execute(Runnable task);

    /** A clock in nanoseconds. Only differences between two readings have a meaning. */
    long nowNanos();

    /**
     * Tells the link that {@link QueuePairMachine#pull()} has output. The link may pull and report
     * {@link QueuePairMachine#sent} before this returns.
     */
    void outputReady();

    /** Whether the batches that the link pulls may refer to bytes in files. */
    default boolean takesFileRanges() {
        return false;
    }

    /** Bytes that the link has pulled and the socket has not taken yet. */
    long unsentBytes();

    /** Tells the link that {@link QueuePairMachine#deadlineNanos()} has changed. */
    void deadlineChanged();

    /** Ends our direction of the stream after the output that was pulled. */
    void endOutput();

    /**
     * Ends the connection and opens another to the same address, on the same thread. Events of the old connection are
     * no longer reported. Before this returns, the link gives the machine its new link by
     * {@link QueuePairMachine#relink}. Later it calls {@link QueuePairMachine#start} when the new connection is up, or
     * {@link QueuePairMachine#linkLost}. The machine calls this only on an initiator's link, once.
     */
    void reconnect();

    /** Ends the connection. {@link QueuePairMachine#linkClosed()} follows, possibly before this returns. */
    void close();

    /** Logs and counts a defect that ended this connection. */
    void internalError(Throwable error);
}
