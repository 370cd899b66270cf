package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.ChangeWindows;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;

/**
 * change_info4 (RFC 8881, section 3.3.11): a directory's change attribute before and after a change, and whether
 * nothing else changed the directory in between.
 */
final class DirectoryChange implements AutoCloseable {
    /** bool atomic, changeid4 before, changeid4 after. */
    static final int LENGTH_BYTES = 20;

    private final Location directory;
    private final ChangeWindows.Window window;
    private final long before;
    private boolean open = true;

    private DirectoryChange(Location directory, ChangeWindows.Window window, long before) {
        this.directory = directory;
        this.window = window;
        this.before = before;
    }

    static DirectoryChange begin(CallContext call, Location directory) throws FsException {
        ChangeWindows.Window window = call.services().exports().changeWindows().begin(directory.identity());
        boolean begun = false;
        try {
            DirectoryChange change = new DirectoryChange(
                    directory, window, directory.attributes().changeId());
            begun = true;
            return change;
        } finally {
            if (!begun) {
                window.end();
            }
        }
    }

    /** Encodes it. Must be called after the change. */
    void encode(CompoundWriter out) {
        long after = before;
        boolean known = true;
        try {
            after = directory.attributes().changeId();
        } catch (FsException e) {
            // The directory was removed meanwhile, but the change was made and has to be answered.
            known = false;
        }
        open = false;
        boolean alone = window.end();
        out.bool(known && alone);
        out.int64(before);
        out.int64(after);
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            window.end();
        }
    }
}
