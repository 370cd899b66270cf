package org.warpnfs.rpcrdma.request;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A reply as it was received.
 *
 * @param message the RPC message, without the data in Write chunks but with the padding of RDMA_MSGP; a copy, or the
 *     caller's own Reply chunk
 * @param written the data of each Write chunk: the caller's sinks, from position to the end of the written data
 */
public record RequesterReply(ByteBuffer message, List<ByteBuffer> written) {
    public RequesterReply {
        written = List.copyOf(written);
    }
}
