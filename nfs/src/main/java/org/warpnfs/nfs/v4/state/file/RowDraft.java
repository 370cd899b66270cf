package org.warpnfs.nfs.v4.state.file;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A row without its path, with the file that knows the path. It is made under the lock of the state, and completed
 * without the lock.
 *
 * <h2>Buffers</h2>
 *
 * Holds the file until {@link #row} is called, once.
 */
public final class RowDraft<R> {
    private final @Nullable SharedFile held;
    private final Function<@Nullable String, R> rest;

    RowDraft(@Nullable SharedFile file, Function<@Nullable String, R> rest) {
        this.held = file == null ? null : file.hold();
        this.rest = rest;
    }

    /** A draft of a row that has no path. */
    public static <R> RowDraft<R> of(R row) {
        return new RowDraft<>(null, _ -> row);
    }

    /** The complete row. Asks the backend for the path, so it must never be called under the lock of the state. */
    public R row() {
        if (held == null) {
            return rest.apply(null);
        }
        try {
            return rest.apply(held.file().path().orElse(null));
        } finally {
            held.release();
        }
    }
}
