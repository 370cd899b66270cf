package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * Attributes to set. An attribute that is null stays as it is.
 *
 * @param permissions the low twelve bits of st_mode
 * @param uid new owner
 * @param gid new group
 * @param sizeBytes new length; a shorter length truncates the contents, a longer one extends them with zeroes
 * @param accessTime new time of last access
 * @param modifyTime new time of last change of the contents
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

    /** Sets the permissions alone. */
    public static AttributeChanges ofPermissions(int permissions) {
        return new AttributeChanges(permissions, null, null, null, null, null);
    }

    /** Sets the length alone. */
    public static AttributeChanges ofSize(long sizeBytes) {
        return new AttributeChanges(null, null, null, sizeBytes, null, null);
    }

    public boolean isEmpty() {
        return equals(NONE);
    }

    public AttributeChanges withSize(@Nullable Long newSizeBytes) {
        return new AttributeChanges(permissions, uid, gid, newSizeBytes, accessTime, modifyTime);
    }

    /**
     * New value of a time. The two forms need different rights, as utimensat(2) does for UTIME_NOW and for a given
     * time.
     */
    public sealed interface TimeChange {
        /** The present time, by the clock of the backend. */
        record ToServerTime() implements TimeChange {}

        /** A time that the client chose. */
        record To(Timestamp time) implements TimeChange {}
    }
}
