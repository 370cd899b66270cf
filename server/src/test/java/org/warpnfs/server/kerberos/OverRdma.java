package org.warpnfs.server.kerberos;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;

/** Carries calls over RDMA: a long one in a Position-Zero Read chunk, a long reply in the Reply chunk of each call. */
final class OverRdma implements GssClient.Way {
    private static final int MAX_REPLY_BYTES = 2 << 20;

    private final Requester requester;
    private final Optional<ByteBuffer> sink;
    private Optional<ByteBuffer> reply = Optional.empty();

    /** @param sink memory for a DDP-eligible result, offered by a Write chunk in place of the Reply chunk */
    OverRdma(Requester requester, Optional<ByteBuffer> sink) {
        this.requester = requester;
        this.sink = sink;
    }

    @Override
    public void send(byte[] call) throws IOException {
        ChunkOffer offer = sink.isPresent()
                ? new ChunkOffer(List.of(sink.get().duplicate()), Optional.empty())
                : ChunkOffer.reply(ByteBuffer.allocateDirect(MAX_REPLY_BYTES));
        try {
            reply = Optional.of(requester
                    .call(RpcMessage.of(ByteBuffer.wrap(call)), offer)
                    .get(30, TimeUnit.SECONDS)
                    .message());
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IOException(e);
        }
    }

    @Override
    public ByteBuffer receive() {
        return reply.orElseThrow().slice();
    }

    @Override
    public GssClient.Way another() {
        return new OverRdma(requester, sink);
    }

    /** The requester belongs to the test. */
    @Override
    public void close() {
        // Nothing is held.
    }
}
