package org.warpnfs.fs.spi;

/**
 * Result of {@link FileSystem#create}.
 *
 * @param isNew false if the file existed before
 */
public record Created(FileNode node, boolean isNew) {}
