package org.warpnfs.nfs.xdr;

import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;

/**
 * The one door through which the data items leave that RFC 8267 calls DDP-eligible: READ data and READLINK text. Nothing
 * else may go through it, since a transport moves what comes here by RDMA Write.
 *
 * <h2>Buffers</h2>
 *
 * Takes ownership of the payload: it is released by the transport, or here where the transport has no use for it.
 */
public final class PayloadXdr {
    private PayloadXdr() {}

    /** Encodes {@code payload} as variable-length opaque data. */
    public static void encode(XdrEncodingStream xdr, Payload payload) {
        if (xdr instanceof PayloadEncoder encoder) {
            encoder.xdrEncodePayload(payload);
            return;
        }
        try {
            xdr.xdrEncodeByteBuffer(payload.buffer());
        } finally {
            payload.release();
        }
    }
}
