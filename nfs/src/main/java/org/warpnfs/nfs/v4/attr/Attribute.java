package org.warpnfs.nfs.v4.attr;

import com.google.errorprone.annotations.Immutable;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.Timestamp;
import org.warpnfs.nfs.idmap.Accounts.Kind;
import org.warpnfs.nfs.v4.layout.FlexFileLayout;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;

/**
 * The attributes that this server supports, by number, each with its encoder. Other attributes are not in
 * supported_attrs: GETATTR leaves them out, and SETATTR or VERIFY of them answers ATTRNOTSUPP.
 *
 * <p>Quotas, named attributes, audit lists and labels are not served. POSIX backends have no place for hidden, system,
 * archive, mimetype and time_backup.
 */
enum Attribute {
    SUPPORTED_ATTRS(0, (s, out) -> Bitmap.encode(Attributes.supported(s), out)),
    TYPE(1, (s, out) -> out.int32(typeOf(s.file().type()))),
    /** FH4_PERSISTENT: a handle is valid as long as its file exists; else FH4_VOLATILE_ANY. */
    FH_EXPIRE_TYPE(2, (s, out) -> out.int32(s.limits().has(Capability.PERSISTENT_HANDLES) ? 0 : 2)),
    CHANGE(3, (s, out) -> out.int64(s.file().changeId())),
    SIZE(4, Access.BOTH, 0, (s, out) -> out.int64(s.file().sizeBytes())),
    LINK_SUPPORT(5, (s, out) -> out.bool(s.limits().has(Capability.HARD_LINKS))),
    SYMLINK_SUPPORT(6, (s, out) -> out.bool(s.limits().has(Capability.SYMLINKS))),
    NAMED_ATTR(7, (s, out) -> out.bool(false)),
    FSID(8, (s, out) -> {
        out.int64(Integer.toUnsignedLong(s.exportKey()));
        out.int64(s.file().fileSystemId());
    }),
    UNIQUE_HANDLES(9, (s, out) -> out.bool(true)),
    LEASE_TIME(10, (s, out) -> out.int32(s.server().leaseSeconds())),
    RDATTR_ERROR(11, (s, out) -> out.int32(0)),
    ACL(12, Access.BOTH, 0, (s, out) -> {
        Nfs4Acl.encode(acl(s), s.server().owners(), out);
    }),
    /** ALLOW and DENY, where the file system has lists at all. */
    ACLSUPPORT(13, (s, out) -> out.int32(1 | 2)),
    CANSETTIME(15, (s, out) -> out.bool(s.limits().has(Capability.WRITE))),
    CASE_INSENSITIVE(16, (s, out) -> out.bool(s.limits().has(Capability.CASE_INSENSITIVE))),
    CASE_PRESERVING(17, (s, out) -> out.bool(!s.limits().has(Capability.CASE_FOLDING))),
    CHOWN_RESTRICTED(18, (s, out) -> out.bool(!s.limits().has(Capability.CHOWN_BY_OWNER))),
    FILEHANDLE(19, (s, out) -> out.opaque(s.handle())),
    FILEID(20, (s, out) -> out.int64(s.file().fileId())),
    FILES_AVAIL(21, (s, out) -> out.int64(s.statistics().availableFiles())),
    FILES_FREE(22, (s, out) -> out.int64(s.statistics().freeFiles())),
    FILES_TOTAL(23, (s, out) -> out.int64(s.statistics().totalFiles())),
    FS_LOCATIONS(24, (s, out) -> FsLocationsText.encode(s.export().path(), s.locations(), out)),
    HOMOGENEOUS(26, (s, out) -> out.bool(true)),
    MAXFILESIZE(27, (s, out) -> out.int64(s.limits().maxFileSizeBytes())),
    MAXLINK(28, (s, out) -> out.int32(s.limits().maxLinks())),
    MAXNAME(29, (s, out) -> out.int32(s.limits().maxNameBytes())),
    MAXREAD(30, (s, out) -> out.int64(s.server().maxReadBytes())),
    MAXWRITE(31, (s, out) -> out.int64(s.server().maxWriteBytes())),
    MODE(33, Access.BOTH, 0, (s, out) -> out.int32(s.file().permissions())),
    NO_TRUNC(34, (s, out) -> out.bool(true)),
    NUMLINKS(35, (s, out) -> out.int32(s.file().linkCount())),
    OWNER(
            36,
            Access.BOTH,
            0,
            (s, out) -> OwnerName.encode(Kind.USER, s.file().uid(), s.server().owners(), out)),
    OWNER_GROUP(
            37,
            Access.BOTH,
            0,
            (s, out) -> OwnerName.encode(Kind.GROUP, s.file().gid(), s.server().owners(), out)),
    RAWDEV(41, (s, out) -> {
        out.int32(s.file().deviceMajor());
        out.int32(s.file().deviceMinor());
    }),
    SPACE_AVAIL(42, (s, out) -> out.int64(s.statistics().availableBytes())),
    SPACE_FREE(43, (s, out) -> out.int64(s.statistics().freeBytes())),
    SPACE_TOTAL(44, (s, out) -> out.int64(s.statistics().totalBytes())),
    SPACE_USED(45, (s, out) -> out.int64(s.file().usedBytes())),
    TIME_ACCESS(47, (s, out) -> time(s.file().accessTime(), out)),
    TIME_ACCESS_SET(48, Access.SET, 0, (s, out) -> {}),
    /** No file system of this server can set it: the value is decoded and ignored. */
    TIME_CREATE(50, Access.BOTH, 0, (s, out) -> time(s.file().birthTime(), out)),
    TIME_DELTA(51, (s, out) -> time(step(s.limits().timeGranularityNanos()), out)),
    TIME_METADATA(52, (s, out) -> time(s.file().changeTime(), out)),
    TIME_MODIFY(53, (s, out) -> time(s.file().modifyTime(), out)),
    TIME_MODIFY_SET(54, Access.SET, 0, (s, out) -> {}),
    MOUNTED_ON_FILEID(55, (s, out) -> out.int64(s.mountedOnFileId())),
    /** The layout types of the file system: LAYOUT4_FLEX_FILES (RFC 8435) alone. */
    FS_LAYOUT_TYPES(62, Access.GET, 1, (s, out) -> layoutTypes(s, out)),
    /** Those of one file. */
    LAYOUT_TYPES(64, Access.GET, 1, (s, out) -> layoutTypes(s, out)),
    SUPPATTR_EXCLCREAT(
            75,
            Access.GET,
            1,
            (s, out) -> Bitmap.encode(Attributes.settableAtExclusiveCreate(Attributes.supported(s)), out)),
    CLONE_BLKSIZE(77, Access.GET, 2, (s, out) -> out.int32(s.limits().cloneBlockBytes())),
    /**
     * change_attr_type4 (RFC 7862, section 12.2.3): MONOTONIC_INCR or UNDEFINED. The types of version counters are not
     * used: such a counter goes up by one for each change, and no change id of this server does. Nor is TIME_METADATA,
     * which promises that numbers never go down: a clock may be set back.
     */
    CHANGE_ATTR_TYPE(
            79,
            Access.GET,
            2,
            (s, out) -> out.int32(
                    switch (s.limits().changeOrder()) {
                        case GROWS -> 0;
                        case NONE -> 4;
                    })),
    MODE_UMASK(81, Access.SET, 2, (s, out) -> {}),
    XATTR_SUPPORT(82, Access.GET, 2, (s, out) -> out.bool(s.limits().has(Capability.XATTRS))),
    /** Only the client with a write delegation of the file sets these two, in its own time (RFC 9754, section 5). */
    TIME_DELEG_ACCESS(84, Access.SET, 2, (s, out) -> {}),
    TIME_DELEG_MODIFY(85, Access.SET, 2, (s, out) -> {}),
    OPEN_ARGUMENTS(86, Access.GET, 2, (s, out) -> SupportedOpenArguments.encode(out));

