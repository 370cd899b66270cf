package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * One name in a directory. A listing has every name. If the file behind a name cannot be reached, {@code error} says
 * why.
 *
 * @param cookie resumes the listing after this entry; unsigned, never 0, 1 or 2; it stays valid while other names come
 *     and go
 * @param fileId as in {@link FileAttributes}; for a mount point that is not entered, the file below it (RFC 8881,
 *     section 5.8.2.23, mounted_on_fileid)
 * @param type type of the file, where the directory says it; always present if {@code node} is
 * @param node the file, if it was asked for and could be reached
 * @param error why {@code node} is missing although it was asked for, else null: ACCESS if the caller may not search
 *     the directory or something else is mounted there, NO_ENTRY if the name was removed after the directory was read,
 *     otherwise the error of the medium
 */
public record DirectoryEntry(
        FileName name,
        long cookie,
        long fileId,
        @Nullable FileType type,
        @Nullable FileNode node,
        @Nullable FsError error) {
    public DirectoryEntry {
        if (node != null && error != null) {
            throw new IllegalArgumentException("directory entry with both a node and the error " + error);
        }
    }

    /** Makes an entry with its node, or without one if none was asked for. */
    public DirectoryEntry(FileName name, long cookie, long fileId, @Nullable FileNode node) {
        this(name, cookie, fileId, node == null ? null : node.attributes().type(), node, null);
    }
}
