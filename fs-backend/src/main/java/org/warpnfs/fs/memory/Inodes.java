package org.warpnfs.fs.memory;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Ownership;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Timestamp;

/**
 * All inodes of a tree: finds them by handle, creates them, counts their links and removes them.
 *
 * <p>A handle consists of this instance's random number and the inode's number, which is never given twice.
 */
final class Inodes {
    private static final int HANDLE_BYTES = 2 * Long.BYTES;

    private final ConcurrentMap<Long, Inode> byId = new ConcurrentHashMap<>();
    private final AtomicLong lastFileId = new AtomicLong();
    private final long instanceId = new SecureRandom().nextLong();
    /** Charge for an inode, without its names, lists and attributes. */
    private static final int INODE_BYTES = 512;

    private final Space heap;
    private final Space files;
    private final PageAllocator allocator;
    private final XattrOperations xattrs;
    private final AclOperations acls;
    private final ChangeClock clock;

    Inodes(
            PageAllocator allocator,
            Space heap,
            Space files,
            XattrOperations xattrs,
            AclOperations acls,
            InstantSource clock) {
        this.heap = heap;
        this.files = files;
        this.allocator = allocator;
        this.xattrs = xattrs;
        this.acls = acls;
        this.clock = new ChangeClock(clock);
    }

    long instanceId() {
        return instanceId;
    }

    Space files() {
        return files;
    }

    Inode get(FileHandle handle) throws FsException {
        if (handle.lengthBytes() != HANDLE_BYTES) {
            throw FsException.of(FsError.BAD_HANDLE);
        }
        ByteBuffer in = ByteBuffer.wrap(handle.toBytes());
        Inode inode = in.getLong() == instanceId ? byId.get(in.getLong()) : null;
        if (inode == null) {
            throw FsException.of(FsError.STALE);
        }
        return inode;
    }

    DirectoryInode directory(FileHandle handle) throws FsException {
        if (get(handle) instanceof DirectoryInode directory) {
            return directory;
        }
        throw FsException.of(FsError.NOT_DIRECTORY);
    }

    RegularInode requireRegular(Inode inode) throws FsException {
        PosixRules.requireRegular(inode.type());
        return (RegularInode) inode;
    }

    DirectoryInode newRoot(int permissions) {
        try {
            files.take(1);
        } catch (FsException e) {
            throw new IllegalArgumentException("no capacity for the root", e);
        }
        Ownership ownership = new Ownership(permissions, Caller.ROOT.uid(), Caller.ROOT.gid(), Acls.NONE);
        DirectoryInode root = new DirectoryInode(birth(ownership), null);
        byId.put(root.fileId, root);
        return root;
    }

    Inode newRegular(NewFile newFile) throws FsException {
        return register(newFile, new RegularInode(birth(newFile), allocator));
    }

    Inode newDirectory(NewFile newFile) throws FsException {
        return register(newFile, new DirectoryInode(birth(newFile), newFile.parent()));
    }

    Inode newSymlink(NewFile newFile, byte[] target) throws FsException {
        heap.take(target.length);
        try {
            return register(newFile, new SymlinkInode(birth(newFile), target));
        } catch (FsException e) {
            heap.giveBack(target.length);
            throw e;
        }
    }

    Inode newSpecial(NewFile newFile, int deviceMajor, int deviceMinor) throws FsException {
        return register(newFile, new SpecialInode(birth(newFile), newFile.type(), deviceMajor, deviceMinor));
    }

    private Inode.Birth birth(NewFile newFile) {
        Integer wanted = newFile.attributes().permissions();
        return birth(Ownership.ofNew(
                newFile.caller(), newFile.parent().ownership(), newFile.type(), wanted == null ? 0 : wanted));
    }

    private Inode.Birth birth(Ownership ownership) {
        long fileId = lastFileId.incrementAndGet();
        byte[] handle = ByteBuffer.allocate(HANDLE_BYTES)
                .putLong(instanceId)
                .putLong(fileId)
                .array();
        return new Inode.Birth(FileHandle.of(handle), instanceId, fileId, clock, ownership);
    }

