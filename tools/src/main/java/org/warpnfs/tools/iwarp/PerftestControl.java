package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * The control connection of a perftest on the client's side: a message, an answer, the next message.
 *
 * <p>{@link #exchange} is safe for any thread; one exchange at a time.
 */
final class PerftestControl implements QueuePairHandler {
    /** The size of a receive, enough for any message of perftest. */
    static final int RECEIVE_BYTES = 256;

    private final CompletableFuture<QueuePair> established = new CompletableFuture<>();
    private final CompletableFuture<DisconnectReason> ended = new CompletableFuture<>();
    private @Nullable CompletableFuture<ByteBuffer> answer;

    CompletableFuture<QueuePair> established() {
        return established;
    }

    CompletableFuture<DisconnectReason> ended() {
        return ended;
    }

    /** Sends a message and completes with the answer, or fails with the connection. */
    CompletableFuture<ByteBuffer> exchange(QueuePair queuePair, ByteBuffer message) {
        CompletableFuture<ByteBuffer> awaited = new CompletableFuture<>();
        queuePair.execute(() -> {
            answer = awaited;
            queuePair.post(WorkRequest.Send.of(0, message));
            queuePair.flush();
        });
        var _ = ended.thenAccept(reason -> awaited.completeExceptionally(ConnectionEnds.asFailure(reason, "")));
        return awaited;
    }

    @Override
    public void created(QueuePair queuePair) {
        queuePair.postReceive(0, ByteBuffer.allocateDirect(RECEIVE_BYTES));
    }

    @Override
    public void established(QueuePair queuePair) {
        established.complete(queuePair);
    }

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        if (completion instanceof Completion.Received received && received.status() == CompletionStatus.SUCCESS) {
            ByteBuffer copy = ByteBuffer.allocate(received.buffer().remaining())
                    .put(received.buffer())
                    .flip();
            queuePair.postReceive(0, received.buffer().clear());
            CompletableFuture<ByteBuffer> awaited = answer;
            answer = null;
            if (awaited == null) {
                queuePair.abort("the server spoke out of turn");
            } else {
                awaited.complete(copy);
            }
        }
    }

    @Override
    public void disconnected(QueuePair queuePair, DisconnectReason reason) {
        established.completeExceptionally(ConnectionEnds.asFailure(reason, ""));
        ended.complete(reason);
    }
}
