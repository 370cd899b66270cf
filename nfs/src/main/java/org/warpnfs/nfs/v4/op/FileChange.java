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
 * The time in which a client changes a file: others may not have it delegated meanwhile, and whoever looks at the file
 * before and after a change of its own has to know of this one ({@link ChangeWindows}). Begun before anything is done.
 */
final class FileChange implements AutoCloseable {
    private static final FileChange OF_NOTHING = new FileChange(null, null);

    private final DelegationStates.@Nullable Change change;
    private final ChangeWindows.@Nullable Window window;

    private FileChange(DelegationStates.@Nullable Change change, ChangeWindows.@Nullable Window window) {
        this.change = change;
        this.window = window;
    }

    /** DELAY while another client has it delegated. */
    static FileChange of(CallContext call, Location file) throws Nfs4Exception {
        return new FileChange(undelegated(call, file), windowOf(call, file));
    }

    /**
     * As {@link #of}, of a file that a {@link DirectoryChange} of the same operation looks at: two windows would see
     * each other.
     */
    static FileChange ofWatched(CallContext call, Location file) throws Nfs4Exception {
        return new FileChange(undelegated(call, file), null);
    }

    /** As {@link #of}, of a file that is not delegated, since it is open for writing. */
    static FileChange ofOpen(CallContext call, Location file) {
        return new FileChange(null, windowOf(call, file));
    }

    /**
     * As {@link #of}, of the file by that name; of nothing if there is none. Nothing but regular files is ever
     * delegated.
     */
    static FileChange ofName(CallContext call, Location directory, FileName name) throws Nfs4Exception {
        FileNode found;
        try {
            found = directory.fileSystem().lookup(call.admissions().callerAt(directory), directory.file(), name);
        } catch (FsException e) {
            // Whatever it is, the operation itself will say it.
            return OF_NOTHING;
        }
        Location file = directory.sibling(found.handle());
        return found.attributes().type() == FileType.REGULAR ? of(call, file) : ofOpen(call, file);
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
                        FileKey.of(file.identity()).handle(),
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