    /** Sets the remaining attributes of a new inode and adds it to the tree. */
    private Inode register(NewFile newFile, Inode inode) throws FsException {
        AttributeChanges wanted = newFile.attributes();
        AttributeChanges rest = new AttributeChanges(
                null, wanted.uid(), wanted.gid(), wanted.sizeBytes(), wanted.accessTime(), wanted.modifyTime());
        PosixJudge.requireSettable(newFile.caller(), inode.protection(), rest);
        apply(newFile.caller(), inode, rest);
        files.take(1);
        try {
            heap.take(INODE_BYTES);
            try {
                acls.charge(inode);
            } catch (FsException e) {
                heap.giveBack(INODE_BYTES);
                throw e;
            }
        } catch (FsException e) {
            files.giveBack(1);
            throw e;
        }
        byId.put(inode.fileId, inode);
        return inode;
    }

    /**
     * Sets attributes that were checked before. The caller holds the inode's lock. The size is set first, since only
     * that can fail: then nothing is set.
     */
    void apply(Caller caller, Inode inode, AttributeChanges changes) throws FsException {
        if (changes.isEmpty()) {
            return;
        }
        Long sizeBytes = changes.sizeBytes();
        boolean isSizeSet = false;
        if (sizeBytes != null && inode instanceof RegularInode regular) {
            regular.contents.setSize(sizeBytes);
            isSizeSet = true;
        }
        inode.attributesChanged();
        inode.ownership = inode.ownership.after(caller, inode.type(), changes);
        if (isSizeSet) {
            inode.ownership = inode.ownership.afterWrite(caller);
            inode.contentsChanged();
        }
        inode.accessTime = time(changes.accessTime(), inode.accessTime);
        inode.modifyTime = time(changes.modifyTime(), inode.modifyTime);
        if (inode instanceof RegularInode regular && (changes.accessTime() != null || changes.modifyTime() != null)) {
            regular.createVerifier = null;
        }
    }

    private Timestamp time(@Nullable TimeChange change, Timestamp old) {
        return switch (change) {
            case null -> old;
            case TimeChange.ToServerTime now -> clock.now();
            case TimeChange.To to -> to.time();
        };
    }

    /**
     * Updates a directory after a change of its names. {@code subdirectories} is the change of the number of its
     * subdirectories.
     */
    static void change(DirectoryInode directory, int subdirectories) {
        directory.lock.writeLock().lock();
        try {
            directory.linkCount += subdirectories;
            directory.contentsChanged();
        } finally {
            directory.lock.writeLock().unlock();
        }
    }

    /** Changes the number of names. Removes the inode with its last name, unless it is open. */
    void changeLinks(Inode inode, int difference) {
        inode.lock.writeLock().lock();
        try {
            inode.linkCount += difference;
            inode.attributesChanged();
            releaseIfUnused(inode);
        } finally {
            inode.lock.writeLock().unlock();
        }
    }

    void closed(RegularInode inode) {
        inode.lock.writeLock().lock();
        try {
            inode.openCount.decrementAndGet();
            releaseIfUnused(inode);
        } finally {
            inode.lock.writeLock().unlock();
        }
    }

    private void releaseIfUnused(Inode inode) {
        if (inode.linkCount > 0
                || inode.gone
                || (inode instanceof RegularInode regular && regular.openCount.get() > 0)) {
            return;
        }
        inode.gone = true;
        byId.remove(inode.fileId);
        files.giveBack(1);
        heap.giveBack(INODE_BYTES);
        xattrs.release(inode);
        acls.release(inode);
        if (inode instanceof RegularInode regular) {
            regular.contents.release();
        } else if (inode instanceof SymlinkInode symlink) {
            heap.giveBack(symlink.target.length);
        }
    }

    void dropAll() {
        byId.clear();
        allocator.dropSpares();
    }

    /** Makes an inode of one type. */
    interface Maker {
        Inode make(NewFile newFile) throws FsException;
    }

    /** Changes attributes if the caller may, and returns the attributes after the change. */
    FileAttributes setAttributes(Caller caller, Inode inode, AttributeChanges changes) throws FsException {
        inode.lock.writeLock().lock();
        try {
            PosixJudge.requireSettable(caller, inode.protection(), changes);
            apply(caller, inode, changes);
            return inode.attributes();
        } finally {
            inode.lock.writeLock().unlock();
        }
    }
}
