package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * What a LOCK wants.
 *
 * @param newOwner the lock-owner where the client takes it to be new on the file; {@code stateid} is then the open's,
 *     else the lock's own
 */
public record LockRequest(
        FileKey file,
        boolean exclusive,
        ByteRange range,
        boolean reclaim,
        Stateid stateid,
        @Nullable Opaque newOwner) {}
