package org.warpnfs.nfs.v3;

import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.payload.PayloadPool;

/** What all calls share. */
record Nfs3Server(ExportTable exports, NfsHandles handles, PayloadPool payloads, Nfs3Options options) {}
