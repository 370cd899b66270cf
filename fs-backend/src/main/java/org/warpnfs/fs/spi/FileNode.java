package org.warpnfs.fs.spi;

/** A file that a lookup found: its handle and its attributes. */
public record FileNode(FileHandle handle, FileAttributes attributes) {}
