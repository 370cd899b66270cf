package org.warpnfs.nfs.v4.op;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.DelegationStates;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** The time in which a client changes a file that others may not have delegated meanwhile. Begun before anything is done. */
final class FileChange implements AutoCloseable {
    private static final FileChange OF_NOTHING = new FileChange(null);

    private final DelegationStates.@Nullable Change change;

    private FileChange(DelegationStates.@Nullable Change change) {
        this.change = change;
    }

    /** DELAY while another client has it delegated. */
    static FileChange of(CallContext call, Location file) throws Nfs4Exception {
        return new FileChange(
                call.services().state().delegations().beginChange(call.nowNanos(), file.file(), call.clientOrNull()));
    }

    /** As {@link #of}, of the regular file by that name; of nothing if there is none. */
    static FileChange ofName(CallContext call, Location directory, FileName name) throws Nfs4Exception {
        FileNode found;
        try {
            found = CallContext.fileSystem(directory).lookup(call.callerAt(directory), directory.file(), name);
        } catch (FsException e) {
            // Whatever it is, the operation itself will say it.
            return OF_NOTHING;
        }
        return found.attributes().type() == FileType.REGULAR ? of(call, directory.sibling(found.handle())) : OF_NOTHING;
    }

    static FileChange ofNothing() {
        return OF_NOTHING;
    }

    @Override
    public void close() {
        if (change != null) {
            change.close();
        }
    }
}
