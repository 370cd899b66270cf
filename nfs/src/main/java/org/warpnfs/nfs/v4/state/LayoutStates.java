package org.warpnfs.nfs.v4.state;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.fence.Fencing;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.LayoutGrant;
import org.warpnfs.nfs.v4.state.file.LayoutRequest;
import org.warpnfs.nfs.v4.state.file.LayoutReturned;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Layouts of pNFS: LAYOUTGET and LAYOUTRETURN. See {@link StateTable}. */
public final class LayoutStates {
    private final StateCore core;

    LayoutStates(StateCore core) {
        this.core = core;
    }

    /** LAYOUTGET. */
    public LayoutGrant grant(long nowNanos, LayoutRequest request) throws Nfs4Exception {
        return core.locked(() -> {
            core.requirePresent(request.client());
            return core.layouts.grant(nowNanos, request);
        });
    }

    /** LAYOUTRETURN4_FILE. Returns the stateid of what is left; empty if nothing is. */
    public Optional<Stateid> giveBack(Client client, FileKey file, Stateid stateid, LayoutReturned part)
            throws Nfs4Exception {
        return core.locked(() -> core.layouts.giveBack(client, file, stateid, part));
    }

    /** LAYOUTRETURN4_FSID, or without a file system LAYOUTRETURN4_ALL. */
    public void giveBackAll(Client client, @Nullable FileSystem fileSystem, LayoutReturned part) {
        core.change(() -> core.layouts.giveBackAll(client, fileSystem, part));
    }

    /** Checks that the stateid is of a layout of the file; BAD_STATEID, DELEG_REVOKED. */
    public void require(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        core.change(() -> core.layouts.find(client, file, stateid));
    }

    /** Checks that a stateid is of a layout to write the file; BADLAYOUT, BADIOMODE for one to read, DELEG_REVOKED. */
    public void requireToWrite(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        core.change(() -> core.layouts.requireToWrite(client, file, stateid));
    }

    /** Says how layouts that end without their client are fenced. To be called before clients come. */
    public void setFencing(Fencing fencing) {
        core.change(() -> core.layouts.setFencing(fencing));
    }
}
