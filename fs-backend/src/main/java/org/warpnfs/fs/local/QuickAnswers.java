package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;

/**
 * What a tree answers without a wait for a disk or another host: about files that have a cached descriptor, since their
 * attributes are in the kernel's memory. Safe for many threads.
 */
final class QuickAnswers {
    private final TreeContext tree;

    QuickAnswers(TreeContext tree) {
        this.tree = tree;
    }

    /** The attributes of a file; null if they cannot be had so. */
    @Nullable
    FileAttributes attributes(FileHandle file) throws FsException {
        if (!tree.cachedReads().areUsable()) {
            return null;
        }
        CachedFd entry = tree.files().findAny(file);
        if (entry == null) {
            return null;
        }
        try {
            Statx statx = tree.attributes().seen(entry.fd());
            return statx.linkCount() > 0 ? tree.attributes().convert(statx) : null;
        } finally {
            tree.files().releaseQuickly(entry);
        }
    }

    /**
     * A use of a cached descriptor, if it is known that the caller may open the file; else null.
     * {@link FdCache#releaseQuickly} ends it.
     */
    @Nullable
    CachedFd open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        if (!tree.cachedReads().areUsable()) {
            return null;
        }
        CachedFd entry = tree.files().find(file, access);
        if (entry == null) {
            return null;
        }
        boolean taken = false;
        try {
            Statx statx = AttributeReader.statx(entry.fd());
            taken = statx.linkCount() > 0
                    && (entry.verdicts().permit(caller, access, statx)
                            || tree.authority()
                                    .mayOpenAnyway(caller, tree.attributes().seen(entry.fd())));
            return taken ? entry : null;
        } finally {
            if (!taken) {
                tree.files().releaseQuickly(entry);
            }
        }
    }
}
