package org.warpnfs.fs.local;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * An access control list as acl(5) has it, out of system.posix_acl_access (include/uapi/linux/posix_acl_xattr.h), in little
 * endian: u32 version 2, then entries of u16 tag, u16 permissions, u32 id.
 */
final class PosixAcl {
    private static final byte[] ACCESS = "system.posix_acl_access".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DEFAULT = "system.posix_acl_default".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 2;
    private static final int ENTRY_BYTES = 8;
    private static final int USER = 0x02;
    private static final int GROUP_OBJ = 0x04;
    private static final int GROUP = 0x08;
    private static final int MASK = 0x10;
    private static final int OTHER = 0x20;
    private static final int ALL = 7;

    private final List<Entry> entries;

    private PosixAcl(List<Entry> entries) {
        this.entries = entries;
    }

    /** The file's list, or null if it has none beside its permissions. */
    static @Nullable PosixAcl of(Fd file) throws FsException {
        byte[] value = get(file, ACCESS);
        if (value == null) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        if (in.remaining() < Integer.BYTES || in.getInt() != VERSION || in.remaining() % ENTRY_BYTES != 0) {
            throw FsException.of(FsError.ACCESS, "an access control list of an unknown kind");
        }
        List<Entry> entries = new ArrayList<>();
        while (in.hasRemaining()) {
            entries.add(new Entry(in.getShort() & 0xffff, in.getShort() & ALL, Integer.toUnsignedLong(in.getInt())));
        }
        return new PosixAcl(entries);
    }

    /** True if new files in the directory take their permissions from a default list. */
    static boolean hasDefault(Fd directory) throws FsException {
        return get(directory, DEFAULT) != null;
    }

    private static byte @Nullable [] get(Fd file, byte[] name) throws FsException {
        try {
            return XattrCalls.get(file, name);
        } catch (ErrnoException e) {
            return switch (e.errno()) {
                case Errno.ENODATA, Errno.EOPNOTSUPP -> null;
                default -> throw Failure.of(e);
            };
        }
    }

    /** {@code plain} with what this caller, who is not the owner, may, in the place of both group and others. */
    FileAttributes applied(Caller caller, FileAttributes plain) {
        int granted = granted(caller, plain.gid());
        int permissions = (plain.permissions() & ~077) | granted << 3 | granted;
        return new FileAttributes(
                plain.type(),
                permissions,
                plain.linkCount(),
                plain.uid(),
                plain.gid(),
                plain.sizeBytes(),
                plain.usedBytes(),
                plain.deviceMajor(),
                plain.deviceMinor(),
                plain.fileSystemId(),
                plain.fileId(),
                plain.accessTime(),
                plain.modifyTime(),
                plain.changeTime(),
                plain.birthTime(),
                plain.changeId());
    }

    /** The user's own entry decides; else the groups', all together; else what is for others. */
    private int granted(Caller caller, long owningGroup) {
        int mask = ALL;
        int groups = 0;
        int other = 0;
        boolean inGroup = false;
        Entry own = null;
        for (Entry entry : entries) {
            switch (entry.tag()) {
                case USER -> own = entry.id() == caller.uid() ? entry : own;
                case GROUP_OBJ, GROUP -> {
                    if (caller.isMemberOf(entry.tag() == GROUP ? entry.id() : owningGroup)) {
                        inGroup = true;
                        groups |= entry.permissions();
                    }
                }
                case MASK -> mask = entry.permissions();
                case OTHER -> other = entry.permissions();
                default -> {}
            }
        }
        if (own != null) {
            return own.permissions() & mask;
        }
        return inGroup ? groups & mask : other;
    }

    private record Entry(int tag, int permissions, long id) {}
}
