package org.warpnfs.tools.bench.crowd;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;

/**
 * What a crowd does.
 *
 * @param servers addresses of one server, which connections take by turns; at least one
 * @param mount where MOUNT is served over TCP; used with version 3 alone
 * @param version 3 or 4 (for 4.1)
 * @param export path of a directory that the caller may write to
 * @param connections at the same time, each with one call in flight
 * @param opening connections that are being opened at the same time
 * @param blockBytes of each READ and WRITE, a multiple of 4096
 * @param blocks of each file
 * @param duration from when all connections are there, until each ends with what it does
 * @param pause between two calls of a connection
 * @param clientThreads threads that connections share
 * @param timeout of each call
 */
public record CrowdOptions(
        List<InetSocketAddress> servers,
        InetSocketAddress mount,
        Protocol protocol,
        int version,
        String export,
        int connections,
        int opening,
        int blockBytes,
        int blocks,
        Duration duration,
        Duration pause,
        int clientThreads,
        Duration timeout,
        AuthSysCredential caller) {
    public CrowdOptions {
        servers = List.copyOf(servers);
    }

    /** The address that a connection goes to. */
    InetSocketAddress server(int number) {
        return servers.get(number % servers.size());
    }
}
