package org.warpnfs.nfs.v3;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.ChangeWindows;
import org.warpnfs.nfs.export.FileChanges;

/** Reads a file's attributes before and after a change, and detects another change in between. */
final class WatchedChange implements AutoCloseable {
    private final Nfs3File file;
    private final @Nullable FileAttributes before;
    private final ChangeWindows.Window window;
    private final FileChanges.Change change;
    private boolean open = true;

    private WatchedChange(
            Nfs3File file, ChangeWindows.Window window, FileChanges.Change change, @Nullable FileAttributes before) {
        this.file = file;
        this.window = window;
        this.change = change;
        this.before = before;
    }

    /** Begins to watch; TRY_LATER while a delegation that an NFSv4 client has of the directory is being recalled. */
    static WatchedChange begin(Nfs3Call call, Nfs3File file) throws FsException {
        FileIdentity identity = file.identity();
        FileChanges.Change change = call.changingEntries(identity);
        ChangeWindows.Window window = call.changeWindows().begin(identity);
        // The window is opened before the attributes are read, so that every later change overlaps it.
        return new WatchedChange(file, window, change, file.attributesIfAny(WccData.NEEDED));
    }

    /** Ends the watch. Must be called once, after the change. */
    WccData end() {
        PostOpAttr after = file.postOpAttr();
        open = false;
        change.close();
        return new WccData(window.end() ? before : null, after);
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            change.close();
            boolean _ = window.end();
        }
    }
}
