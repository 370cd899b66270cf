package org.warpnfs.rpcrdma.server;

import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * The steps of a call that the parts of a connection report, in the order in which they happen.
 *
 * <pre>
 *   step        told by             what has happened
 *   sinkGiven   {@link MemoryQueue}   there is memory for the data of its Read chunks
 *   pulled      {@link ChunkPuller}   the last byte of these data has been placed
 *   run         {@link RunQueue}      it may run beside the other calls of the connection
 *   ended       {@link EndedCalls}    the program is done with it
 * </pre>
 *
 * A call without Read chunks begins with the third step. Called on the owner thread.
 */
interface CallSteps {
    /** The call has its sink. */
    void sinkGiven(RdmaCall call);

    /** All data of the call's Read chunks have been placed. */
    void pulled(RdmaCall call);

    /** The call may run and is passed up. */
    void run(RdmaCall call);

    /**
     * A call that ran has ended.
     *
     * @param reply null if the call is dropped
     */
    void ended(RdmaCall call, @Nullable RpcMessage reply);

    /** All calls that ended at the same time have been reported. */
    void allEnded();
}
