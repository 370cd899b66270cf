package org.warpnfs.nfs.fence;

import org.jspecify.annotations.Nullable;

/** Fences layouts of files. Files are known by {@link FenceEpochs#keyOf}. Never waits; safe for any thread. */
public interface Fencing {
    /** No layout is fenced: data servers do not know layouts. */
    Fencing OFF = new Fencing() {
        @Override
        public @Nullable FenceStamp stamp(long file) {
            return null;
        }

        @Override
        public @Nullable Fence begin(long file) {
            return null;
        }
    };

    /** The stamp of layouts that are granted now; null if layouts are not fenced. */
    @Nullable
    FenceStamp stamp(long file);

    /** Begins to end all layouts of a file that have been granted; null if layouts are not fenced. */
    @Nullable
    Fence begin(long file);

    /** A fence that was begun. */
    interface Fence {
        /** True once every data server refuses the older layouts. */
        boolean isDone(long nowNanos);
    }
}
