package org.warpnfs.tools.bench.crowd;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.load.Pattern;
import org.warpnfs.tools.bench.nfs.MountClient;
import org.warpnfs.tools.bench.nfs.Nfs3Session;
import org.warpnfs.tools.bench.nfs.Nfs41Session;
import org.warpnfs.tools.bench.nfs.NfsSession;

/** Opens the connections of a crowd. Closing it closes all of them. Thread-safe. */
final class CrowdConnections implements AutoCloseable {
    private static final RetryPolicy RETRIES = new RetryPolicy(6, Duration.ofMillis(100), Duration.ofSeconds(2), 16);
    private static final Duration GRACE_LIMIT = Duration.ofMinutes(2);
    private static final int RECORD_OVERHEAD_BYTES = 64 << 10;
    private static final int CREDITS = 4;
    private static final RequesterOptions RDMA = new RequesterOptions(4096, 4096, CREDITS, 0, CREDITS, true, 0);

    private final CrowdOptions options;
    private final RpcRequesters requesters;
    private final @Nullable IwarpTransport iwarp;

    CrowdConnections(CrowdOptions options) {
        this.options = options;
        this.requesters = new RpcRequesters(options.clientThreads());
        this.iwarp = options.protocol() == Protocol.RDMA
                ? new IwarpTransport(IwarpConfig.builder()
                        .queuePair(QueuePairConfig.defaults().withCrcPolicy(CrcPolicy.OFF))
                        .eventLoopThreads(options.clientThreads())
                        .build())
                : null;
    }

    /** The export's file handle for NFSv3. Empty for NFSv4.1. */
    byte[] root() throws BenchException {
        if (options.version() != 3) {
            return new byte[0];
        }
        Requester requester =
                requesters.overTcp(options.mount(), TcpRequesterOptions.DEFAULT, RETRIES, BackwardCalls.NONE);
        try {
            return new MountClient(requester, options.caller(), options.timeout()).mount(options.export());
        } catch (IOException e) {
            throw new BenchException("--export " + options.export() + ": " + e.getMessage(), e);
        } finally {
            requester.close();
        }
    }

    /** Connects and starts a session. */
    Member member(int number, String name, byte[] root, Pattern pattern, Tally tally) throws IOException {
        Requester requester = requester(options.server(number));
        NfsSession session = options.version() == 3
                ? new Nfs3Session(requester, options.caller(), root, 1, options.timeout())
                : new Nfs41Session(
                        requester,
                        options.caller(),
                        name,
                        options.export(),
                        1,
                        options.blockBytes(),
                        options.timeout(),
                        GRACE_LIMIT);
        return new Member(number, name, requester, session, options, pattern, tally);
    }

    private Requester requester(InetSocketAddress server) {
        IwarpTransport rdma = iwarp;
        if (rdma != null) {
            return requesters.overRdma(rdma.connector(), server, RDMA, RETRIES, BackwardCalls.NONE);
        }
        TcpRequesterOptions tcp = new TcpRequesterOptions(options.blockBytes() + RECORD_OVERHEAD_BYTES, CREDITS, 1);
        return requesters.overTcp(server, tcp, RETRIES, BackwardCalls.NONE);
    }

    @Override
    public void close() {
        requesters.close();
        if (iwarp != null) {
            iwarp.close();
        }
    }
}
