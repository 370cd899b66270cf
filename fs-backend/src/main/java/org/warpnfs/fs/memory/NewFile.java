package org.warpnfs.fs.memory;

import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileType;

/** A file that is to be made: by whom, where, what, and what it is to have. */
record NewFile(Caller caller, DirectoryInode parent, FileType type, AttributeChanges attributes) {}
