package org.warpnfs.nfs.v3;

import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.payload.PayloadPool;

/**
 * What all calls share.
 *
 * @param fileChanges asked before a file is changed
 * @param replies to calls that must not be done twice
 */
record Nfs3Server(
        ExportTable exports,
        NfsHandles handles,
        PayloadPool payloads,
        Nfs3Options options,
        FileChanges fileChanges,
        ReplyCache replies) {}
