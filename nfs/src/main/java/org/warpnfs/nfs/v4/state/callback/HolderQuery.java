package org.warpnfs.nfs.v4.state.callback;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One CB_GETATTR and its answer, for which several requests may wait. Safe for any thread; nothing but {@link #await}
 * waits.
 */
public final class HolderQuery {
    private final CompletableFuture<Optional<HeldAttributes>> answer = new CompletableFuture<>();

    /** Notes the answer; null if there is none, or an error. Only the first one counts. */
    public void answered(@Nullable HeldAttributes attributes) {
        answer.complete(Optional.ofNullable(attributes));
    }

    /** True if it was answered, or never will be. */
    public boolean isOver() {
        return answer.isDone();
    }

    /** Waits for the answer. Returns null if there is none in time. Must not be called under the lock of the state. */
    public @Nullable HeldAttributes await(long patienceNanos) {
        try {
            return answer.get(patienceNanos, TimeUnit.NANOSECONDS).orElse(null);
        } catch (TimeoutException e) {
            // Whoever comes next asks again.
            answered(null);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
