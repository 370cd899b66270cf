package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * One name in a directory. Every name is listed, also one whose file cannot be had: that is then told by {@code error}.
 *
 * @param cookie resumes the listing after this entry; neither 0, 1 nor 2, unsigned; it stays good while other names
 *     come and go
 * @param fileId as in {@link FileAttributes}; of a mount point that is not entered, the file below it (RFC 8881,
 *     section 5.8.2.23, mounted_on_fileid)
 * @param type what kind of file it is, where the directory says so; always there if the node is
 * @param node the file itself, if it was asked for and could be had
 * @param error why there is no node although it was asked for, else null: ACCESS if the caller may not search the
 *     directory or something else is mounted there, NO_ENTRY if the name vanished since it was read, or what the medium
 *     said
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
            throw new IllegalArgumentException("both a node and " + error);
        }
    }

    /** With its node, or without one if none was asked for. */
    public DirectoryEntry(FileName name, long cookie, long fileId, @Nullable FileNode node) {
        this(name, cookie, fileId, node == null ? null : node.attributes().type(), node, null);
    }
}
