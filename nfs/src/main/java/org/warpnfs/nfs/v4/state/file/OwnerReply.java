package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Reply to an owner's last request, kept in case that the request is repeated (RFC 7530, section 9.1.9).
 *
 * @param body what followed the status
 * @param current the filehandle that an OPEN left, which the next operation in the COMPOUND needs
 */
public record OwnerReply(
        OpCode code,
        Nfs4Status status,
        Opaque body,
        @Nullable Opaque current) {}
