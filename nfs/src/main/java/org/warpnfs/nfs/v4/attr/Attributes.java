package org.warpnfs.nfs.v4.attr;

import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * fattr4 (RFC 8881, section 3.3.7): a bitmap of the attributes, then their values in the order of their numbers as one
 * opaque.
 */
public final class Attributes {
    /** type. */
    private static final int TYPE = 1;

    /** change. */
    private static final int CHANGE = 3;

    /** size. */
    public static final int SIZE = 4;

    /** acl. */
    public static final int ACL = 12;

    /** rdattr_error: the reason why a directory entry has no other attributes. */
    public static final int RDATTR_ERROR = 11;

    /** fsid. */
    private static final int FSID = 8;

    /** fs_locations. */
    private static final int FS_LOCATIONS = 24;

    /** fileid. */
    private static final int FILEID = 20;

    /** files_avail, and after it files_free and files_total. */
    private static final int FILES_AVAIL = 21;

    private static final int FILES_TOTAL = 23;

    /** space_avail, and after it space_free and space_total. */
    private static final int SPACE_AVAIL = 42;

    private static final int SPACE_TOTAL = 44;

    /** dacl, and after it sacl. */
    private static final int DACL = 58;

    private static final int SACL = 59;

    /** mounted_on_fileid. */
    public static final int MOUNTED_ON_FILEID = 55;

    /** time_access: an exclusive create may have used it for its verifier. */
    public static final int TIME_ACCESS = 47;

    /** time_modify: likewise. */
    public static final int TIME_MODIFY = 53;

    private static final int TIME_DELEG_ACCESS = 84;
    private static final int TIME_DELEG_MODIFY = 85;
    /** fs_layout_types. */
    private static final int FS_LAYOUT_TYPES = 62;

    /** layout_types. */
    private static final int LAYOUT_TYPES = 64;

    private static final int SPACE_USED = 45;
    private static final int TIME_METADATA = 52;
    private static final int TIME_ACCESS_SET = 48;
    private static final int TIME_MODIFY_SET = 54;

    private static final BitSet OF_ABSENT = new BitSet();

    /** Attributes that need more calls of the backend than the one for the file's own attributes. */
    private static final BitSet OF_OTHERS = new BitSet();

    private static final List<Attribute> WITH_NEEDS = Arrays.stream(Attribute.values())
            .filter(attribute -> !attribute.needs().isEmpty())
            .toList();

    /** Attributes that change with the file's data. */
    private static final BitSet OF_DATA = new BitSet();

    static {
        OF_DATA.set(CHANGE);
        OF_DATA.set(SIZE);
        OF_DATA.set(SPACE_USED);
        OF_DATA.set(TIME_ACCESS);
        OF_DATA.set(TIME_METADATA);
        OF_DATA.set(TIME_MODIFY);
        OF_OTHERS.set(ACL);
        OF_OTHERS.set(FILES_AVAIL, FILES_TOTAL + 1);
        OF_OTHERS.set(SPACE_AVAIL, SPACE_TOTAL + 1);
        OF_OTHERS.set(MOUNTED_ON_FILEID);
        OF_OTHERS.set(DACL, SACL + 1);
        OF_ABSENT.set(FSID);
        OF_ABSENT.set(RDATTR_ERROR);
        OF_ABSENT.set(FS_LOCATIONS);
        OF_ABSENT.set(MOUNTED_ON_FILEID);
    }

    private Attributes() {}

    /** True if the file's own attributes are all that {@code asked} needs. */
    public static boolean needOnlyTheFile(BitSet asked) {
        return !asked.intersects(OF_OTHERS);
    }

    /** What is needed of the file's own attributes to encode {@code asked}, besides those that never change. */
    public static Set<FileAttribute> needed(BitSet asked) {
        EnumSet<FileAttribute> needed = EnumSet.noneOf(FileAttribute.class);
        for (Attribute attribute : WITH_NEEDS) {
            if (asked.get(attribute.number())) {
                needed.addAll(attribute.needs());
            }
        }
        return needed;
    }

    /** True if {@code asked} has an attribute that a change of the file's data changes. */
    public static boolean changeWithData(BitSet asked) {
        return asked.intersects(OF_DATA);
    }

    static BitSet supported(AttributeSource source) {
        return supported(source.minorVersion(), source.limits(), source.hasLayouts());
    }

    /**
     * The attributes in supported_attrs of an export.
     *
     * @param limits of its file system
     * @param hasLayouts clients get layouts of its files
     */
    public static BitSet supported(int minorVersion, FsLimits limits, boolean hasLayouts) {
        BitSet all = Attribute.allIn(minorVersion, limits);
        if (!hasLayouts) {
            all.clear(FS_LAYOUT_TYPES);
            all.clear(LAYOUT_TYPES);
        }
        return all;
    }

