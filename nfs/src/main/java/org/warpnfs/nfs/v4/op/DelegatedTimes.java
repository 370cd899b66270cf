package org.warpnfs.nfs.v4.op;

import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.Timestamp;

/**
 * Times of a file that the client with its write delegation has kept (RFC 9754, section 5). They lie between the times
 * that the file had when the delegation was granted and now: a client cannot set back a file's times, nor put them into
 * the future.
 */
final class DelegatedTimes {
    private DelegatedTimes() {}

    /**
     * The changes that set them.
     *
     * @param access null if the client says nothing, and likewise {@code modify}
     * @param granted the file's attributes when the delegation was granted; null if not known, and the times are then
     *     only kept from the future
     */
    static AttributeChanges of(
            @Nullable Timestamp access, @Nullable Timestamp modify, @Nullable FileAttributes granted) {
        Timestamp now = Timestamp.of(Clock.systemUTC().instant());
        return new AttributeChanges(
                null,
                null,
                null,
                null,
                bounded(access, granted == null ? null : granted.accessTime(), now),
                bounded(modify, granted == null ? null : granted.modifyTime(), now));
    }

    private static @Nullable TimeChange bounded(
            @Nullable Timestamp time, @Nullable Timestamp earliest, Timestamp latest) {
        if (time == null || (earliest != null && time.compareTo(earliest) <= 0)) {
            return null;
        }
        return new TimeChange.To(time.compareTo(latest) > 0 ? latest : time);
    }
}
