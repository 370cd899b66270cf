package org.warpnfs.rpcrdma.request;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Receives the result of one call, once. It is called on the requester's owner thread, so it passes work on and
 * returns. If the call cannot even be queued, it is called on the caller's thread.
 */
public interface ReplyHandler {
    /**
     * The reply.
     *
     * @param message the RPC message, without the data in Write chunks; valid until this method returns
     * @param written the data of each Write chunk: the caller's sinks, from position to the end of the written data;
     *     empty over a transport without chunks. {@link ReplyItems} finds an item in either place
     */
    void replied(XdrStream message, List<ByteBuffer> written);

    /** There will be no reply. The memory that was offered is not written to any more. */
    void failed(RequestException why);
}
