package org.warpnfs.nfs.v4.layout;

import com.google.common.math.LongMath;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * What a client says it has done at a data server: two io_info4 (RFC 7862, section 15.7.1).
 *
 * @param reads READs
 * @param readBytes bytes of them
 * @param writes WRITEs
 * @param writtenBytes bytes of them
 */
public record DeviceUse(long reads, long readBytes, long writes, long writtenBytes) {
    public static final DeviceUse NONE = new DeviceUse(0, 0, 0, 0);

    /** The most that a client may claim of each in one report. */
    static final long MOST = 1L << 50;

    /** Decodes what was read and what was written: a count and bytes of each. */
    public static DeviceUse decode(CompoundReader in) throws Nfs4Exception {
        return new DeviceUse(bounded(in.int64()), bounded(in.int64()), bounded(in.int64()), bounded(in.int64()));
    }

    /** The sum, which stays at the largest number rather than wraps. */
    DeviceUse plus(DeviceUse more) {
        return new DeviceUse(
                LongMath.saturatedAdd(reads, more.reads),
                LongMath.saturatedAdd(readBytes, more.readBytes),
                LongMath.saturatedAdd(writes, more.writes),
                LongMath.saturatedAdd(writtenBytes, more.writtenBytes));
    }

    /** What has come since an earlier report. A number that is lower now was begun anew, and counts as a whole. */
    DeviceUse since(DeviceUse earlier) {
        return new DeviceUse(
                grown(reads, earlier.reads),
                grown(readBytes, earlier.readBytes),
                grown(writes, earlier.writes),
                grown(writtenBytes, earlier.writtenBytes));
    }

    private static long grown(long now, long earlier) {
        return now < earlier ? now : now - earlier;
    }

    private static long bounded(long number) {
        return number < 0 || number > MOST ? MOST : number;
    }
}
