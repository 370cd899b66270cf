package org.warpnfs.server.admin;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.warpnfs.rpcrdma.oncrpc.OpenConnection;

/**
 * A connection.
 *
 * @param id transport and remote address, as the rows of sessions name it
 * @param transport {@code rdma} or {@code tcp}
 * @param protection {@code none}, {@code tls}, or {@code mtls} if the client has shown a certificate
 * @param client the client address whose share it counts against: an IPv4 address or an IPv6 /64 network
 * @param since when it was opened, in UTC
 * @param calls the number of calls that have arrived
 * @param idleSeconds the seconds since the last call arrived
 */
record ConnectionRow(
        String id, String transport, String protection, String client, String since, long calls, long idleSeconds) {
    static ConnectionRow of(String transport, OpenConnection connection) {
        return new ConnectionRow(
                connection.toString(),
                transport,
                connection.security().protection().word(),
                connection.client().toString(),
                connection.since().truncatedTo(ChronoUnit.SECONDS).toString(),
                connection.calls(),
                Math.max(
                        0,
                        Duration.between(connection.lastCall(), Instant.now()).toSeconds()));
    }
}
