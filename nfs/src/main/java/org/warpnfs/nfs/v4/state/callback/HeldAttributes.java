package org.warpnfs.nfs.v4.state.callback;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Timestamp;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * A file's attributes as the client with its write delegation has them: the fattr4 of CB_GETATTR4resok (RFC 8881,
 * section 20.1.2, RFC 9754, section 5).
 *
 * @param changeId the value that the client got with the delegation, or another one if it has changed the file since
 * @param sizeBytes not negative
 * @param accessTime time_deleg_access; null if the client was not asked or does not say
 * @param modifyTime time_deleg_modify; likewise
 */
public record HeldAttributes(
        long changeId,
        long sizeBytes,
        @Nullable Timestamp accessTime,
        @Nullable Timestamp modifyTime) {
    private static final int CHANGE = 3;
    private static final int SIZE = 4;
    private static final int TIME_DELEG_ACCESS = 84;
    private static final int TIME_DELEG_MODIFY = 85;
    private static final int NANOS_PER_SECOND = 1_000_000_000;

    /** The attributes that CB_GETATTR asks for. */
    public static BitSet asked(boolean withTimes) {
        return withTimes ? Bitmap.of(CHANGE, SIZE, TIME_DELEG_ACCESS, TIME_DELEG_MODIFY) : Bitmap.of(CHANGE, SIZE);
    }

    /**
     * Decodes an fattr4. Returns null if an attribute is missing, has an impossible value, or was not asked for.
     *
     * @throws Nfs4Exception BADXDR if it ends early
     */
    public static @Nullable HeldAttributes decode(CompoundReader in) throws Nfs4Exception {
        BitSet there = Bitmap.decode(in);
        in.int32();
        BitSet more = (BitSet) there.clone();
        more.andNot(asked(true));
        if (!there.get(CHANGE) || !there.get(SIZE) || !more.isEmpty()) {
            return null;
        }
        long change = in.int64();
        long size = in.int64();
        Timestamp access = null;
        Timestamp modify = null;
        if (there.get(TIME_DELEG_ACCESS)) {
            access = time(in);
        }
        if (there.get(TIME_DELEG_MODIFY)) {
            modify = time(in);
        }
        return size < 0 ? null : new HeldAttributes(change, size, access, modify);
    }

    private static @Nullable Timestamp time(CompoundReader in) throws Nfs4Exception {
        long seconds = in.int64();
        long nanos = in.uint32();
        return nanos < NANOS_PER_SECOND ? new Timestamp(seconds, (int) nanos) : null;
    }
}
