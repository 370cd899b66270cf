package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A LAYOUTGET.
 *
 * @param stateid of an open, a lock, a delegation or a layout of the file
 * @param writes LAYOUTIOMODE4_RW, else LAYOUTIOMODE4_READ
 * @param wireHandle the file's handle, as the client has it
 * @param by the request itself
 * @param fenceKey the file's number for {@link org.warpnfs.nfs.fence.Fencing}
 */
public record LayoutRequest(
        Client client,
        FileKey file,
        FileSystem fileSystem,
        Stateid stateid,
        boolean writes,
        Opaque wireHandle,
        @Nullable ReferringCall by,
        long fenceKey) {}
