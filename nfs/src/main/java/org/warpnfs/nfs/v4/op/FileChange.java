package org.warpnfs.nfs.v4.op;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.ChangeWindows;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.DelegationStates;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * The time during which a client changes a file. Meanwhile no other client gets a delegation of the file. Operations
 * that compare the file's attributes before and after their own change learn of this one ({@link ChangeWindows}). It
 * begins before anything is changed.
 */
final class FileChange implements AutoCloseable {
    private static final FileChange OF_NOTHING = new FileChange(null, null);

    private final DelegationStates.@Nullable Change change;
    private final ChangeWindows.@Nullable Window window;

    private FileChange(DelegationStates.@Nullable Change change, ChangeWindows.@Nullable Window window) {
        this.change = change;
        this.window = window;
    }

    /** Begins a change of a file; DELAY while another client has a delegation of it. */
    static FileChange of(CallContext call, Location file) throws Nfs4Exception {
        return new FileChange(undelegated(call, file), windowOf(call, file));
    }

    /**
     * Begins a change of a file that a {@link DirectoryChange} of the same operation watches. It opens no window, since
     * the operation's two windows would overlap.
     */
    static FileChange ofWatched(CallContext call, Location file) throws Nfs4Exception {
        return new FileChange(undelegated(call, file), null);
    }

    /** Begins a change of a file that has no delegations, since it is open for writing. */
    static FileChange ofOpen(CallContext call, Location file) {
        return new FileChange(null, windowOf(call, file));
    }

    /**
     * Begins a change of the file of that name, or of nothing if there is none. Only regular files and directories are
     * ever delegated.
     */
    static FileChange ofName(CallContext call, Location directory, FileName name) throws Nfs4Exception {
        FileNode found;
        try {
            found = directory.fileSystem().lookup(call.admissions().callerAt(directory), directory.file(), name);
        } catch (FsException e) {
            // The operation itself will report this error.
            return OF_NOTHING;
        }
        Location file = directory.sibling(found.handle());
        FileType type = found.attributes().type();
        return type == FileType.REGULAR || type == FileType.DIRECTORY ? of(call, file) : ofOpen(call, file);
    }

    static FileChange ofNothing() {
        return OF_NOTHING;
    }

    private static DelegationStates.Change undelegated(CallContext call, Location file) throws Nfs4Exception {
        return call.services()
                .state()
                .delegations()
                .beginChange(
                        call.nowNanos(),
                        FileKey.of(file.identity()),
                        call.calling().clientOrNull());
    }

    private static ChangeWindows.Window windowOf(CallContext call, Location file) {
        return call.services().exports().changeWindows().begin(file.identity());
    }

    @Override
    public void close() {
        if (window != null) {
            boolean _ = window.end();
        }
        if (change != null) {
            change.close();
        }
    }
}
