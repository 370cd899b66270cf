package org.warpnfs.server;

import com.google.common.util.concurrent.Uninterruptibles;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequesterReply;

/**
 * A client over RDMA that sends all its READs and then takes nothing from its socket until it is told to.
 *
 * <p>Its only event loop waits before the first call is sent and again after the last one, so it takes no reply in
 * between.
 */
final class StandingReader implements AutoCloseable {
    private static final int SECONDS = 60;

    private final CountDownLatch reads = new CountDownLatch(1);
    private final IwarpTransport transport =
            new IwarpTransport(IwarpConfig.builder().eventLoopThreads(1).build());
    private final RpcRdmaRequester client;

    /** @param first a call that need not do anything: its reply grants the credits for more than one */
    StandingReader(InetSocketAddress server, RpcMessage first) throws Exception {
        boolean connected = false;
        try {
            client = RpcRdmaRequester.connect(transport.connector(), server, RequesterOptions.DEFAULT, call -> call)
                    .get(SECONDS, TimeUnit.SECONDS);
            client.call(first, ChunkOffer.NONE).get(SECONDS, TimeUnit.SECONDS);
            connected = true;
        } finally {
            if (!connected) {
                transport.close();
            }
        }
    }

    /**
     * Sends the calls and stands still.
     *
     * @param sinks where the data of each call go
     */
    List<CompletableFuture<RequesterReply>> send(List<RpcMessage> calls, List<ByteBuffer> sinks) {
        CountDownLatch called = new CountDownLatch(1);
        waitFor(called);
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        try {
            for (int i = 0; i < calls.size(); i++) {
                replies.add(
                        client.call(calls.get(i), ChunkOffer.write(sinks.get(i).duplicate())));
            }
            waitFor(reads);
        } finally {
            called.countDown();
        }
        return replies;
    }

    private void waitFor(CountDownLatch latch) {
        transport.eventLoops().getFirst().execute(() -> Uninterruptibles.awaitUninterruptibly(latch));
    }

    /** Takes replies from now on. */
    void goOn() {
        reads.countDown();
    }

    @Override
    public void close() {
        goOn();
        try (transport) {
            client.close();
        }
    }
}
