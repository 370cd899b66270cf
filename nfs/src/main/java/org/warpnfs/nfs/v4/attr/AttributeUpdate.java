package org.warpnfs.nfs.v4.attr;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.Timestamp;
import org.warpnfs.nfs.idmap.Accounts.Kind;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** The fattr4 of a SETATTR, CREATE or OPEN. */
public final class AttributeUpdate {
    /** Sets nothing. */
    public static final AttributeUpdate NONE =
            new AttributeUpdate(new BitSet(), AttributeChanges.NONE, AttributeChanges.NONE, null, null, null);

    private static final int MODE_MASK = 07777;
    private static final int NANOS_PER_SECOND = 1_000_000_000;
    private static final int SET_TO_CLIENT_TIME = 1;

    private final BitSet named;
    private final AttributeChanges changes;
    private final AttributeChanges changesWithoutUmask;
    private final @Nullable List<Nfs4Ace> acl;
    private final @Nullable Timestamp delegatedAccessTime;
    private final @Nullable Timestamp delegatedModifyTime;

    private AttributeUpdate(
            BitSet named,
            AttributeChanges changes,
            AttributeChanges changesWithoutUmask,
            @Nullable List<Nfs4Ace> acl,
            @Nullable Timestamp delegatedAccessTime,
            @Nullable Timestamp delegatedModifyTime) {
        this.named = named;
        this.changes = changes;
        this.changesWithoutUmask = changesWithoutUmask;
        this.acl = acl;
        this.delegatedAccessTime = delegatedAccessTime;
        this.delegatedModifyTime = delegatedModifyTime;
    }

    /** time_deleg_access, which only the client with a delegation may set; null if it is not to be set. */
    public @Nullable Timestamp delegatedAccessTime() {
        return delegatedAccessTime;
    }

    /** time_deleg_modify; likewise. */
    public @Nullable Timestamp delegatedModifyTime() {
        return delegatedModifyTime;
    }

    /** The numbers of time_deleg_access and time_deleg_modify, as far as they are to be set. */
    public BitSet delegatedTimes() {
        BitSet times = named();
        times.clear(0, Attribute.TIME_DELEG_ACCESS.number());
        times.clear(Attribute.OPEN_ARGUMENTS.number());
        return times;
    }

    /** The attributes to be set, without those whose values are ignored; a copy. */
    public BitSet named() {
        return (BitSet) named.clone();
    }

    /** The attributes to be set that are among {@code made} changes. */
    public BitSet named(AttributeChanges made) {
        BitSet set = named();
        set.clear(Attribute.ACL.number());
        set.andNot(delegatedTimes());
        clearUnless(made.sizeBytes(), set, Attribute.SIZE);
        clearUnless(made.permissions(), set, Attribute.MODE);
        clearUnless(made.uid(), set, Attribute.OWNER);
        clearUnless(made.gid(), set, Attribute.OWNER_GROUP);
        clearUnless(made.accessTime(), set, Attribute.TIME_ACCESS_SET);
        clearUnless(made.modifyTime(), set, Attribute.TIME_MODIFY_SET);
        return set;
    }

    private static void clearUnless(@Nullable Object made, BitSet set, Attribute attribute) {
        if (made == null) {
            set.clear(attribute.number());
        }
    }

    /** All changes except those of access control lists. */
    public AttributeChanges changes() {
        return changes;
    }

    /**
     * The changes for a new file in a directory with a default access control list, where the umask has no effect (RFC
     * 8275).
     */
    public AttributeChanges changesUnderDefaultAcl() {
        return changesWithoutUmask;
    }

    /**
     * The changes to the access control lists of a file of that type; null if there are none.
     *
     * @throws Nfs4Exception ATTRNOTSUPP for lists that POSIX cannot express
     */
    public @Nullable AclChanges aclChanges(FileType type) throws Nfs4Exception {
        if (acl == null) {
            return null;
        }
        if (type == FileType.SYMLINK) {
            throw Nfs4Exception.of(Nfs4Status.ATTRNOTSUPP);
        }
        return AclFromNfs4.map(acl, type == FileType.DIRECTORY);
    }

    /**
     * Decodes the attributes of a new file. Does the same as {@link #decode}, but the times that belong to a delegation
     * are INVAL, since nobody has one.
     */
    public static AttributeUpdate decodeOfNewFile(CompoundReader in, BitSet supported, OwnerNames owners)
            throws Nfs4Exception {
        AttributeUpdate update = decodeAny(in, supported, owners);
        if (update.delegatedAccessTime != null
                || update.delegatedModifyTime != null
                || (update.named.get(Attribute.MODE.number()) && update.named.get(Attribute.MODE_UMASK.number()))) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        return update;
    }

    /**
     * Decodes the attributes of an OPEN with EXCLUSIVE4_1. Does the same as {@link #decodeOfNewFile}, but attributes
     * that are not in suppattr_exclcreat are INVAL, since the verifier would overwrite them (RFC 8881, section
     * 18.16.3).
     */
    public static AttributeUpdate decodeOfExclusive(CompoundReader in, BitSet supported, OwnerNames owners)
            throws Nfs4Exception {
        AttributeUpdate update = decodeOfNewFile(in, supported, owners);
        BitSet others = update.named();
        others.andNot(Attributes.settableAtExclusiveCreate(supported));
        if (!others.isEmpty()) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        return update;
    }

