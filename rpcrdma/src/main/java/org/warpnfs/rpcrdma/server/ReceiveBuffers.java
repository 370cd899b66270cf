package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.limits.ClientAddress;

/**
 * The receive buffers of one connection, by number. A buffer is either posted to the queue pair, or holds a message
 * that is still needed. After the connection has ended, each buffer returns to its slab as soon as its message is no
 * longer needed. For the owner thread only.
 */
final class ReceiveBuffers {
    private final QueuePair queuePair;
    private final ReceiveSlabs slabs;
    private final ClientAddress client;
    private final List<ByteBuffer> buffers = new ArrayList<>();

    /** The numbers of buffers that hold a message. */
    private final BitSet filled = new BitSet();

    private boolean closed;

    /** @param first buffers of the slabs, which this constructor posts */
    ReceiveBuffers(QueuePair queuePair, ReceiveSlabs slabs, ClientAddress client, List<ByteBuffer> first) {
        this.queuePair = queuePair;
        this.slabs = slabs;
        this.client = client;
        buffers.addAll(first);
        for (int number = 0; number < first.size(); number++) {
            queuePair.postReceive(number, first.get(number).clear());
        }
    }

    /**
     * Takes more buffers and posts them.
     *
     * @return how many were posted, up to {@code wanted}
     */
    int grow(int wanted) {
        List<ByteBuffer> taken = slabs.takeMore(client, wanted);
        for (int i = 0; i < taken.size(); i++) {
            try {
                queuePair.postReceive(buffers.size(), taken.get(i).clear());
            } catch (LimitReachedException e) {
                // The transport's own limit is reached.
                taken.subList(i, taken.size()).forEach(buffer -> slabs.give(client, buffer));
                return i;
            }
            buffers.add(taken.get(i));
        }
        return taken.size();
    }

    /** A message has arrived in a buffer. */
    void filled(int number) {
        filled.set(number);
    }

    /** The message in a buffer is no longer needed. */
    void post(int number) {
        filled.clear(number);
        if (closed) {
            slabs.give(client, buffers.get(number));
        } else if (queuePair.connected()) {
            queuePair.postReceive(number, buffers.get(number).clear());
        }
    }

    /** The connection has ended, and its receives have completed. */
    void close() {
        closed = true;
        for (int number = 0; number < buffers.size(); number++) {
            if (!filled.get(number)) {
                slabs.give(client, buffers.get(number));
            }
        }
    }
}
