package org.warpnfs.rpcrdma.tcp;

import java.time.Duration;

/**
 * What a TCP listener gives its connections.
 *
 * @param maxRecordBytes the longest call; a connection that announces a longer one is closed
 * @param maxCallsInFlight of one connection, beyond which it is not read from
 * @param maxConnections beyond which new ones are closed
 * @param maxRunningBytes length of all calls in flight on all connections, beyond which nothing more is started
 * @param stallLimit how long a reply may wait for a peer that reads nothing, or a record for its rest
 * @param eventLoopThreads that share the connections
 */
public record TcpOptions(
        int maxRecordBytes,
        int maxCallsInFlight,
        int maxConnections,
        long maxRunningBytes,
        Duration stallLimit,
        int eventLoopThreads) {
    /** Room for a WRITE of 1 MiB in the largest COMPOUND. */
    public static final TcpOptions DEFAULT =
            new TcpOptions((1 << 20) + (64 << 10), 64, 1024, 256 << 20, Duration.ofSeconds(60), 2);

    public TcpOptions {
        if (maxRecordBytes < 1024 || maxCallsInFlight < 1 || maxConnections < 1 || eventLoopThreads < 1) {
            throw new IllegalArgumentException("a limit of the TCP listener is below what one call needs");
        }
    }
}
