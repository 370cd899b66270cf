package org.warpnfs.fs.spi;

/** A file as a lookup finds it. */
public record FileNode(FileHandle handle, FileAttributes attributes) {}
