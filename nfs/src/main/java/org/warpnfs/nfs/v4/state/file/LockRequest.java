package org.warpnfs.nfs.v4.state.file;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.locks.LockedFile;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Arguments of a LOCK.
 *
 * @param target the file
 * @param newOwner the lock-owner, if the client says that it is new on the file; then {@code stateid} is the open's,
 *     else the lock's
 * @param waits true if the client asks again until it has the lock
 * @param turn tells the client on another thread that the lock can be had now, if it waits for it; null if it does not,
 *     or cannot be told
 */
public record LockRequest(
        LockedFile target,
        boolean exclusive,
        ByteRange range,
        boolean reclaim,
        Stateid stateid,
        @Nullable Opaque newOwner,
        boolean waits,
        @Nullable Consumer<LockOwner> turn) {
    /** The file, as state knows it. */
    public FileKey file() {
        return FileKey.of(target.identity());
    }

    /** A request whose client does not wait, for a file whose backend has no locks. */
    public LockRequest(
            FileKey file,
            boolean exclusive,
            ByteRange range,
            boolean reclaim,
            Stateid stateid,
            @Nullable Opaque newOwner) {
        this(LockedFile.here(file.identity()), exclusive, range, reclaim, stateid, newOwner, false, null);
    }
}
