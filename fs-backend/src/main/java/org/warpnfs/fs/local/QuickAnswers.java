package org.warpnfs.fs.local;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttribute;
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
            Statx seen = tree.attributes().seenQuickly(entry, AttributeReader.statx(entry.fd()));
            return seen != null && seen.linkCount() > 0
                    ? tree.attributes().convert(entry.fd(), seen, FileAttribute.ALL)
                    : null;
        } finally {
            tree.files().releaseQuickly(entry);
        }
    }

    /**
     * The attributes of a file with a cached descriptor, so that {@link #attributes} knows its owner from then on; null
     * if the file has none, or the host keeps owners. May wait.
     */
    @Nullable
    FileAttributes learned(FileHandle file, Set<FileAttribute> wanted) throws FsException {
        CachedFd entry = tree.attributes().areMapped() ? tree.files().findAny(file) : null;
        if (entry == null) {
            return null;
        }
        try {
            FileAttributes read = tree.attributes().read(entry, wanted, false);
            return read.linkCount() > 0 ? read : null;
        } finally {
            tree.files().release(entry);
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
            Statx seen = tree.attributes().seenQuickly(entry, statx);
            taken = seen != null
                    && seen.linkCount() > 0
                    && (entry.verdicts().permit(caller, access, statx)
                            || tree.authority().mayOpenAnyway(caller, seen));
            return taken ? entry : null;
        } finally {
            if (!taken) {
                tree.files().releaseQuickly(entry);
            }
        }
    }
}
