package org.warpnfs.nfs.v3;

import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.payload.PayloadPool;

/**
 * What all calls share.
 *
 * @param fileChanges asked before a file is changed
 */
record Nfs3Server(
        ExportTable exports, NfsHandles handles, PayloadPool payloads, Nfs3Options options, FileChanges fileChanges) {}
