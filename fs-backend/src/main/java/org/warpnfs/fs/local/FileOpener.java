package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.PosixJudge;

/**
 * Opens regular files of a tree, through a cached descriptor if there is one. Safe for many threads.
 *
 * <p>Who may open a file is judged each time. A judgement of a cached descriptor is remembered, where no other host can
 * change permissions without a change of the time that is seen here.
 */
final class FileOpener {
    private final TreeContext tree;

    FileOpener(TreeContext tree) {
        this.tree = tree;
    }

    /** Returns a use of a descriptor, which {@link FdCache#release} ends. */
    CachedFd open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        CachedFd cached = openCached(caller, file, access);
        return cached != null ? cached : openAnew(caller, file, access);
    }

    private @Nullable CachedFd openCached(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        CachedFd entry = tree.files().find(file, access);
        if (entry == null) {
            return null;
        }
        boolean taken = false;
        try {
            long look = entry.look();
            Statx statx = AttributeReader.statx(entry.fd());
            entry.seen(look, statx);
            if (statx.linkCount() == 0 && tree.files().lostName(entry)) {
                // Only the cache keeps the file alive.
                return null;
            }
            // Elsewhere another host may change permissions without a change of the time that is seen here.
            boolean remembers = tree.cachedReads().areUsable();
            if (!remembers || !entry.verdicts().permit(caller, access, statx)) {
                requireOpenable(caller, entry, statx, access);
                if (remembers) {
                    entry.verdicts().note(caller, access, statx);
                }
            }
            taken = true;
            return entry;
        } finally {
            if (!taken) {
                tree.files().release(entry);
            }
        }
    }

    private void requireOpenable(Caller caller, CachedFd entry, Statx statx, OpenAccess access) throws FsException {
        if (tree.attributes().areMapped()) {
            PosixJudge.requireOpenable(caller, AttributeReader.protectionOfMapped(entry, statx), access);
        } else {
            tree.authority().requireOpenable(caller, entry.fd(), statx, access);
        }
    }

    private CachedFd openAnew(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        try (Fd path = tree.open(file)) {
            Statx statx = tree.attributes().seen(path);
            RegularOpener.requireRegular(statx);
            tree.authority().requireOpenable(caller, path, statx, access);
            int flags = access.writes() ? OpenCalls.O_RDWR : OpenCalls.O_RDONLY;
            return tree.files().open(file, access.writes(), () -> RegularOpener.open(path, flags));
        }
    }
}
