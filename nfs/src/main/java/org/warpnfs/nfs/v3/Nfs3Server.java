package org.warpnfs.nfs.v3;

import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.fence.FenceView;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.payload.PayloadPool;

/**
 * Objects that all calls of NFSv3 share.
 *
 * @param payloads lends at least the longest transfer of the options
 * @param fileChanges is told before NFSv3 changes a file, so that delegations of the file are recalled
 * @param replies replies to calls that must not be performed twice; one for all programs of a server
 * @param fences which layouts of pNFS are still good
 */
public record Nfs3Server(
        ExportTable exports,
        NfsHandles handles,
        PayloadPool payloads,
        Nfs3Options options,
        FileChanges fileChanges,
        ReplyCache replies,
        FenceView fences) {
    /** A server that is no data server of fenced layouts. */
    public Nfs3Server(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool payloads,
            Nfs3Options options,
            FileChanges fileChanges,
            ReplyCache replies) {
        this(exports, handles, payloads, options, fileChanges, replies, FenceView.NONE);
    }
}
