package org.warpnfs.rpcrdma.request;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Hears what became of one call, once. Called on the requester's owner thread, or by a call that cannot even be queued
 * on the caller's: hands work on and returns.
 */
public interface ReplyHandler {
    /**
     * The reply.
     *
     * @param message the RPC message, without what went to Write chunks; valid until this method returns
     * @param written what went to each Write chunk: the caller's sinks, from position to the end of what was written;
     *     empty over a transport that has no chunks. {@link ReplyItems} takes an item from wherever it is
     */
    void replied(XdrStream message, List<ByteBuffer> written);

    /** There will be no reply, and nothing that was offered is written to any more. */
    void failed(RequestException why);
}
