package org.warpnfs.fs.local;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.XattrMode;

/** Extended attributes of the user namespace. */
final class UserXattrs {
    /** What the server keeps beside files begins with this. No client sees or sets it, however owners are kept. */
    static final String RESERVED = "user.warpnfs.";

    private static final byte[] RESERVED_BYTES = RESERVED.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PREFIX = "user.".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PROBE = "user.warpnfs.probe".getBytes(StandardCharsets.US_ASCII);
    /** XATTR_SIZE_MAX. */
    private static final int MAX_VALUE_BYTES = 65_536;
    /** XATTR_NAME_MAX. */
    private static final int MAX_FULL_NAME_BYTES = 255;

    private final TreeContext tree;

    UserXattrs(TreeContext tree) {
        this.tree = tree;
    }

    /** True if the file system supports these attributes. */
    static boolean areSupported(Fd root) {
        try {
            XattrCalls.get(root, PROBE);
            return true;
        } catch (ErrnoException e) {
            return e.errno() == Errno.ENODATA;
        }
    }

    List<byte[]> list(Caller caller, FileHandle handle) throws FsException {
        byte[] all;
        try (Fd file = tree.open(handle)) {
            all = tree.authority().as(caller, () -> XattrCalls.list(file));
        } catch (ErrnoException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return List.of();
            }
            throw Failure.of(e);
        }
        List<byte[]> names = new ArrayList<>();
        int start = 0;
        for (int at = 0; at < all.length; at++) {
            if (all[at] == 0) {
                byte[] fullName = Arrays.copyOfRange(all, start, at);
                if (fullName.length > PREFIX.length && startsWith(fullName, PREFIX) && !isReserved(fullName)) {
                    names.add(Arrays.copyOfRange(fullName, PREFIX.length, fullName.length));
                }
                start = at + 1;
            }
        }
        return names;
    }

    byte[] get(Caller caller, FileHandle handle, byte[] name) throws FsException {
        byte[] fullName = fullName(name);
        try (Fd file = tree.open(handle)) {
            if (!canHave(file) || isReserved(fullName)) {
                throw FsException.of(FsError.NO_ATTRIBUTE);
            }
            tree.authority().require(caller, file, Permission.READ);
            return tree.authority().as(caller, () -> XattrCalls.get(file, fullName));
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    void set(Caller caller, FileHandle handle, byte[] name, byte[] value, XattrMode mode) throws FsException {
        byte[] fullName = fullName(name);
        if (value.length > MAX_VALUE_BYTES) {
            throw FsException.of(FsError.ATTRIBUTE_TOO_BIG);
        }
        int flags =
                switch (mode) {
                    case EITHER -> 0;
                    case CREATE -> XattrCalls.XATTR_CREATE;
                    case REPLACE -> XattrCalls.XATTR_REPLACE;
                };
        change(caller, handle, fullName, file -> XattrCalls.set(file, fullName, value, flags));
    }

    void remove(Caller caller, FileHandle handle, byte[] name) throws FsException {
        byte[] fullName = fullName(name);
        change(caller, handle, fullName, file -> XattrCalls.remove(file, fullName));
    }

    private void change(Caller caller, FileHandle handle, byte[] fullName, Change change) throws FsException {
        try (Fd file = tree.open(handle);
                ChangeSync sync = tree.durability().ofAttributes(file)) {
            if (!canHave(file) || isReserved(fullName)) {
                throw FsException.of(FsError.NOT_PERMITTED);
            }
            tree.authority().require(caller, file, Permission.WRITE);
            requireOwnerIfSticky(caller, file);
            tree.authority().runAs(caller, () -> change.apply(file));
            tree.settle(sync, file);
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    private void requireOwnerIfSticky(Caller caller, Fd file) throws FsException {
        Statx statx = tree.attributes().seen(file);
        if (AttributeReader.type(statx) == FileType.DIRECTORY
                && (statx.mode() & PosixJudge.STICKY) != 0
                && !caller.isSuperuser()
                && caller.uid() != statx.uid()) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
    }

    private boolean canHave(Fd file) throws FsException {
        FileType type = AttributeReader.type(tree.attributes().seen(file));
        return type == FileType.REGULAR || type == FileType.DIRECTORY;
    }

    private static boolean isReserved(byte[] fullName) {
        return startsWith(fullName, RESERVED_BYTES);
    }

    private static boolean startsWith(byte[] name, byte[] prefix) {
        return name.length >= prefix.length && Arrays.equals(name, 0, prefix.length, prefix, 0, prefix.length);
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

    private interface Change {
        void apply(Fd file) throws ErrnoException;
    }
}
