package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * sattr3 (RFC 1813, section 2.6): attributes to set.
 *
 * @param refusal the answer to values that XDR allows and a file cannot have, or null
 */
record Sattr3(AttributeChanges wanted, @Nullable Nfs3Status refusal) {
    private static final int PERMISSION_BITS = 07777;
    /** The id that chown(2) leaves unchanged. */
    private static final long NO_ID = 0xffffffffL;

    private static final int TIME_HOW_COUNT = 3;
    private static final int SET_TO_SERVER_TIME = 1;
    private static final int SET_TO_CLIENT_TIME = 2;

    static Sattr3 decode(XdrDecodingStream xdr) throws IOException {
        Integer permissions = BoundedXdr.bool(xdr) ? (Integer) (xdr.xdrDecodeInt() & PERMISSION_BITS) : null;
        Long uid = decodeId(xdr);
        Long gid = decodeId(xdr);
        Long sizeBytes = BoundedXdr.bool(xdr) ? (Long) xdr.xdrDecodeLong() : null;
        SetTime access = SetTime.decode(xdr);
        SetTime modify = SetTime.decode(xdr);
        if (!access.isValid() || !modify.isValid()) {
            return new Sattr3(AttributeChanges.NONE, Nfs3Status.INVAL);
        }
        if (sizeBytes != null && sizeBytes < 0) {
            return new Sattr3(AttributeChanges.NONE, Nfs3Status.FBIG);
        }
        return new Sattr3(
                new AttributeChanges(permissions, uid, gid, sizeBytes, access.toChange(), modify.toChange()), null);
    }

    private static @Nullable Long decodeId(XdrDecodingStream xdr) throws IOException {
        if (!BoundedXdr.bool(xdr)) {
            return null;
        }
        long id = BoundedXdr.uint32(xdr);
        return id == NO_ID ? null : (Long) id;
    }

    AttributeChanges changes() throws Nfs3Exception {
        if (refusal != null) {
            throw new Nfs3Exception(refusal);
        }
        return wanted;
    }

    /** Changes for a new file. If the client sends no permissions, it gets {@code permissions}. */
    AttributeChanges changesWithPermissionsOr(int permissions) throws Nfs3Exception {
        AttributeChanges changes = changes();
        return changes.permissions() != null
                ? changes
                : new AttributeChanges(
                        permissions,
                        changes.uid(),
                        changes.gid(),
                        changes.sizeBytes(),
                        changes.accessTime(),
                        changes.modifyTime());
    }

    /** set_atime, set_mtime. */
    private record SetTime(int how, NfsTime3 time) {
        private static final NfsTime3 NONE = new NfsTime3(0, 0);

        static SetTime decode(XdrDecodingStream xdr) throws IOException {
            int how = BoundedXdr.ordinal(xdr, TIME_HOW_COUNT);
            return new SetTime(how, how == SET_TO_CLIENT_TIME ? NfsTime3.decode(xdr) : NONE);
        }

        boolean isValid() {
            return time.isValid();
        }

        @Nullable
        TimeChange toChange() {
            return switch (how) {
                case SET_TO_CLIENT_TIME -> new TimeChange.To(time.toTimestamp());
                case SET_TO_SERVER_TIME -> new TimeChange.ToServerTime();
                default -> null;
            };
        }
    }
}
