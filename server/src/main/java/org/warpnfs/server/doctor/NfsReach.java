package org.warpnfs.server.doctor;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;
import org.warpnfs.tools.bench.nfs.CallBuffer;
import org.warpnfs.tools.bench.nfs.NfsException;
import org.warpnfs.tools.bench.nfs.ReplyWords;

/** Reaches a server with the requesters of this tree, which need no RDMA device. */
public final class NfsReach implements ServerReach {
    private static final int PROGRAM = 100_003;
    private static final int NULL = 0;
    private static final int CALLS = 15;
    private static final int MAX_REPLY_BYTES = 4096;
    private static final int NOBODY = 65_534;

    private final String name;
    private final InetAddress host;
    private final int rdmaPort;
    private final int tcpPort;
    private final Duration timeout;

    /**
     * Reaches a server.
     *
     * @param rdmaPort its port for RDMA, or {@link ServerChecks.Ports#OFF}
     * @param tcpPort its port for TCP, or {@link ServerChecks.Ports#OFF}
     * @param timeout the time limit of a connection, and of each call
     */
    public NfsReach(String name, InetAddress host, int rdmaPort, int tcpPort, Duration timeout) {
        this.name = name;
        this.host = host;
        this.rdmaPort = rdmaPort;
        this.tcpPort = tcpPort;
        this.timeout = timeout;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int port(Transport transport) {
        return transport == Transport.RDMA ? rdmaPort : tcpPort;
    }

    private InetSocketAddress address(Transport transport) {
        return new InetSocketAddress(host, port(transport));
    }

    @Override
    public Duration connect(Transport transport) throws IOException {
        long begin = System.nanoTime();
        try (Socket socket = new Socket()) {
            socket.connect(address(transport), (int) timeout.toMillis());
            return Duration.ofNanos(System.nanoTime() - begin);
        }
    }

    @Override
    public Duration callNull(Transport transport) throws IOException {
        // The requesters are closed first, since they close their connections on the transport's event loops.
        try (IwarpTransport iwarp = new IwarpTransport(
                        IwarpConfig.builder().eventLoopThreads(1).build());
                RpcRequesters requesters = new RpcRequesters(1);
                Requester requester = transport == Transport.TCP
                        ? requesters.overTcp(
                                address(transport),
                                new TcpRequesterOptions(MAX_REPLY_BYTES, 1, 0),
                                RetryPolicy.NONE,
                                BackwardCalls.NONE)
                        : requesters.overRdma(
                                iwarp.connector(),
                                address(transport),
                                RequesterOptions.DEFAULT,
                                RetryPolicy.NONE,
                                BackwardCalls.NONE)) {
            return middle(requester);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + timeout.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(String.valueOf((cause == null ? e : cause).getMessage()), e);
        } catch (NfsException e) {
            throw new IOException(e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private Duration middle(Requester requester)
            throws ExecutionException, TimeoutException, InterruptedException, NfsException {
        CallBuffer buffer = new CallBuffer();
        AuthSysCredential caller = new AuthSysCredential("doctor", NOBODY, NOBODY);
        long[] nanos = new long[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long begin = System.nanoTime();
            // NULL is the same in every version.
            ByteBuffer reply = requester
                    .call(buffer.begin(caller, PROGRAM, 3, NULL).message(i + 1), ChunkOffer.NONE)
                    .get(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .message();
            ReplyWords.accepted(XdrStream.of(reply));
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        return Duration.ofNanos(nanos[CALLS / 2]);
    }

    @Override
    public OptionalInt mtu() {
        try (DatagramSocket route = new DatagramSocket()) {
            // Connecting a datagram socket sends nothing, and the route does not depend on the port.
            route.connect(new InetSocketAddress(host, 1));
            NetworkInterface network = NetworkInterface.getByInetAddress(route.getLocalAddress());
            return network == null ? OptionalInt.empty() : OptionalInt.of(network.getMTU());
        } catch (IOException e) {
            return OptionalInt.empty();
        }
    }
}
