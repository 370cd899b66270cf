package org.warpnfs.rpcrdma.server;

import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * What the parts of a connection tell of its calls, in the order in which it happens to one.
 *
 * <pre>
 *   step        told by             what has happened
 *   sinkGiven   {@link MemoryQueue}   there is memory for the data of its Read chunks
 *   pulled      {@link ChunkPuller}   the last byte of these data has been placed
 *   run         {@link RunQueue}      it may run beside the other calls of the connection
 *   ended       {@link EndedCalls}    the program is done with it
 * </pre>
 *
 * A call without Read chunks begins with the third step. On the owner thread.
 */
interface CallSteps {
    /** The call has its sink. */
    void sinkGiven(RdmaCall call);

    /** The call's last byte is here. */
    void pulled(RdmaCall call);

    /** The call may run: it is handed up. */
    void run(RdmaCall call);

    /**
     * A call that ran has ended.
     *
     * @param reply null if it gets none
     */
    void ended(RdmaCall call, @Nullable RpcMessage reply);

    /** All calls that had ended at the same time have been told of. */
    void allEnded();
}
