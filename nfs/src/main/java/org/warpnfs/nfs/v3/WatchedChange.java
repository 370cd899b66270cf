package org.warpnfs.nfs.v3;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.nfs.export.ChangeWindows;

/** Reads a file's attributes before and after a change, and detects another change in between. */
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
        // The window is opened before the attributes are read, so that every later change overlaps it.
        return new WatchedChange(file, window, file.attributesIfAny());
    }

    /** Ends the watch. Must be called once, after the change. */
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
