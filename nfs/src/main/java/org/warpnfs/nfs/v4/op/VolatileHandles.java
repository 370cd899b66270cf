package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * Filehandles of a backend whose handles do not outlive a restart. They are announced as volatile, and one that leads
 * to no file has expired: the client looks its file up again (RFC 8881, section 4.2.3).
 */
public final class VolatileHandles {
    private VolatileHandles() {}

    /** The status of an error that an operation on the current filehandle met. */
    public static Nfs4Status statusOf(FsError error, CallContext call) {
        Location at = call.files().currentOrNull();
        return error == FsError.STALE && at != null && !at.fileSystem().limits().has(Capability.PERSISTENT_HANDLES)
                ? Nfs4Status.FHEXPIRED
                : Statuses.of(error);
    }
}
