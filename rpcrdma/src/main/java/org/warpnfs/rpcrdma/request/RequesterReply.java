package org.warpnfs.rpcrdma.request;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A reply as it came.
 *
 * @param message the RPC message, without what went to Write chunks; a copy, or the caller's own Reply chunk
 * @param written what went to each Write chunk: the caller's sinks, from position to the end of what was written
 */
public record RequesterReply(ByteBuffer message, List<ByteBuffer> written) {
    public RequesterReply {
        written = List.copyOf(written);
    }
}
