package org.warpnfs.nfs.xdr;

import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.payload.Source;

/**
 * Encodes the data items that RFC 8267 calls DDP-eligible: READ data and READLINK text. {@link #encode} is for these
 * alone, since a transport sends its argument by RDMA Write. {@link #encodeInline} is for data that have to stay in the
 * message, such as those of READ_PLUS.
 *
 * <h2>Buffers</h2>
 *
 * Takes ownership of the payload. The transport releases it; if the stream is not a transport's, it is released here.
 */
public final class PayloadXdr {
    /** Limit for a stream that does not support payloads. */
    private static final int MAX_COPIED_BYTES = 64 << 10;

    private PayloadXdr() {}

    /**
     * Encodes {@code payload} as variable-length opaque data that are not DDP-eligible. Takes ownership as
     * {@link #encode} does.
     */
    public static void encodeInline(XdrEncodingStream xdr, Payload payload) {
        if (xdr instanceof PayloadEncoder encoder) {
            encoder.xdrEncodeInlinePayload(payload);
        } else {
            copy(xdr, payload);
        }
    }

    /** The most data that should go through {@link #encodeInline} in one reply. */
    public static int maxInlineBytes(Object xdr) {
        return xdr instanceof PayloadEncoder encoder ? encoder.maxInlinePayloadBytes() : MAX_COPIED_BYTES;
    }

    /** The longest file range that the first payload of a reply may be; 0 if it must be in memory. */
    public static int maxRangeBytes(Object xdr) {
        return xdr instanceof PayloadEncoder encoder ? encoder.maxRangeBytes() : 0;
    }

    /** Encodes {@code payload} as variable-length opaque data. */
    public static void encode(XdrEncodingStream xdr, Source payload) {
        if (xdr instanceof PayloadEncoder encoder) {
            encoder.xdrEncodePayload(payload);
        } else {
            copy(xdr, payload);
        }
    }

    private static void copy(XdrEncodingStream xdr, Source payload) {
        try {
            xdr.xdrEncodeByteBuffer(payload.bytes());
        } finally {
            payload.release();
        }
    }
}
