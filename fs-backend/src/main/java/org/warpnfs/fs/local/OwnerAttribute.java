package org.warpnfs.fs.local;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.IdentityCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Ownership;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.PosixAclXattr;
import org.warpnfs.fs.spi.PosixJudge;

/**
 * What a file is to clients and whose, in the extended attribute {@value #NAME} beside the file, where the server's
 * user owns every file on the host. Little endian:
 *
 * <pre>
 * bytes  field
 *  0- 3  version: 1
 *  4- 7  st_mode: type and permissions
 *  8-11  user
 * 12-15  group
 * 16-19  device number, major part; 0 if the file is no device
 * 20-23  device number, minor part
 * 24-27  length of the access list in bytes; 0 if there is none
 *  then  the access list, in the form of {@link PosixAclXattr}
 *  then  the default list of a directory, in this form too, up to the end
 * </pre>
 *
 * <p>On the host a directory is a directory and everything else a regular file: a symbolic link is a file that contains
 * its target, since Linux keeps no such attribute of other files. A file of the host without the attribute is to
 * clients what it is on the host.
 *
 * @param mode st_mode
 */
record OwnerAttribute(int mode, long uid, long gid, int deviceMajor, int deviceMinor, Acls acls) {
    /** Below {@link UserXattrs#RESERVED}, so no client sees or sets it. */
    static final String NAME = "user.warpnfs.owner";

    static final byte[] NAME_BYTES = NAME.getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int FIXED_BYTES = 28;
    private static final int OWNER_READS = 0400;
    private static final int WRITE_OF_OTHERS = 02;
    private static final int WRITE_OF_GROUP_AND_OTHERS = 022;
    /** Besides, what lets group and others write. */
    private static final int WHO_WRITES = OWNER_READS | WRITE_OF_GROUP_AND_OTHERS;

    /** The attribute of a new file. */
    static OwnerAttribute of(FileType type, Ownership ownership, int deviceMajor, int deviceMinor) {
        return new OwnerAttribute(
                AttributeReader.typeBits(type) | ownership.permissions(),
                ownership.uid(),
                ownership.gid(),
                deviceMajor,
                deviceMinor,
                ownership.acls());
    }

    /**
     * The attribute of a file, or what it would be if the file had one. Only files of the server's user have one:
     * whoever owns a file on the host, or may write to it, may set its attributes there.
     *
     * @param host of the file
     * @throws FsException IO if the attribute cannot be read or is damaged
     */
    static OwnerAttribute of(Fd file, Statx host) throws FsException {
        OwnerAttribute kept = isBelieved(host) ? read(file) : null;
        return kept != null
                ? kept
                : new OwnerAttribute(
                        host.mode(), host.uid(), host.gid(), host.deviceMajor(), host.deviceMinor(), Acls.NONE);
    }

    private static boolean isBelieved(Statx host) {
        return canHave(host) && isOwnersAlone(host);
    }

    /**
     * True for a directory of the host's superuser in which the server's group may write and others may not, as
     * Kubernetes makes the root of a volume (fsGroup).
     */
    static boolean isLent(Statx host) {
        return host.uid() == 0
                && IdentityCalls.effectiveUser() != 0
                && AttributeReader.type(host) == FileType.DIRECTORY
                && (host.mode() & WRITE_OF_OTHERS) == 0
                && host.gid() == IdentityCalls.effectiveGroup();
    }

    /**
     * True if nobody but its owner on the host can have set a file's attribute. A file that is being adopted has no
     * right to read. Attributes of sticky directories are their owner's alone (xattr(7)).
     */
    static boolean isOwnersAlone(Statx host) {
        if (AttributeReader.type(host) == FileType.DIRECTORY) {
            return (host.mode() & WRITE_OF_GROUP_AND_OTHERS) == 0
                    || (host.mode() & PosixJudge.STICKY) != 0
                    || isLent(host);
        }
        return (host.mode() & WHO_WRITES) == OWNER_READS;
    }

    /** True if the server may give such a file an attribute. */
    static boolean canHave(Statx host) {
        return host.uid() == IdentityCalls.effectiveUser() || isLent(host);
    }

    /** True if the file has the attribute. */
    static boolean isKept(Fd file) throws FsException {
        return read(file) != null;
    }

    /** The attribute, whoever owns the file; null if it has none. */
    static @Nullable OwnerAttribute read(Fd file) throws FsException {
        return read(file, NAME_BYTES);
    }

    /** As {@link #read(Fd)}, from another extended attribute. */
    static @Nullable OwnerAttribute read(Fd file, byte[] name) throws FsException {
        byte[] value;
        try {
            value = XattrCalls.get(file, name);
        } catch (ErrnoException e) {
            return switch (e.errno()) {
                case Errno.ENODATA, Errno.EOPNOTSUPP -> null;
                // Somebody on the host has made it unreadable. What it is to clients must not be guessed.
                case Errno.EACCES -> throw FsException.of(FsError.IO, "cannot read the extended attribute " + NAME);
                default -> throw Failure.of(e);
            };
        }
        return decode(value);
    }

    private static OwnerAttribute decode(byte[] value) throws FsException {
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        if (in.remaining() < FIXED_BYTES || in.getInt() != VERSION) {
            throw damaged();
        }
        int mode = in.getInt();
        long uid = Integer.toUnsignedLong(in.getInt());
        long gid = Integer.toUnsignedLong(in.getInt());
        int major = in.getInt();
        int minor = in.getInt();
        int accessBytes = in.getInt();
        if (accessBytes < 0 || accessBytes > in.remaining()) {
            throw damaged();
        }
        byte[] access = new byte[accessBytes];
        byte[] inherited = new byte[in.remaining() - accessBytes];
        in.get(access).get(inherited);
        return new OwnerAttribute(mode, uid, gid, major, minor, new Acls(list(access), list(inherited)));
    }

    private static @Nullable PosixAcl list(byte[] value) throws FsException {
        return value.length == 0 ? null : PosixAclXattr.decode(value);
    }

    private static FsException damaged() {
        return FsException.of(FsError.IO, "cannot decode the extended attribute " + NAME);
    }

    private byte[] encode() {
        byte[] access = bytes(acls.access());
        byte[] inherited = bytes(acls.inherited());
        return ByteBuffer.allocate(FIXED_BYTES + access.length + inherited.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(VERSION)
                .putInt(mode)
                .putInt((int) uid)
                .putInt((int) gid)
                .putInt(deviceMajor)
                .putInt(deviceMinor)
                .putInt(access.length)
                .put(access)
                .put(inherited)
                .array();
    }

    private static byte[] bytes(@Nullable PosixAcl list) {
        return list == null ? new byte[0] : PosixAclXattr.encode(list);
    }

    /** Keeps this beside the file. */
    void write(Fd file) throws ErrnoException {
        write(file, NAME_BYTES);
    }

    /** As {@link #write(Fd)}, in another extended attribute. */
    void write(Fd file, byte[] name) throws ErrnoException {
        XattrCalls.set(file, name, encode(), 0);
    }

    FileType type() {
        return AttributeReader.type(mode & Statx.TYPE_MASK);
    }

    Ownership ownership() {
        return new Ownership(mode & PosixJudge.PERMISSION_BITS, uid, gid, acls);
    }

    /** The same file with another ownership. */
    OwnerAttribute with(Ownership ownership) {
        return of(type(), ownership, deviceMajor, deviceMinor);
    }

    /** What statx(2) would say of the file if the host kept what is here. */
    Statx seen(Statx host) {
        return host.withOwner(mode, uid, gid, deviceMajor, deviceMinor);
    }
}
