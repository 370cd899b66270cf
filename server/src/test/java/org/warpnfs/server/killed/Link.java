package org.warpnfs.server.killed;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.tcp.TcpConnector;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.server.NfsCall;

/**
 * A connection to the server that lasts until the server is killed. If it ends earlier, or a call is not answered, the
 * test fails.
 */
final class Link implements AutoCloseable {
    /** The transport by which a client reaches the server. */
    enum Way {
        TCP,
        RDMA
    }

    /** The client ends that all links of a run share. */
    record Ends(IwarpTransport iwarp, TcpConnector tcp) implements AutoCloseable {
        Ends() {
            this(new IwarpTransport(), new TcpConnector(1));
        }

        @Override
        public void close() {
            tcp.close();
            iwarp.close();
        }
    }

    private static final int SECONDS = 120;
    /** No two calls of a run share an XID, except repetitions. */
    private static final AtomicInteger XIDS = new AtomicInteger((int) System.nanoTime());

    private final ServerProcess server;
    private final Life life;
    private final Way way;
    private final Requester requester;

    Link(Ends ends, ServerProcess server, Life life, Way way) throws Gone, InterruptedException {
        this.server = server;
        this.life = life;
        this.way = way;
        requester = switch (way) {
            case TCP -> get(ends.tcp.connect(server.tcp(), TcpRequesterOptions.DEFAULT, BackwardCalls.NONE));
            case RDMA ->
                get(RpcRdmaRequester.connect(
                        ends.iwarp.connector(), server.rdma(), RequesterOptions.DEFAULT, BackwardCalls.NONE));
        };
    }

    static int nextXid() {
        return XIDS.getAndIncrement();
    }

    Life life() {
        return life;
    }

    ByteBuffer answer(NfsCall call) throws Gone, InterruptedException {
        return answer(call, ChunkOffer.NONE);
    }

    /** Sends a call on its own TCP connection, because MOUNT is not served over RDMA. */
    ByteBuffer answerOverTcp(NfsCall call) throws Gone, IOException {
        try {
            return call.overTcp(server.tcp());
        } catch (IOException e) {
            if (life.mayEnd()) {
                throw new Gone(e);
            }
            throw e;
        }
    }

    private ByteBuffer answer(NfsCall call, ChunkOffer offer) throws Gone, InterruptedException {
        return NfsCall.results(get(requester.call(call.message(), offer)).message());
    }

    /**
     * Sends a READ.
     *
     * @param beforeLength the number of bytes before the length of the data in the results, if the status is 0
     * @return the status, followed by the data if it is 0
     */
    ByteBuffer read(NfsCall call, int count, int beforeLength) throws Gone, InterruptedException {
        ByteBuffer sink = ByteBuffer.allocateDirect(count);
        ByteBuffer results = answer(call, way == Way.RDMA ? ChunkOffer.write(sink) : ChunkOffer.NONE);
        int status = results.getInt(results.position());
        if (status != 0) {
            return ByteBuffer.allocate(4).putInt(0, status);
        }
        results.position(results.position() + beforeLength);
        int length = results.getInt();
        ByteBuffer data = ByteBuffer.allocate(4 + length).putInt(0);
        data.put(way == Way.RDMA ? sink.slice(0, length) : results.slice(results.position(), length));
        return data.flip();
    }

    private <T> T get(CompletableFuture<T> future) throws Gone, InterruptedException {
        try {
            return future.get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (life.mayEnd()) {
                throw new Gone(e);
            }
            throw new AssertionError("a connection that ended before the server was killed", e);
        } catch (TimeoutException e) {
            throw new AssertionError("no answer in " + SECONDS + " s", e);
        }
    }

    @Override
    public void close() {
        requester.close();
    }
}