    /** Whether an attribute can be read, set or both. */
    enum Access {
        GET,
        SET,
        BOTH
    }

    /** Writes the attribute's value. */
    @Immutable
    @FunctionalInterface
    interface Encoder {
        void encode(AttributeSource source, CompoundWriter out) throws FsException;
    }

    private static final int HIGHEST = 86;
    private static final int NANOS_PER_SECOND = 1_000_000_000;
    private static final @Nullable Attribute[] BY_NUMBER = new @Nullable Attribute[HIGHEST + 1];

    static {
        for (Attribute attribute : values()) {
            BY_NUMBER[attribute.number] = attribute;
        }
    }

    private final int number;
    private final Access access;
    private final int sinceMinorVersion;
    private final Encoder encoder;

    Attribute(int number, Encoder encoder) {
        this(number, Access.GET, 0, encoder);
    }

    Attribute(int number, Access access, int sinceMinorVersion, Encoder encoder) {
        this.number = number;
        this.access = access;
        this.sinceMinorVersion = sinceMinorVersion;
        this.encoder = encoder;
    }

    /** The attribute of that number, or null if the minor version or this server does not have it. */
    static @Nullable Attribute of(int number, int minorVersion) {
        Attribute attribute = of(number);
        return attribute != null && attribute.sinceMinorVersion <= minorVersion ? attribute : null;
    }

