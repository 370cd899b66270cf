package org.warpnfs.fs.local;

import org.warpnfs.fs.spi.FileName;

/** Where a file was last seen. */
record Place(FileKey directory, FileName name) {}
