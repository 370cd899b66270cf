package org.warpnfs.fs.memory;

import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.Ownership;
import org.warpnfs.fs.spi.Protection;
import org.warpnfs.fs.spi.Timestamp;

/**
 * The fields that all files have. {@link #lock} guards every field that changes, except the names in a directory, which
 * the tree's lock guards. A thread that takes both takes the tree's lock first, and never takes the locks of two inodes
 * at once.
 */
abstract sealed class Inode permits DirectoryInode, RegularInode, SymlinkInode, SpecialInode {
    final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    final FileHandle handle;
    final long fileSystemId;
    final long fileId;
    final Timestamp birthTime;
    private final ChangeClock clock;

    Ownership ownership;
    int linkCount = 1;
    // Readers set it under the read lock. The last one wins.
    volatile Timestamp accessTime;
    Timestamp modifyTime;
    Timestamp changeTime;
    long changeId;
    /** True once nothing refers to the inode. Its handle is stale then. */
    boolean gone;

    @Nullable
    TreeMap<byte[], byte[]> xattrs;

    Inode(Birth birth) {
        this.handle = birth.handle();
        this.fileSystemId = birth.fileSystemId();
        this.fileId = birth.fileId();
        this.clock = birth.clock();
        this.ownership = birth.ownership();
        this.birthTime = clock.now();
        this.accessTime = birthTime;
        this.modifyTime = birthTime;
        this.changeTime = birthTime;
        this.changeId = clock.nextChangeId();
    }

    abstract FileType type();

    abstract long sizeBytes();

    abstract long usedBytes();

    int deviceMajor() {
        return 0;
    }

    int deviceMinor() {
        return 0;
    }

    /** Notes that contents changed. */
    final void contentsChanged() {
        modifyTime = clock.now();
        changeTime = modifyTime;
        changeId = clock.nextChangeId();
    }

    /** Notes that attributes changed. */
    final void attributesChanged() {
        changeTime = clock.now();
        changeId = clock.nextChangeId();
    }

    /**
     * Notes a read. The access time is updated only if it would otherwise be older than the last change, as with
     * relatime.
     */
    final void wasRead() {
        if (accessTime.compareTo(modifyTime) <= 0 || accessTime.compareTo(changeTime) <= 0) {
            accessTime = clock.now();
        }
    }

    final FileAttributes attributes() {
        lock.readLock().lock();
        try {
            return attributesLocked();
        } finally {
            lock.readLock().unlock();
        }
    }

    /** The attributes; null while the file is being changed. */
    final @Nullable FileAttributes tryAttributes() {
        if (!lock.readLock().tryLock()) {
            return null;
        }
        try {
            return attributesLocked();
        } finally {
            lock.readLock().unlock();
        }
    }

    private FileAttributes attributesLocked() {
        return new FileAttributes(
                type(),
                ownership.permissions(),
                linkCount,
                ownership.uid(),
                ownership.gid(),
                sizeBytes(),
                usedBytes(),
                deviceMajor(),
                deviceMinor(),
                fileSystemId,
                fileId,
                accessTime,
                modifyTime,
                changeTime,
                birthTime,
                changeId);
    }

    final Protection protection() {
        return ownership().protection(type());
    }

    final Ownership ownership() {
        lock.readLock().lock();
        try {
            return ownership;
        } finally {
            lock.readLock().unlock();
        }
    }

    /** The initial values of an inode. */
    record Birth(FileHandle handle, long fileSystemId, long fileId, ChangeClock clock, Ownership ownership) {}

    /** The handle and attributes of the file. */
    FileNode node() {
        return new FileNode(handle, attributes());
    }
}
