package org.warpnfs.nfs.v3;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.nfs.export.ChangeWindows;

/** Looks at a file before and after a change, and at whether another change came between. */
final class WatchedChange implements AutoCloseable {
    private final Nfs3File file;
    private final @Nullable FileAttributes before;
    private final ChangeWindows.Window window;
    private boolean open = true;

    private WatchedChange(Nfs3File file, ChangeWindows.Window window, @Nullable FileAttributes before) {
        this.file = file;
        this.window = window;
        this.before = before;
    }

    static WatchedChange begin(Nfs3Call call, Nfs3File file) {
        ChangeWindows.Window window = call.changeWindows().begin(file.identity());
        // Opened first: whatever begins after it is seen to overlap.
        return new WatchedChange(file, window, file.attributesIfAny());
    }

    /** After the change, once. */
    WccData end() {
        PostOpAttr after = file.postOpAttr();
        open = false;
        return new WccData(window.end() ? before : null, after);
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            boolean _ = window.end();
        }
    }
}
