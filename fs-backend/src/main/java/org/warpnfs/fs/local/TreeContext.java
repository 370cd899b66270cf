package org.warpnfs.fs.local;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * The parts of a served tree that its operations share, and the first and last steps of most operations.
 *
 * @param ancestry checks whether a directory is within the tree
 */
record TreeContext(
        Fd rootFd,
        long mountId,
        Ancestry ancestry,
        Handles handles,
        Authority authority,
        Owners owners,
        AttributeReader attributes,
        Durability durability,
        FdCache files,
        KeptListings listings,
        FileRanges ranges,
        CachedReads cachedReads,
        HostLocks locks,
        HostLeases leases)
        implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TreeContext.class);
    private static final int PATH_NO_FOLLOW = OpenCalls.O_PATH | OpenCalls.O_NOFOLLOW;

    /** Notes that these files were changed, and makes the change durable. Never throws TRY_LATER. */
    void settle(ChangeSync sync, Fd... changed) throws FsException {
        try {
            for (Fd file : changed) {
                attributes.changed(file);
            }
            sync.sync();
        } catch (FsException e) {
            throw ChangeSync.afterChange(e);
        }
    }

    /**
     * Brings a file that was found by its name to stable storage as it is now. Whoever made it may not have done so
     * yet, and a name may be on stable storage only if its file is.
     */
    void settleFound(Fd found, FileHandle handle) throws FsException {
        CachedFd leased = leases.writerOf(handle);
        if (leased == null) {
            try (ChangeSync sync = durability.ofAttributes(found)) {
                sync.sync();
            }
            return;
        }
        try {
            files.sync(leased, true);
        } finally {
            files.release(leased);
        }
    }

    /** Notes that a failed change may have changed the file in part. Does not throw: the first error is what counts. */
    void noteIfPossible(Fd file) {
        try {
            attributes.changed(file);
        } catch (FsException e) {
            LOG.debug("{}: no attributes after a failed change: {}", file, e.error());
        }
    }

    /** Reads the attributes of a file after a change. Never throws TRY_LATER. */
    FileAttributes readAfterChange(Fd file) throws FsException {
        try {
            return attributes.read(file);
        } catch (FsException e) {
            throw ChangeSync.afterChange(e);
        }
    }

    /** Opens a file as O_PATH. The caller closes it. */
    Fd open(FileHandle handle) throws FsException {
        return handles.open(handle);
    }

    /** Opens a directory as O_PATH; NOT_DIRECTORY if it is none. The caller closes it. */
    Fd openDirectory(FileHandle handle) throws FsException {
        Fd fd = handles.open(handle);
        boolean directory = false;
        try {
            requireDirectory(AttributeReader.statx(fd));
            directory = true;
        } finally {
            if (!directory) {
                fd.close();
            }
        }
        return fd;
    }

    /** Throws NOT_DIRECTORY if a file is none. */
    static void requireDirectory(Statx statx) throws FsException {
        if (AttributeReader.type(statx) != FileType.DIRECTORY) {
            throw FsException.of(FsError.NOT_DIRECTORY);
        }
    }

    /**
     * Throws EXISTS if the name exists. Does nothing where calls are made as the caller. Elsewhere the server's own
     * check of the directory comes next, and would answer ACCESS first.
     */
    void requireAbsent(Caller caller, Fd directory, FileName name) throws FsException {
        if (authority.actsAsCaller()) {
            return;
        }
        Fd found;
        try {
            found = openName(caller, directory, name);
        } catch (FsException e) {
            if (e.error() != FsError.NO_ENTRY) {
                throw e;
            }
            return;
        }
        found.close();
        throw FsException.of(FsError.EXISTS);
    }

    /** Opens a name in a directory as O_PATH, as the caller. Throws if the caller may not search the directory. */
    Fd openName(Caller caller, Fd directory, FileName name) throws FsException {
        authority.require(caller, directory, Permission.EXECUTE);
        if (owners.hides(name)) {
            throw FsException.of(FsError.NO_ENTRY);
        }
        try {
            return authority.as(caller, () -> OpenCalls.openAt(directory, name.toBytes(), PATH_NO_FOLLOW));
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    /** Throws ACCESS if the server keeps the name for itself. */
    void requireFree(FileName name) throws FsException {
        if (owners.hides(name)) {
            throw FsException.of(FsError.ACCESS, "a name of the server's own");
        }
    }

    /** Handle and attributes of a file that was found by name; ACCESS if another file system is mounted there. */
    FileNode node(Fd file, FileHandle directory, FileName name) throws FsException {
        Statx statx = attributes.seen(file);
        requireSameMount(statx);
        return new FileNode(
                handles.of(file, statx, directory, name), attributes.convert(file, statx, FileAttribute.ALL));
    }

    /**
     * Throws ACCESS where something else is mounted: the tree ends there, since handles are valid on one file system
     * alone.
     */
    void requireSameMount(Statx statx) throws FsException {
        if (statx.mountId() != mountId) {
            throw FsException.of(FsError.ACCESS, "a mount point");
        }
    }

    /** Closes all parts. No operation may be in progress. */
    @Override
    public void close() {
        leases.close();
        locks.close();
        listings.close();
        files.close();
        handles.close();
        durability.close();
        rootFd.close();
    }
}
