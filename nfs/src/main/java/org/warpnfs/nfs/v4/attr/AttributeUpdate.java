package org.warpnfs.nfs.v4.attr;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Timestamp;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.XdrReader;

/**
 * The fattr4 of a SETATTR, CREATE or OPEN.
 *
 * @param named the attributes that it sets
 */
public record AttributeUpdate(BitSet named, AttributeChanges changes) {
    /** Sets nothing. */
    public static final AttributeUpdate NONE = new AttributeUpdate(new BitSet(), AttributeChanges.NONE);

    private static final int MAX_OWNER_BYTES = 1024;
    private static final int MODE_MASK = 07777;
    private static final int NANOS_PER_SECOND = 1_000_000_000;
    private static final int SET_TO_CLIENT_TIME = 1;

    /**
     * Decodes.
     *
     * @throws Nfs4Exception ATTRNOTSUPP for an attribute that is not served, INVAL for one that cannot be set or a value that cannot be,
     *     BADOWNER for an owner that is no number, BADXDR where the values do not fill their length
     */
    public static AttributeUpdate decode(XdrReader in, int minorVersion) throws Nfs4Exception {
        BitSet named = Bitmap.decode(in);
        int length = in.count(Integer.MAX_VALUE);
        long before = in.consumedBytes();
        Attributes.requireSupported(named, minorVersion);
        Values values = new Values();
        for (int number = named.nextSetBit(0); number >= 0; number = named.nextSetBit(number + 1)) {
            Attribute attribute = Attribute.of(number, minorVersion);
            if (attribute == null || !attribute.isSettable()) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            values.decode(attribute, in);
        }
        if (in.consumedBytes() - before != length) {
            throw Nfs4Exception.of(Nfs4Status.BADXDR);
        }
        return new AttributeUpdate(named, values.toChanges());
    }

    private static final class Values {
        private @Nullable Integer permissions;
        private @Nullable Long uid;
        private @Nullable Long gid;
        private @Nullable Long sizeBytes;
        private @Nullable TimeChange accessTime;
        private @Nullable TimeChange modifyTime;

        void decode(Attribute attribute, XdrReader in) throws Nfs4Exception {
            switch (attribute) {
                case SIZE -> sizeBytes = size(in);
                case MODE -> permissions = mode(in);
                case OWNER -> uid = owner(in);
                case OWNER_GROUP -> gid = owner(in);
                case TIME_ACCESS_SET -> accessTime = time(in);
                case TIME_MODIFY_SET -> modifyTime = time(in);
                case MODE_UMASK -> {
                    // RFC 8275: without an inherited ACL the umask applies as it does on the client.
                    int mode = mode(in);
                    permissions = mode & ~in.int32();
                }
                default -> throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
        }

        AttributeChanges toChanges() {
            return new AttributeChanges(permissions, uid, gid, sizeBytes, accessTime, modifyTime);
        }

        private static int mode(XdrReader in) throws Nfs4Exception {
            int mode = in.int32();
            if ((mode & ~MODE_MASK) != 0) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            return mode;
        }

        private static long size(XdrReader in) throws Nfs4Exception {
            long size = in.int64();
            if (size < 0) {
                throw Nfs4Exception.of(Nfs4Status.FBIG);
            }
            return size;
        }

        private static TimeChange time(XdrReader in) throws Nfs4Exception {
            int how = in.int32();
            if (how == 0) {
                return new TimeChange.ToServerTime();
            }
            if (how != SET_TO_CLIENT_TIME) {
                throw Nfs4Exception.of(Nfs4Status.BADXDR);
            }
            long seconds = in.int64();
            long nanos = in.uint32();
            if (nanos >= NANOS_PER_SECOND) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            return new TimeChange.To(new Timestamp(seconds, (int) nanos));
        }

        /** Decimal digits, as Linux sends with AUTH_SYS; a name needs a mapping that only the client has. */
        private static long owner(XdrReader in) throws Nfs4Exception {
            String text = new String(in.opaque(MAX_OWNER_BYTES), StandardCharsets.ISO_8859_1);
            boolean digits =
                    !text.isEmpty() && text.length() <= 10 && text.chars().allMatch(c -> c >= '0' && c <= '9');
            long id = digits ? Long.parseLong(text) : -1;
            if (id < 0 || id >>> 32 != 0) {
                throw Nfs4Exception.of(Nfs4Status.BADOWNER);
            }
            return id;
        }
    }
}
