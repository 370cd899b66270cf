package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * One name in a directory.
 *
 * @param cookie resumes the listing after this entry; neither 0, 1 nor 2, unsigned; it stays good while other names come
 *     and go
 * @param fileId as in {@link FileAttributes}
 * @param node the file itself, where it was asked for and did not vanish meanwhile
 */
public record DirectoryEntry(
        FileName name, long cookie, long fileId, @Nullable FileNode node) {}