    /**
     * suppattr_exclcreat: all settable attributes except the times, which may hold the verifier until they are set
     * (section 18.16.3), and those of a delegation.
     */
    static BitSet settableAtExclusiveCreate(BitSet supported) {
        BitSet settable = (BitSet) supported.clone();
        for (Attribute attribute : Attribute.values()) {
            if (!attribute.isSettable()) {
                settable.clear(attribute.number());
            }
        }
        settable.clear(TIME_ACCESS_SET);
        settable.clear(TIME_MODIFY_SET);
        settable.clear(TIME_DELEG_ACCESS, TIME_DELEG_MODIFY + 1);
        return settable;
    }

    /** INVAL if {@code asked} names an attribute that can only be set. */
    public static void requireReadable(BitSet asked, int minorVersion) throws Nfs4Exception {
        for (int number = asked.nextSetBit(0); number >= 0; number = asked.nextSetBit(number + 1)) {
            Attribute attribute = Attribute.of(number, minorVersion);
            if (attribute != null && !attribute.isReadable()) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
        }
    }

    /** ATTRNOTSUPP if {@code asked} names an attribute that is not supported. */
    public static void requireSupported(BitSet asked, BitSet supported) throws Nfs4Exception {
        for (int number = asked.nextSetBit(0); number >= 0; number = asked.nextSetBit(number + 1)) {
            if (!supported.get(number)) {
                throw Nfs4Exception.of(Nfs4Status.ATTRNOTSUPP);
            }
        }
    }

    /** Encodes those of {@code asked} that are supported, as fattr4. */
    public static void encode(BitSet asked, AttributeSource source, CompoundWriter out) throws FsException {
        BitSet there = (BitSet) asked.clone();
        there.and(supported(source));
        Bitmap.encode(there, out);
        int lengthAt = out.position();
        out.int32(0);
        for (int number = there.nextSetBit(0); number >= 0; number = there.nextSetBit(number + 1)) {
            Attribute attribute = Attribute.of(number, source.minorVersion());
            if (attribute != null) {
                attribute.encode(source, out);
            }
        }
        out.patch(lengthAt, out.position() - lengthAt - Integer.BYTES);
    }

    /**
     * Encodes the attributes of the root of a file system that is elsewhere: fsid, its locations, what it is mounted
     * on, and the error that explains why there are no others (RFC 8881, section 11.4.1).
     *
     * @throws Nfs4Exception MOVED if others were asked for, but neither the locations nor the error
     */
    public static void encodeAbsent(BitSet asked, AttributeSource source, CompoundWriter out)
            throws Nfs4Exception, FsException {
        BitSet there = (BitSet) asked.clone();
        there.and(OF_ABSENT);
        boolean isMissing = !there.equals(asked);
        if (isMissing && !asked.get(RDATTR_ERROR) && !asked.get(FS_LOCATIONS)) {
            throw Nfs4Exception.of(Nfs4Status.MOVED);
        }
        Bitmap.encode(there, out);
        int lengthAt = out.position();
        out.int32(0);
        for (int number = there.nextSetBit(0); number >= 0; number = there.nextSetBit(number + 1)) {
            Attribute attribute = Attribute.of(number, source.minorVersion());
            if (number == RDATTR_ERROR) {
                out.int32((isMissing ? Nfs4Status.MOVED : Nfs4Status.OK).code());
            } else if (attribute != null) {
                attribute.encode(source, out);
            }
        }
        out.patch(lengthAt, out.position() - lengthAt - Integer.BYTES);
    }

    /** True if {@link #encodeKnown} can encode all of {@code asked}, even if the directory does not have the types. */
    public static boolean areKnownToDirectory(BitSet asked) {
        return asked.stream()
                .allMatch(number -> number == RDATTR_ERROR || number == FILEID || number == MOUNTED_ON_FILEID);
    }

    /**
     * Encodes those of {@code asked} that a directory knows of a file in it.
     *
     * @param error why there are no others, or OK if no others were asked for
     * @param type null if not known
     */
    public static void encodeKnown(
            BitSet asked, Nfs4Status error, @Nullable FileType type, long fileId, CompoundWriter out) {
        BitSet there = new BitSet();
        there.set(RDATTR_ERROR);
        there.set(FILEID);
        there.set(MOUNTED_ON_FILEID);
        there.set(TYPE, type != null);
        there.and(asked);
        Bitmap.encode(there, out);
        int lengthAt = out.position();
        out.int32(0);
        if (there.get(TYPE) && type != null) {
            out.int32(Attribute.typeOf(type));
        }
        if (there.get(RDATTR_ERROR)) {
            out.int32(error.code());
        }
        if (there.get(FILEID)) {
            out.int64(fileId);
        }
        if (there.get(MOUNTED_ON_FILEID)) {
            out.int64(fileId);
        }
        out.patch(lengthAt, out.position() - lengthAt - Integer.BYTES);
    }
}
