package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;

/** Makes calls and waits for their replies. It serves the calls around the measurement. */
final class Calls {
    /** Space for replies that do not fit inline, such as attributes or a session's parameters. */
    private static final int REPLY_BYTES = 16 << 10;

    /** The first XIDs of our sessions. They are far apart, so that a reply cache does not confuse two sessions. */
    private static final AtomicInteger NEXT_XIDS = new AtomicInteger((int) System.nanoTime());

    private final AtomicInteger xids = new AtomicInteger(NEXT_XIDS.getAndAdd(0x0100_0000));
    private final Requester requester;
    private final Duration timeout;

    Calls(Requester requester, Duration timeout) {
        this.requester = requester;
        this.timeout = timeout;
    }

    /** The XID of the session's next call. The measured calls use it too. */
    int nextXid() {
        return xids.getAndIncrement();
    }

    /** Makes a call and steps over the header of its reply. */
    ReplyWords call(RpcMessage message) throws IOException {
        CompletableFuture<XdrStream> result = new CompletableFuture<>();
        ChunkOffer offer = new ChunkOffer(List.of(), Optional.of(ByteBuffer.allocateDirect(REPLY_BYTES)));
        requester.call(message, offer, System.nanoTime() + timeout.toNanos(), new ReplyHandler() {
            @Override
            public void replied(XdrStream reply, List<ByteBuffer> written) {
                result.complete(reply.copied());
            }

            @Override
            public void failed(RequestException why) {
                result.completeExceptionally(why);
            }
        });
        try {
            return ReplyWords.accepted(result.get());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a reply");
        }
    }
}