    /** The attribute of that number in any minor version, or null. */
    static @Nullable Attribute of(int number) {
        return number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    }

    int number() {
        return number;
    }

    /** What the encoder uses of the file's own attributes, besides those that never change. */
    Set<FileAttribute> needs() {
        return switch (this) {
            case CHANGE -> EnumSet.of(FileAttribute.CHANGE_ID);
            case SIZE -> EnumSet.of(FileAttribute.SIZE);
            // Permissions stand for a list that is not there.
            case ACL, MODE -> EnumSet.of(FileAttribute.PERMISSIONS);
            case NUMLINKS -> EnumSet.of(FileAttribute.LINK_COUNT);
            case OWNER -> EnumSet.of(FileAttribute.OWNER);
            case OWNER_GROUP -> EnumSet.of(FileAttribute.GROUP);
            case SPACE_USED -> EnumSet.of(FileAttribute.USED);
            case TIME_ACCESS -> EnumSet.of(FileAttribute.ACCESS_TIME);
            case TIME_CREATE -> EnumSet.of(FileAttribute.BIRTH_TIME);
            case TIME_METADATA -> EnumSet.of(FileAttribute.CHANGE_TIME);
            case TIME_MODIFY -> EnumSet.of(FileAttribute.MODIFY_TIME);
            default -> FileAttribute.NONE;
        };
    }

    boolean isReadable() {
        return access != Access.SET;
    }

    boolean isSettable() {
        return access != Access.GET;
    }

    boolean isServedBy(FsLimits limits) {
        return switch (this) {
            case ACL, ACLSUPPORT -> limits.has(Capability.ACLS);
            case FILES_AVAIL, FILES_FREE, FILES_TOTAL, SPACE_AVAIL, SPACE_FREE, SPACE_TOTAL ->
                limits.has(Capability.SPACE);
            default -> true;
        };
    }

    void encode(AttributeSource source, CompoundWriter out) throws FsException {
        encoder.encode(source, out);
    }

    /** The attributes of a minor version over a file system with these capabilities. */
    static BitSet allIn(int minorVersion, FsLimits limits) {
        BitSet all = new BitSet();
        for (Attribute attribute : values()) {
            if (attribute.sinceMinorVersion <= minorVersion && attribute.isServedBy(limits)) {
                all.set(attribute.number);
            }
        }
        return all;
    }

    /** The NFSv4 list that corresponds to a file's POSIX lists or, without these, to its mode. */
    static List<Nfs4Ace> acl(AttributeSource source) throws FsException {
        PosixAcl access = source.acls().access();
        return AclToNfs4.map(
                access != null ? access : PosixAcl.ofPermissions(source.file().permissions()),
                source.acls().inherited(),
                source.file().type() == FileType.DIRECTORY);
    }

    /** nfs_ftype4 (RFC 8881, section 5.8.1.2). */
    static int typeOf(FileType type) {
        return switch (type) {
            case REGULAR -> 1;
            case DIRECTORY -> 2;
            case BLOCK_DEVICE -> 3;
            case CHARACTER_DEVICE -> 4;
            case SYMLINK -> 5;
            case SOCKET -> 6;
            case FIFO -> 7;
        };
    }

    private static void layoutTypes(AttributeSource source, CompoundWriter out) {
        if (source.hasLayouts()) {
            out.int32(1);
            out.int32(FlexFileLayout.TYPE);
        } else {
            out.int32(0);
        }
    }

    private static Timestamp step(int nanos) {
        return new Timestamp(nanos / NANOS_PER_SECOND, nanos % NANOS_PER_SECOND);
    }

    private static void time(Timestamp time, CompoundWriter out) {
        out.int64(time.seconds());
        out.int32(time.nanos());
    }
}
