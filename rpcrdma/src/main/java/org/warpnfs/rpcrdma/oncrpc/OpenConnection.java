package org.warpnfs.rpcrdma.oncrpc;

import java.net.InetSocketAddress;
import java.time.Instant;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.SecuredPeer;

/**
 * An open connection as an administrator sees it. It is the transport object of the connection's calls. Safe for any
 * thread.
 */
public interface OpenConnection extends SecuredPeer {
    InetSocketAddress remoteAddress();

    /** The client in whose share the connection counts. */
    ClientAddress client();

    /** The time when the connection was opened. */
    Instant since();

    /** The number of calls that have arrived so far. */
    long calls();

    /** The time when the last call arrived, or when the connection was opened if there was none. */
    Instant lastCall();

    /** Ends the connection at once. A requester then repeats its unanswered calls on a new connection. */
    void end(String reason);
}
