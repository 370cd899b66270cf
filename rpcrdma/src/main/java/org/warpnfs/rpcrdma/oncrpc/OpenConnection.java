package org.warpnfs.rpcrdma.oncrpc;

import java.net.InetSocketAddress;
import java.time.Instant;
import org.warpnfs.limits.ClientAddress;

/**
 * A connection that calls come on, as an administrator sees it. The object that its calls bring as their transport.
 * Safe for any thread.
 */
public interface OpenConnection {
    InetSocketAddress remoteAddress();

    /** Whose share it counts in. */
    ClientAddress client();

    /** When it came into being. */
    Instant since();

    /** Calls that have arrived so far. */
    long calls();

    /** When the last of them arrived; when the connection did, if there was none. */
    Instant lastCall();

    /** Ends it at once. A requester then repeats what was not answered on a new one. */
    void end(String reason);
}
