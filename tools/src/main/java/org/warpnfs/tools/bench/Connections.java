package org.warpnfs.tools.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.tools.bench.nfs.MountClient;
import org.warpnfs.tools.bench.nfs.Nfs3Session;
import org.warpnfs.tools.bench.nfs.Nfs41Session;
import org.warpnfs.tools.bench.nfs.NfsException;
import org.warpnfs.tools.bench.nfs.NfsSession;

/** The connections of one run, each with a session, and the file that they share. They are closed in reverse order. */
public final class Connections implements AutoCloseable {
    /** One connection and its session. */
    public record Connection(Requester requester, NfsSession session) {}

    private static final RetryPolicy RETRIES = new RetryPolicy(4, Duration.ofMillis(100), Duration.ofSeconds(1), 4096);
    private static final Duration GRACE_LIMIT = Duration.ofMinutes(2);
    private static final int RECORD_OVERHEAD_BYTES = 64 << 10;

    private final BenchOptions options;
    private final String fileName = ".warpnfs-bench-"
            + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    private final RpcRequesters requesters;
    private final @Nullable IwarpTransport iwarp;
    private final List<Connection> connections = new ArrayList<>();
    private boolean created;

    Connections(BenchOptions options) {
        this.options = options;
        this.requesters = new RpcRequesters(options.clientThreads());
        this.iwarp = options.protocol() == Protocol.RDMA
                ? new IwarpTransport(config(options).build())
                : null;
    }

    /** @param local the local address of the connections */
    public Connections(BenchOptions options, InetAddress local) {
        this.options = options;
        this.requesters = new RpcRequesters(options.clientThreads(), local);
        this.iwarp = options.protocol() == Protocol.RDMA
                ? new IwarpTransport(config(options).initiatorAddress(local).build())
                : null;
    }

    private static IwarpConfig.Builder config(BenchOptions options) {
        QueuePairConfig queuePair =
                QueuePairConfig.defaults().withCrcPolicy(options.crc() ? CrcPolicy.REQUIRED : CrcPolicy.OFF);
        return IwarpConfig.builder().queuePair(queuePair).eventLoopThreads(options.clientThreads());
    }

    /** Connects, and creates the file on the first connection. */
    void open() throws BenchException {
        connect();
        try {
            for (int i = 0; i < connections.size(); i++) {
                NfsSession session = connections.get(i).session();
                if (i == 0) {
                    session.create(fileName);
                    created = true;
                } else {
                    session.open(fileName);
                }
            }
        } catch (IOException e) {
            throw explained(e);
        }
    }

    /** Connects without opening a file. */
    public void connect() throws BenchException {
        byte[] root = options.version() == 3 ? mount() : new byte[0];
        for (int i = 0; i < options.connections(); i++) {
            Requester requester = requester();
            try {
                NfsSession session = session(requester, root, i);
                connections.add(new Connection(requester, session));
                checkSize(session);
            } catch (IOException e) {
                throw explained(e);
            }
        }
    }

    public List<Connection> all() {
        return connections;
    }

    NfsSession first() {
        return connections.getFirst().session();
    }

    private void checkSize(NfsSession session) throws BenchException {
        if (session.maxTransferBytes() < options.sizeBytes()) {
            throw new BenchException("--size " + options.sizeBytes() + ": the server transfers at most "
                    + session.maxTransferBytes() + " bytes at once");
        }
    }

    private byte[] mount() throws BenchException {
        Requester requester =
                requesters.overTcp(options.mount(), TcpRequesterOptions.DEFAULT, RETRIES, BackwardCalls.NONE);
        try {
            return new MountClient(requester, options.caller(), options.timeout()).mount(options.export());
        } catch (NfsException e) {
            throw new BenchException("--export " + options.export() + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new BenchException("no MOUNT service at " + name(options.mount()) + ": " + e.getMessage(), e);
        } finally {
            requester.close();
        }
    }

    private Requester requester() {
        IwarpTransport rdma = iwarp;
        if (rdma != null) {
            return requesters.overRdma(
                    rdma.connector(), options.server(), RequesterOptions.DEFAULT, RETRIES, BackwardCalls.NONE);
        }
        TcpRequesterOptions tcp =
                new TcpRequesterOptions(options.sizeBytes() + RECORD_OVERHEAD_BYTES, options.depth(), 1, options.tls());
        return requesters.overTcp(options.server(), tcp, RETRIES, BackwardCalls.NONE);
    }

    private NfsSession session(Requester requester, byte[] root, int number) throws IOException {
        return options.version() == 3
                ? new Nfs3Session(requester, options.caller(), root, options.depth(), options.timeout())
                : new Nfs41Session(
                        requester,
                        options.caller(),
                        fileName + "-" + number,
                        options.export(),
                        options.depth(),
                        options.sizeBytes(),
                        options.timeout(),
                        GRACE_LIMIT);
    }

    private BenchException explained(IOException e) {
        if (e instanceof RequestException) {
            return new BenchException(
                    "no answer from " + name(options.server()) + " over " + options.protocol() + ": " + e.getMessage(),
                    e);
        }
        return new BenchException("--export " + options.export() + ": " + e.getMessage(), e);
    }

    private static String name(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Removes the file and ends every session and connection. Returns a message for each step that failed. */
    public List<String> finish() {
        List<String> troubles = new ArrayList<>();
        for (int i = connections.size() - 1; i >= 0; i--) {
            Connection connection = connections.get(i);
            try {
                if (i == 0 && created) {
                    created = false;
                    connection.session().remove(fileName);
                }
                connection.session().close();
            } catch (IOException e) {
                troubles.add(fileName + ": " + e.getMessage());
            }
        }
        connections.clear();
        return troubles;
    }

    @Override
    public void close() {
        finish();
        requesters.close();
        if (iwarp != null) {
            iwarp.close();
        }
    }
}
