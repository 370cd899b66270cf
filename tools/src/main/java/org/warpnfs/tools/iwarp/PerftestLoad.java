package org.warpnfs.tools.iwarp;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/**
 * The connection that carries the load of a perftest's client.
 *
 * <h2>Operation</h2>
 *
 * Connected, then {@linkplain #start started} once the ends have agreed, then {@link #done()}.
 *
 * <h2>Errors</h2>
 *
 * If the connection ends before {@link #done()} completes, it fails.
 */
abstract class PerftestLoad implements QueuePairHandler {
    private final CompletableFuture<QueuePair> established = new CompletableFuture<>();
    private final CompletableFuture<DisconnectReason> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private @Nullable Meter meter;

    final CompletableFuture<QueuePair> connected() {
        return established;
    }

    final CompletableFuture<DisconnectReason> ended() {
        return ended;
    }

    /** Returns whether the connection failed because TCP was refused, or reset before the server had answered. */
    final boolean nobodyListened() {
        DisconnectReason reason = ended.getNow(null);
        return established.isCompletedExceptionally()
                && reason != null
                && reason.cause() == DisconnectReason.Cause.CONNECTION_LOST;
    }

    /** Completes after the last message. */
    final CompletableFuture<Void> done() {
        return done;
    }

    /** Returns the memory that the server may write to. */
    PerftestDestination destination() {
        return PerftestDestination.NONE;
    }

    /** Starts the load; called on the owner thread. */
    final void start(QueuePair queuePair, Meter counts, PerftestDestination server) {
        meter = counts;
        begin(queuePair, server);
    }

    abstract void begin(QueuePair queuePair, PerftestDestination server);

    final Meter meter() {
        Meter counts = meter;
        if (counts == null) {
            throw new IllegalStateException("not started");
        }
        return counts;
    }

    final void fail(TestFailure why) {
        done.completeExceptionally(why);
    }

    @Override
    public void established(QueuePair queuePair) {
        established.complete(queuePair);
    }

    @Override
    public final void disconnected(QueuePair queuePair, DisconnectReason reason) {
        ended.complete(reason);
        established.completeExceptionally(ConnectionEnds.asFailure(reason, " on the connection for the load"));
        Meter counts = meter;
        fail(ConnectionEnds.asFailure(reason, counts == null ? "" : " after " + counts.messages() + " messages"));
    }
}
