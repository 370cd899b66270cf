package org.warpnfs.fs.ceph;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.ceph.libcephfs.XattrCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.XattrMode;

/** Extended attributes of the user namespace. They are read and written by whom the contents may be. */
final class UserXattrs {
    private static final byte[] PREFIX = "user.".getBytes(StandardCharsets.US_ASCII);
    /** XATTR_SIZE_MAX. All attributes of a file together have that limit too (mds_max_xattr_pairs_size). */
    private static final int MAX_VALUE_BYTES = 65_536;
    /** XATTR_NAME_MAX. */
    private static final int MAX_FULL_NAME_BYTES = 255;

    private UserXattrs() {}

    static List<byte[]> list(Node file) throws CephException {
        byte[] all = XattrCalls.list(file.mount(), file.inode(), UserPerm.SUPERUSER);
        List<byte[]> names = new ArrayList<>();
        int start = 0;
        for (int at = 0; at < all.length; at++) {
            if (all[at] == 0) {
                if (at - start > PREFIX.length
                        && Arrays.equals(all, start, start + PREFIX.length, PREFIX, 0, PREFIX.length)) {
                    names.add(Arrays.copyOfRange(all, start + PREFIX.length, at));
                }
                start = at + 1;
            }
        }
        return names;
    }

    static byte[] get(Caller caller, Node file, byte[] name) throws CephException, FsException {
        byte[] fullName = fullName(name);
        if (!canHave(file)) {
            throw FsException.of(FsError.NO_ATTRIBUTE);
        }
        PosixJudge.require(caller, file.protection(caller), Permission.READ);
        try (UserPerm identity = Identity.of(caller)) {
            return XattrCalls.get(file.mount(), file.inode(), fullName, identity);
        }
    }

    static void set(Caller caller, Node file, byte[] name, byte[] value, XattrMode mode)
            throws CephException, FsException {
        byte[] fullName = fullName(name);
        if (value.length > MAX_VALUE_BYTES) {
            throw FsException.of(FsError.ATTRIBUTE_TOO_BIG);
        }
        requireChangeable(caller, file);
        int flags =
                switch (mode) {
                    case EITHER -> 0;
                    case CREATE -> XattrCalls.XATTR_CREATE;
                    case REPLACE -> XattrCalls.XATTR_REPLACE;
                };
        try (UserPerm identity = Identity.of(caller)) {
            XattrCalls.set(file.mount(), file.inode(), fullName, value, flags, identity);
            file.settle();
        }
    }

    static void remove(Caller caller, Node file, byte[] name) throws CephException, FsException {
        byte[] fullName = fullName(name);
        requireChangeable(caller, file);
        try (UserPerm identity = Identity.of(caller)) {
            XattrCalls.remove(file.mount(), file.inode(), fullName, identity);
            file.settle();
        }
    }

    private static void requireChangeable(Caller caller, Node file) throws CephException, FsException {
        file.requireWritable();
        if (!canHave(file)) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
        PosixJudge.require(caller, file.protection(caller), Permission.WRITE);
        boolean isSticky = file.type() == FileType.DIRECTORY && (file.statx().mode() & PosixJudge.STICKY) != 0;
        if (isSticky && !caller.isSuperuser() && caller.uid() != file.statx().uid()) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
    }

    private static boolean canHave(Node file) {
        return file.type() == FileType.REGULAR || file.type() == FileType.DIRECTORY;
    }

    private static byte[] fullName(byte[] name) throws FsException {
        if (name.length == 0) {
            throw FsException.of(FsError.INVALID);
        }
        if (name.length > MAX_FULL_NAME_BYTES - PREFIX.length) {
            throw FsException.of(FsError.ATTRIBUTE_TOO_BIG);
        }
        byte[] fullName = Arrays.copyOf(PREFIX, PREFIX.length + name.length);
        for (int i = 0; i < name.length; i++) {
            if (name[i] == 0) {
                throw FsException.of(FsError.INVALID);
            }
            fullName[PREFIX.length + i] = name[i];
        }
        return fullName;
    }
}
