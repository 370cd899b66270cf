package org.warpnfs.rpcrdma.server;

import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.credit.CreditLedger;

/** What one connection is made of, from the making of its queue pair on. For the owner thread. */
record ConnectionParts(
        QueuePair queuePair,
        CreditLedger credits,
        ReceiveBuffers receives,
        MemoryQueue memory,
        ChunkPuller puller,
        RunQueue runs,
        ReplySender sender,
        CallAnswerer answerer,
        CallReceiver receiver,
        MessageReceiver messages,
        BackwardChannel backward,
        ExposedReplies exposed) {
    /** The connection has ended: what waits is dropped, and what was taken goes back. */
    void close() {
        memory.close();
        puller.close();
        runs.close();
        sender.close();
        backward.close();
        exposed.close();
        answerer.closed();
        receives.close();
    }
}
