package org.warpnfs.server.watch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Export;

/**
 * Whether the roots of all exports can be read.
 *
 * <p>A backend may stand still instead of failing, as a disk or a network file system does that has gone. So one thread
 * looks, those who ask wait for it for a while, and while it has not come back nobody else is sent. Safe for any
 * thread.
 */
final class BackendCheck {
    private static final String LOOKED = "every export can be read";

    private final Supplier<List<Export>> exports;
    private final Duration patience;
    private final LongSupplier clockNanos;

    /** A look that is under way, or was the last. */
    private record Look(CompletableFuture<Verdict> result, long beganNanos) {}

    private @Nullable Look current;
    private volatile String at = "";

    /** @param patience how long one who asks waits */
    BackendCheck(Supplier<List<Export>> exports, Duration patience, LongSupplier clockNanos) {
        this.exports = exports;
        this.patience = patience;
        this.clockNanos = clockNanos;
    }

    Verdict look() {
        Look look = begun();
        try {
            return look.result.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(clockNanos.getAsLong() - look.beganNanos);
            return Verdict.bad("the backend of export " + at + " has not answered for " + seconds + " s");
        } catch (ExecutionException e) {
            return Verdict.bad("the exports cannot be looked at: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Verdict.bad("interrupted");
        }
    }

    private synchronized Look begun() {
        Look last = current;
        if (last != null && !last.result.isDone()) {
            return last;
        }
        Look fresh = new Look(new CompletableFuture<>(), clockNanos.getAsLong());
        current = fresh;
        // A platform thread: the local backend calls into the C library, and may stand still there.
        Thread.ofPlatform().daemon().name("backend-check").start(() -> {
            try {
                fresh.result.complete(lookNow());
            } catch (Throwable e) {
                fresh.result.completeExceptionally(e);
            }
        });
        return fresh;
    }

    private Verdict lookNow() {
        for (Export export : exports.get()) {
            at = export.path().toString();
            try {
                if (export.fileSystem().attributes(export.fileSystem().root()).linkCount() == 0) {
                    return Verdict.bad("the directory of export " + export.path() + " was removed");
                }
                var _ = export.fileSystem()
                        .list(Caller.ROOT, export.fileSystem().root(), 0, false, entry -> false);
            } catch (FsException e) {
                return Verdict.bad("the root of export " + export.path() + " cannot be read: " + e.error());
            }
        }
        return Verdict.good(LOOKED);
    }
}
