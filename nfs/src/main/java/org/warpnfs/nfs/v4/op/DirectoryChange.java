package org.warpnfs.nfs.v4.op;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.ChangeWindows;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.DelegationStates;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * change_info4 (RFC 8881, section 3.3.8): a directory's change attribute before and after a change, and whether nothing
 * else changed the directory in between.
 */
final class DirectoryChange implements AutoCloseable {
    /** bool atomic, changeid4 before, changeid4 after. */
    static final int LENGTH_BYTES = 20;

    private static final Set<FileAttribute> CHANGE = FileAttribute.setOf(FileAttribute.CHANGE_ID);

    private final Location directory;
    private final ChangeWindows.Window window;
    private final DelegationStates.@Nullable Change change;
    private final long before;
    private boolean open = true;

    private DirectoryChange(
            Location directory, ChangeWindows.Window window, DelegationStates.@Nullable Change change, long before) {
        this.directory = directory;
        this.window = window;
        this.change = change;
        this.before = before;
    }

    /** Begins a change; DELAY while another client has a delegation of the directory. */
    static DirectoryChange begin(CallContext call, Location directory) throws Nfs4Exception, FsException {
        DelegationStates delegations = call.services().state().delegations();
        if (!delegations.mayDelegateDirectories()) {
            return watch(call, directory);
        }
        DelegationStates.Change change = delegations.beginChange(
                call.nowNanos(),
                FileKey.of(directory.identity()),
                call.calling().clientOrNull());
        boolean begun = false;
        try {
            DirectoryChange watched = watch(call, directory, change);
            begun = true;
            return watched;
        } finally {
            if (!begun) {
                change.close();
            }
        }
    }

    /** Begins to watch a directory that the operation itself does not change. */
    static DirectoryChange watch(CallContext call, Location directory) throws FsException {
        return watch(call, directory, null);
    }

    private static DirectoryChange watch(CallContext call, Location directory, DelegationStates.@Nullable Change change)
            throws FsException {
        ChangeWindows.Window window = call.services().exports().changeWindows().begin(directory.identity());
        boolean begun = false;
        try {
            DirectoryChange watched = new DirectoryChange(
                    directory, window, change, directory.attributes(CHANGE).changeId());
            begun = true;
            return watched;
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
            after = directory.attributes(CHANGE).changeId();
        } catch (FsException e) {
            // The directory was removed meanwhile, but the change was made and has to be answered.
            known = false;
        }
        boolean alone = end();
        out.bool(known && alone);
        out.int64(before);
        out.int64(after);
    }

    @Override
    public void close() {
        if (open) {
            boolean _ = end();
        }
    }

    private boolean end() {
        open = false;
        if (change != null) {
            change.close();
        }
        return window.end();
    }
}
