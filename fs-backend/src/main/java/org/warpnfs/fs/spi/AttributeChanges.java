package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * Attributes to set; null leaves one as it is.
 *
 * @param permissions the low twelve bits of st_mode
 * @param uid new owner
 * @param gid new group
 * @param sizeBytes new length: cuts the contents, or extends them with zeroes
 * @param accessTime new time
 * @param modifyTime new time
 */
public record AttributeChanges(
        @Nullable Integer permissions,
        @Nullable Long uid,
        @Nullable Long gid,
        @Nullable Long sizeBytes,
        @Nullable TimeChange accessTime,
        @Nullable TimeChange modifyTime) {
    /** Changes nothing. */
    public static final AttributeChanges NONE = new AttributeChanges(null, null, null, null, null, null);

    /** Only permissions. */
    public static AttributeChanges ofPermissions(int permissions) {
        return new AttributeChanges(permissions, null, null, null, null, null);
    }

    /** Only the length. */
    public static AttributeChanges ofSize(long sizeBytes) {
        return new AttributeChanges(null, null, null, sizeBytes, null, null);
    }

    public boolean isEmpty() {
        return equals(NONE);
    }

    public AttributeChanges withSize(@Nullable Long newSizeBytes) {
        return new AttributeChanges(permissions, uid, gid, newSizeBytes, accessTime, modifyTime);
    }

    /** To what a time is set. The two differ in who may do it: POSIX utimensat with UTIME_NOW or with a time. */
    public sealed interface TimeChange {
        /** The clock of the backend. */
        record ToServerTime() implements TimeChange {}

        /** A time that the client chose. */
        record To(Timestamp time) implements TimeChange {}
    }
}
