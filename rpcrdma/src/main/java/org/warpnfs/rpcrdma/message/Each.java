package org.warpnfs.rpcrdma.message;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Steps that are owed to each of several, whatever happens at one of them. */
public final class Each {
    private Each() {}

    /**
     * Takes the step for each. An exception of one does not keep the others from theirs. The first one is thrown at the
     * end.
     */
    public static <T> void of(List<T> all, Consumer<? super T> step) {
        @Nullable Throwable first = null;
        // By index, since an iterator would be an object for each message.
        for (int i = 0; i < all.size(); i++) {
            try {
                step.accept(all.get(i));
            } catch (RuntimeException | Error e) {
                first = first == null ? e : first;
            }
        }
        switch (first) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case null, default -> {}
        }
    }
}
