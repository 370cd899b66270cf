package org.warpnfs.fs.local;

import java.util.List;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DirectoryStream;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;

/**
 * Searches the whole tree for one file, as the last resort. Reads inode numbers from directory entries, and attributes
 * only where the number matches. Stays on the tree's mount.
 */
final class TreeSearch {
    /** Entries to read at once: a search examines all. */
    private static final int MANY = 1000;

    /** Deeper than clients go. Each level holds a descriptor. */
    private static final int MAX_DEPTH = 512;

    private final FileKeys keys;
    private final FileKey wanted;
    private final long mountId;
    private final Found found;

    TreeSearch(FileKeys keys, FileKey wanted, long mountId, Found found) {
        this.keys = keys;
        this.wanted = wanted;
        this.mountId = mountId;
        this.found = found;
    }

    /**
     * Searches below {@code directory}. Returns true if the file was found. The file and each directory above it are
     * then reported to {@link Found}.
     */
    boolean search(Fd directory) {
        return search(directory, 0);
    }

    private boolean search(Fd directory, int depth) {
        if (depth == MAX_DEPTH) {
            return false;
        }
        try (Fd listed = OpenCalls.reopen(directory, OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY)) {
            DirectoryStream stream = new DirectoryStream(listed);
            FileKey here = keys.of(listed, AttributeCalls.statx(listed));
            for (List<DirectoryStream.Entry> batch = stream.next(MANY); !batch.isEmpty(); batch = stream.next(MANY)) {
                for (DirectoryStream.Entry entry : batch) {
                    if (look(listed, here, entry, depth)) {
                        return true;
                    }
                }
            }
        } catch (ErrnoException | FsException e) {
            // The server may not read the directory, or it was removed meanwhile.
            return false;
        }
        return false;
    }

    private boolean look(Fd directory, FileKey here, DirectoryStream.Entry entry, int depth) {
        boolean right = entry.inode() == wanted.inode();
        if (!right && !entry.mayBeDirectory()) {
            return false;
        }
        try (Fd file = OpenCalls.openAt(directory, entry.name(), OpenCalls.O_PATH | OpenCalls.O_NOFOLLOW)) {
            Statx statx = AttributeCalls.statx(file);
            if (statx.mountId() != mountId) {
                return false;
            }
            FileKey key = keys.of(file, statx);
            Place place = new Place(here, FileName.of(entry.name()));
            if (key.equals(wanted)) {
                found.at(key, place);
                return true;
            }
            boolean below = AttributeReader.type(statx) == FileType.DIRECTORY && search(file, depth + 1);
            if (below) {
                found.at(key, place);
            }
            return below;
        } catch (ErrnoException | FsException e) {
            return false;
        }
    }

    /** Receives the places of files that the search found. */
    interface Found {
        void at(FileKey file, Place place);
    }
}
