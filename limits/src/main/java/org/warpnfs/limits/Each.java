package org.warpnfs.limits;

import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Steps that are owed to each of several, whatever happens at one of them.
 *
 * <p>An exception of one does not keep the others from their step. The first one is thrown at the end.
 */
public final class Each {
    private Each() {}

    /** Takes the step for each of a list, which does not change meanwhile. */
    public static <T> void of(List<T> all, Consumer<? super T> step) {
        @Nullable Throwable first = null;
        // By index, since an iterator would be an object for each message.
        for (int i = 0; i < all.size(); i++) {
            first = take(step, all.get(i), first);
        }
        rethrow(first);
    }

    /** Takes each out of a queue, and then the step for it, until the queue is empty. Steps may add to the queue. */
    public static <T> void leaving(Queue<T> queue, Consumer<? super T> step) {
        @Nullable Throwable first = null;
        for (T next = queue.poll(); next != null; next = queue.poll()) {
            first = take(step, next, first);
        }
        rethrow(first);
    }

    /** Takes all steps, in this order. */
    public static void inOrder(Runnable... steps) {
        of(List.of(steps), Runnable::run);
    }

    private static <T> @Nullable Throwable take(Consumer<? super T> step, T one, @Nullable Throwable first) {
        try {
            step.accept(one);
            return first;
        } catch (RuntimeException | Error e) {
            return first == null ? e : first;
        }
    }

    private static void rethrow(@Nullable Throwable first) {
        switch (first) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case null, default -> {}
        }
    }
}
