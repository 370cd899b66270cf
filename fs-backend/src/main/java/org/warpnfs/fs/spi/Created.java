package org.warpnfs.fs.spi;

/**
 * What {@link FileSystem#create} did.
 *
 * @param isNew false if the file was there before
 */
public record Created(FileNode node, boolean isNew) {}
