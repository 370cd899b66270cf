package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.fs.spi.Timestamp;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * nfstime3 (RFC 1813, section 2.6): seconds since 1970 and nanoseconds, unsigned 32 bits each. A time before 1970 or
 * after 2106 cannot be represented, and becomes the nearest one that can.
 *
 * @param nanos as sent; a client may send more than a second has
 */
record NfsTime3(long seconds, long nanos) {
    static final int ENCODED_BYTES = 8;
    private static final long MAX_SECONDS = 0xffffffffL;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    static NfsTime3 of(Timestamp time) {
        return new NfsTime3(Math.clamp(time.seconds(), 0, MAX_SECONDS), time.nanos());
    }

    static NfsTime3 decode(XdrDecodingStream xdr) throws IOException {
        return new NfsTime3(BoundedXdr.uint32(xdr), BoundedXdr.uint32(xdr));
    }

    boolean isValid() {
        return nanos < NANOS_PER_SECOND;
    }

    /** Converts a time that {@link #isValid()}. */
    Timestamp toTimestamp() {
        return new Timestamp(seconds, (int) nanos);
    }

    void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeInt((int) seconds);
        xdr.xdrEncodeInt((int) nanos);
    }
}
