package org.warpnfs.tools.bench.crowd;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;

/**
 * The options of a crowd.
 *
 * @param servers addresses of one server, at least one; the connections use them in turn
 * @param mount address of the MOUNT service over TCP; used with version 3 only
 * @param version 3 or 4 (for 4.1)
 * @param export path of a directory that the caller may write to
 * @param connections number of connections, each with one call in flight
 * @param opening number of connections that are opened at the same time
 * @param blockBytes size of each READ and WRITE, a multiple of 4096
 * @param blocks number of blocks in each file
 * @param duration time from the moment when all connections are open until they begin to end
 * @param pause pause between two calls of a connection
 * @param clientThreads threads that the connections share
 * @param timeout time limit of each call
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

    /** The address that a connection uses. */
    InetSocketAddress server(int number) {
        return servers.get(number % servers.size());
    }
}
