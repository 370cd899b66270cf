package org.warpnfs.fs.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.XattrMode;

/**
 * User extended attributes of an inode, by xattr(7). Only regular files and directories have them. They need the same
 * permissions to read and write as the contents.
 */
final class XattrOperations {
    /** XATTR_NAME_MAX less {@code user.}. */
    private static final int MAX_NAME_BYTES = 250;
    /** XATTR_SIZE_MAX. */
    private static final int MAX_VALUE_BYTES = 65_536;
    /** Approximate cost of an attribute besides its bytes. */
    private static final int ENTRY_BYTES = 96;

    private final Space heap;

    XattrOperations(Space heap) {
        this.heap = heap;
    }

    List<byte[]> list(Inode inode) {
        inode.lock.readLock().lock();
        try {
            List<byte[]> names = new ArrayList<>();
            if (inode.xattrs != null) {
                inode.xattrs.keySet().forEach(name -> names.add(name.clone()));
            }
            return names;
        } finally {
            inode.lock.readLock().unlock();
        }
    }

    byte[] get(Caller caller, Inode inode, byte[] name) throws FsException {
        byte[] key = checked(name);
        if (!canHave(inode)) {
            throw FsException.of(FsError.NO_ATTRIBUTE);
        }
        inode.lock.readLock().lock();
        try {
            PosixJudge.require(caller, inode.protection(), Permission.READ);
            byte[] value = inode.xattrs == null ? null : inode.xattrs.get(key);
            if (value == null) {
                throw FsException.of(FsError.NO_ATTRIBUTE);
            }
            return value.clone();
        } finally {
            inode.lock.readLock().unlock();
        }
    }

    void set(Caller caller, Inode inode, byte[] name, byte[] value, XattrMode mode) throws FsException {
        byte[] key = checked(name);
        if (value.length > MAX_VALUE_BYTES) {
            throw FsException.of(FsError.ATTRIBUTE_TOO_BIG);
        }
        inode.lock.writeLock().lock();
        try {
            requireChangeable(caller, inode);
            if (inode.gone) {
                throw FsException.of(FsError.STALE);
            }
            TreeMap<byte[], byte[]> xattrs =
                    inode.xattrs != null ? inode.xattrs : new TreeMap<>(Arrays::compareUnsigned);
            byte[] old = xattrs.get(key);
            if (old != null && mode == XattrMode.CREATE) {
                throw FsException.of(FsError.EXISTS);
            }
            if (old == null && mode == XattrMode.REPLACE) {
                throw FsException.of(FsError.NO_ATTRIBUTE);
            }
            heap.take(costBytes(key, value));
            if (old != null) {
                heap.giveBack(costBytes(key, old));
            }
            xattrs.put(key, value.clone());
            inode.xattrs = xattrs;
            inode.attributesChanged();
        } finally {
            inode.lock.writeLock().unlock();
        }
    }

    void remove(Caller caller, Inode inode, byte[] name) throws FsException {
        byte[] key = checked(name);
        inode.lock.writeLock().lock();
        try {
            requireChangeable(caller, inode);
            byte[] old = inode.xattrs == null ? null : inode.xattrs.remove(key);
            if (old == null) {
                throw FsException.of(FsError.NO_ATTRIBUTE);
            }
            heap.giveBack(costBytes(key, old));
            inode.attributesChanged();
        } finally {
            inode.lock.writeLock().unlock();
        }
    }

    /** Returns what the attributes of a removed inode were charged. */
    void release(Inode inode) {
        if (inode.xattrs != null) {
            inode.xattrs.forEach((name, value) -> heap.giveBack(costBytes(name, value)));
            inode.xattrs = null;
        }
    }

    private static long costBytes(byte[] name, byte[] value) {
        return (long) ENTRY_BYTES + name.length + value.length;
    }

    private static byte[] checked(byte[] name) throws FsException {
        if (name.length == 0) {
            throw FsException.of(FsError.INVALID);
        }
        if (name.length > MAX_NAME_BYTES) {
            throw FsException.of(FsError.ATTRIBUTE_TOO_BIG);
        }
        for (byte b : name) {
            if (b == 0) {
                throw FsException.of(FsError.INVALID);
            }
        }
        return name.clone();
    }

    private static boolean canHave(Inode inode) {
        return inode.type() == FileType.REGULAR || inode.type() == FileType.DIRECTORY;
    }

    private static void requireChangeable(Caller caller, Inode inode) throws FsException {
        if (!canHave(inode)) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
        if (inode.type() == FileType.DIRECTORY
                && (inode.ownership.permissions() & PosixJudge.STICKY) != 0
                && !caller.isSuperuser()
                && caller.uid() != inode.ownership.uid()) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
        PosixJudge.require(caller, inode.protection(), Permission.WRITE);
    }
}
