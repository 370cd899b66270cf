package org.warpnfs.iwarp.netty;

import java.util.concurrent.CompletableFuture;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/** Does nothing until the end, and records its reason. */
class QuietHandler implements QueuePairHandler {
    private final CompletableFuture<DisconnectReason> ended;

    QuietHandler(CompletableFuture<DisconnectReason> ended) {
        this.ended = ended;
    }

    @Override
    public void created(QueuePair queuePair) {}

    @Override
    public void established(QueuePair queuePair) {}

    @Override
    public void completed(QueuePair queuePair, Completion completion) {}

    @Override
    public void disconnected(QueuePair queuePair, DisconnectReason reason) {
        ended.complete(reason);
    }
}
