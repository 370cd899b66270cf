package org.warpnfs.tools.bench;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.tcp.TlsTrust;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;

/**
 * The options of a benchmark run.
 *
 * @param server address of the NFS server
 * @param mount address of the MOUNT service over TCP; used with version 3 only
 * @param version 3 or 4 (for 4.1)
 * @param export path of a directory that the caller may write to
 * @param sizeBytes size of each READ or WRITE
 * @param fileBytes size of the file; only whole blocks of it are used
 * @param depth calls in flight on each connection
 * @param duration length of the measurement
 * @param warmUp time before the measurement, which does not count
 * @param count total operations on all connections, instead of a duration
 * @param stable whether the server must put each WRITE on stable storage before its reply; otherwise there is one
 *     COMMIT at the end
 * @param verify whether to check the data that are read or written
 * @param crc whether to ask for CRCs in FPDUs
 * @param clientThreads threads that the connections share
 * @param timeout time limit of each call
 * @param serverPid process on this host whose CPU time is measured
 * @param tls which servers to believe, with TCP inside TLS; null for connections in clear
 * @param loopback whether to measure plain TCP over loopback too
 */
public record BenchOptions(
        InetSocketAddress server,
        InetSocketAddress mount,
        Protocol protocol,
        int version,
        String export,
        Operation operation,
        int sizeBytes,
        long fileBytes,
        int depth,
        int connections,
        Duration duration,
        Duration warmUp,
        OptionalLong count,
        boolean stable,
        boolean verify,
        boolean crc,
        int clientThreads,
        Duration timeout,
        AuthSysCredential caller,
        OptionalLong serverPid,
        @Nullable TlsTrust tls,
        boolean loopback) {

    /** The number of blocks in the file. */
    public long blocks() {
        return fileBytes / sizeBytes;
    }
}
