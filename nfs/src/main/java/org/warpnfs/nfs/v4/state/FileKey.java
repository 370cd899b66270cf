package org.warpnfs.nfs.v4.state;

import org.warpnfs.fs.spi.FileHandle;

/** One file over all exports. */
public record FileKey(int exportKey, FileHandle handle) {}
