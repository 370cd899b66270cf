package org.warpnfs.fs.memory;

import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileType;

/** A file to be created: its creator, its directory, its type and its attributes. */
record NewFile(Caller caller, DirectoryInode parent, FileType type, AttributeChanges attributes) {}
