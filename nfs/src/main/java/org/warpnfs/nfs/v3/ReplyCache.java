package org.warpnfs.nfs.v3;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.Identity;

/**
 * Answers to calls that must not be done twice (the duplicate request cache that RFC 1813 §4.3 speaks of).
 *
 * <p>A client that has lost its connection sends what was not answered again on the next, with the same XID: a REMOVE that
 * was done would then find nothing. So the source port does not count, and since XIDs of two clients behind one address may
 * meet, the whole of the arguments does.
 *
 * <p>A repetition of a call that is still being done waits for it. Bounded by count and age; safe for any thread.
 */
final class ReplyCache {
    private static final int MAX_REPLIES = 4096;
    private static final Duration MAX_AGE = Duration.ofMinutes(2);

    /** Who asked what. */
    record Key(InetAddress client, int xid, int procedure, Identity identity, Object args) {}

    private final Duration patience;
    private final Cache<Key, CompletableFuture<Nfs3Reply>> replies;

    /**
     * An empty cache.
     *
     * @param patience how long a repetition waits for the first to end
     */
    ReplyCache(Duration patience, Ticker ticker) {
        this.patience = patience;
        this.replies = CacheBuilder.newBuilder()
                .maximumSize(MAX_REPLIES)
                .expireAfterWrite(MAX_AGE)
                .ticker(ticker)
                .build();
    }

    /**
     * What was answered to {@code key} before, or else what {@code work} answers now.
     *
     * @return null if the first has not ended in time, and nothing can be said
     */
    @Nullable
    Nfs3Reply answer(Key key, Supplier<Nfs3Reply> work) throws InterruptedException {
        CompletableFuture<Nfs3Reply> mine = new CompletableFuture<>();
        CompletableFuture<Nfs3Reply> first = replies.asMap().putIfAbsent(key, mine);
        return first == null ? perform(key, mine, work) : await(first);
    }

    private Nfs3Reply perform(Key key, CompletableFuture<Nfs3Reply> mine, Supplier<Nfs3Reply> work) {
        try {
            Nfs3Reply reply = work.get();
            if (reply.status() == Nfs3Status.JUKEBOX) {
                // Nothing was done, and the client will ask again.
                replies.asMap().remove(key, mine);
            }
            mine.complete(reply);
            return reply;
        } finally {
            if (!mine.isDone()) {
                replies.asMap().remove(key, mine);
                mine.cancel(false);
            }
        }
    }

    private @Nullable Nfs3Reply await(CompletableFuture<Nfs3Reply> first) throws InterruptedException {
        try {
            return first.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException | java.util.concurrent.CancellationException e) {
            return null;
        }
    }
}
