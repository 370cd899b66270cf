package org.warpnfs.rpcrdma.server;

import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.credit.CreditLedger;

/** What one connection is made of, from the making of its queue pair on. For the owner thread. */
record ConnectionParts(
        QueuePair queuePair,
        CreditLedger credits,
        ReceiveBuffers receives,
        ReplySender sender,
        ExposedReplies exposed,
        CallLife calls,
        MessageReceiver messages,
        BackwardChannel backward) {
    /** The connection has ended: what waits is dropped, and what was taken goes back. */
    void close() {
        calls.stop();
        sender.close();
        backward.close();
        exposed.close();
        calls.answerer().closed();
        receives.close();
        calls.close();
    }
}
