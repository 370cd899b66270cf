package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Arguments of a LOCK.
 *
 * @param newOwner the lock-owner, if the client says that it is new on the file; then {@code stateid} is the open's,
 *     else the lock's
 */
public record LockRequest(
        FileKey file,
        boolean exclusive,
        ByteRange range,
        boolean reclaim,
        Stateid stateid,
        @Nullable Opaque newOwner) {}
