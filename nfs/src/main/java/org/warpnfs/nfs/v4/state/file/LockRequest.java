package org.warpnfs.nfs.v4.state.file;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Arguments of a LOCK.
 *
 * @param newOwner the lock-owner, if the client says that it is new on the file; then {@code stateid} is the open's,
 *     else the lock's
 * @param turn tells the client on another thread that the lock can be had now, if it waits for it; null if it does not
 */
public record LockRequest(
        FileKey file,
        boolean exclusive,
        ByteRange range,
        boolean reclaim,
        Stateid stateid,
        @Nullable Opaque newOwner,
        @Nullable Consumer<LockOwner> turn) {
    /** A request whose client does not wait. */
    public LockRequest(
            FileKey file,
            boolean exclusive,
            ByteRange range,
            boolean reclaim,
            Stateid stateid,
            @Nullable Opaque newOwner) {
        this(file, exclusive, range, reclaim, stateid, newOwner, null);
    }
}
