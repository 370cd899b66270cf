package org.warpnfs.rpcrdma.oncrpc;

import java.nio.ByteBuffer;
import java.util.List;
import org.dcache.oncrpc4j.xdr.BadXdrOncRpcException;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ReplyItems;
import org.warpnfs.rpcrdma.request.RequestException;

/**
 * Decodes a reply. {@link #xdrDecodeByteBuffer()} returns the caller's own sink for data that came in a Write chunk,
 * and else a view of the message.
 */
final class ReplyXdr extends DecodingXdr {
    private final ReplyItems items;

    /** @param written see {@link org.warpnfs.rpcrdma.request.ReplyHandler#replied} */
    ReplyXdr(XdrStream stream, List<ByteBuffer> written) {
        super(stream);
        this.items = new ReplyItems(written);
    }

    @Override
    public ByteBuffer xdrDecodeByteBuffer() throws BadXdrOncRpcException {
        int countBytes = xdrDecodeInt();
        try {
            return items.take(stream(), countBytes);
        } catch (RequestException e) {
            throw badXdr();
        }
    }
}
