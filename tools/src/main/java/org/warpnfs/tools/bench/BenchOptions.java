package org.warpnfs.tools.bench;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalLong;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;

/**
 * What to measure.
 *
 * @param server where the calls go
 * @param mount where MOUNT is served over TCP; used with version 3 alone
 * @param version 3 or 4 (for 4.1)
 * @param export path of a directory that the caller may write to
 * @param sizeBytes of each READ or WRITE
 * @param fileBytes of the file; whole blocks of it are used
 * @param depth calls in flight on each connection
 * @param duration of the measurement
 * @param warmUp before it
 * @param count operations on all connections together, instead of a duration
 * @param stable whether each WRITE is to be on stable storage when it is answered; else one COMMIT at the end
 * @param verify whether to check what was read or written
 * @param crc whether to ask for CRCs in FPDUs
 * @param clientThreads threads that the connections share
 * @param timeout of each call
 * @param serverPid process on this host whose CPU time is to be taken
 * @param loopback whether to measure bare loopback too
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
        boolean loopback) {

    /** Blocks of the file. */
    public long blocks() {
        return fileBytes / sizeBytes;
    }
}
