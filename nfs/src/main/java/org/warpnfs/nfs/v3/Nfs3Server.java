package org.warpnfs.nfs.v3;

import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.fence.FenceView;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.payload.PayloadPool;

/**
 * Objects that all calls share.
 *
 * @param fileChanges called before a file is changed
 * @param replies replies to calls that must not be performed twice
 * @param fences which layouts of pNFS are still good
 */
record Nfs3Server(
        ExportTable exports,
        NfsHandles handles,
        PayloadPool payloads,
        Nfs3Options options,
        FileChanges fileChanges,
        ReplyCache replies,
        FenceView fences) {
    Nfs3Server(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool payloads,
            Nfs3Options options,
            FileChanges fileChanges,
            ReplyCache replies) {
        this(exports, handles, payloads, options, fileChanges, replies, FenceView.NONE);
    }
}