    /**
     * Decodes the attributes of a SETATTR. A umask is for new files (RFC 8275, section 5), so it is INVAL.
     *
     * @param supported the attributes that the export supports
     * @param owners names of users and groups
     * @throws Nfs4Exception ATTRNOTSUPP for an attribute that is not supported, INVAL for one that cannot be set or for
     *     an invalid value, BADOWNER for an unknown owner, DELAY while a name service is looking the owner up, BADXDR
     *     if the values do not fill their length
     */
    public static AttributeUpdate decode(CompoundReader in, BitSet supported, OwnerNames owners) throws Nfs4Exception {
        AttributeUpdate update = decodeAny(in, supported, owners);
        if (update.named.get(Attribute.MODE_UMASK.number())) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        return update;
    }

    private static AttributeUpdate decodeAny(CompoundReader in, BitSet supported, OwnerNames owners)
            throws Nfs4Exception {
        BitSet named = Bitmap.decode(in);
        int length = in.count(Integer.MAX_VALUE);
        long before = in.consumedBytes();
        Attributes.requireSupported(named, supported);
        Values values = new Values(owners);
        for (int number = named.nextSetBit(0); number >= 0; number = named.nextSetBit(number + 1)) {
            Attribute attribute = Attribute.of(number);
            if (attribute == null || !attribute.isSettable()) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            values.decode(attribute, in);
        }
        if (in.consumedBytes() - before != length) {
            throw Nfs4Exception.of(Nfs4Status.BADXDR);
        }
        named.clear(Attribute.TIME_CREATE.number());
        return values.toUpdate(named);
    }

    private static final class Values {
        private final OwnerNames owners;
        private @Nullable Integer permissions;
        private @Nullable Long uid;
        private @Nullable Long gid;
        private @Nullable Long sizeBytes;
        private @Nullable TimeChange accessTime;
        private @Nullable TimeChange modifyTime;
        private @Nullable Timestamp delegatedAccessTime;
        private @Nullable Timestamp delegatedModifyTime;
        private @Nullable List<Nfs4Ace> acl;
        private int umask;

        Values(OwnerNames owners) {
            this.owners = owners;
        }

        void decode(Attribute attribute, CompoundReader in) throws Nfs4Exception {
            switch (attribute) {
                case SIZE -> sizeBytes = size(in);
                case ACL -> acl = Nfs4Acl.decode(in, owners);
                case MODE -> permissions = mode(in);
                case OWNER -> uid = owner(Kind.USER, in);
                case OWNER_GROUP -> gid = owner(Kind.GROUP, in);
                case TIME_ACCESS_SET -> accessTime = time(in);
                case TIME_MODIFY_SET -> modifyTime = time(in);
                case TIME_CREATE -> timestamp(in);
                case TIME_DELEG_ACCESS -> delegatedAccessTime = timestamp(in);
                case TIME_DELEG_MODIFY -> delegatedModifyTime = timestamp(in);
                case MODE_UMASK -> {
                    permissions = mode(in);
                    umask = in.int32();
                }
                default -> throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
        }

        AttributeUpdate toUpdate(BitSet named) {
            Integer cut = permissions == null ? null : (Integer) (permissions & ~umask);
            return new AttributeUpdate(
                    named,
                    withPermissions(cut),
                    withPermissions(permissions),
                    acl,
                    delegatedAccessTime,
                    delegatedModifyTime);
        }

        private AttributeChanges withPermissions(@Nullable Integer wanted) {
            return new AttributeChanges(wanted, uid, gid, sizeBytes, accessTime, modifyTime);
        }

        private static int mode(CompoundReader in) throws Nfs4Exception {
            int mode = in.int32();
            if ((mode & ~MODE_MASK) != 0) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            return mode;
        }

        private static long size(CompoundReader in) throws Nfs4Exception {
            long size = in.int64();
            if (size < 0) {
                throw Nfs4Exception.of(Nfs4Status.FBIG);
            }
            return size;
        }

        private static TimeChange time(CompoundReader in) throws Nfs4Exception {
            int how = in.int32();
            if (how == 0) {
                return new TimeChange.ToServerTime();
            }
            if (how != SET_TO_CLIENT_TIME) {
                throw Nfs4Exception.of(Nfs4Status.BADXDR);
            }
            return new TimeChange.To(timestamp(in));
        }

        private static Timestamp timestamp(CompoundReader in) throws Nfs4Exception {
            long seconds = in.int64();
            long nanos = in.uint32();
            if (nanos >= NANOS_PER_SECOND) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            return new Timestamp(seconds, (int) nanos);
        }

        private long owner(Kind kind, CompoundReader in) throws Nfs4Exception {
            byte[] name = OwnerName.decode(in);
            if (name.length == 0) {
                // The id means nobody, which is an invalid value rather than an unknown name.
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            return OwnerName.idOf(kind, name, owners);
        }
    }
}
