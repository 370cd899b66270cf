package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.warpnfs.iwarp.verbs.QueuePair;

/**
 * The receive buffers of one connection, by number. A buffer is with the queue pair, or holds a message that is still needed.
 * Owner thread only.
 */
final class ReceiveBuffers {
    private final int bufferBytes;
    private final List<ByteBuffer> buffers = new ArrayList<>();

    ReceiveBuffers(int bufferBytes) {
        this.bufferBytes = bufferBytes;
    }

    int count() {
        return buffers.size();
    }

    /** Makes more buffers and posts them. */
    void grow(QueuePair queuePair, int more) {
        ByteBuffer slab = ByteBuffer.allocateDirect(more * bufferBytes);
        for (int i = 0; i < more; i++) {
            buffers.add(slab.slice(i * bufferBytes, bufferBytes));
            post(queuePair, buffers.size() - 1);
        }
    }

    /** Posts a buffer whose message is no longer needed. */
    void post(QueuePair queuePair, int number) {
        queuePair.postReceive(number, buffers.get(number).clear());
    }
}
