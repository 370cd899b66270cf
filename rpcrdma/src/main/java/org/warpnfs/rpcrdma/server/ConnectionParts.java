package org.warpnfs.rpcrdma.server;

import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.limits.Each;
import org.warpnfs.rpcrdma.credit.CreditLedger;

/** The parts of one connection, which exist once its queue pair has been created. For the owner thread. */
record ConnectionParts(
        QueuePair queuePair,
        CreditLedger credits,
        ReceiveBuffers receives,
        ReplySender sender,
        ExposedReplies exposed,
        CallLife calls,
        MessageReceiver messages,
        BackwardChannel backward) {
    /** The connection has ended. Drops what waits and gives back what was taken. */
    void close() {
        Each.inOrder(
                calls::stop,
                sender::close,
                backward::close,
                exposed::close,
                () -> calls.answerer().closed(),
                receives::close,
                calls::close);
    }
}
