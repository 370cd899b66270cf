package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.rdmap.RdmapStream;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.LimitReachedException;

/**
 * The receives posted to a queue pair, until a message has filled them or they are returned.
 *
 * <h2>Operation</h2>
 *
 * Receives are either posted here, or taken from a shared queue when a message begins. A queue never does both.
 *
 * <h2>Buffers</h2>
 *
 * Holds the buffers of receives that no message has filled.
 *
 * <h2>Errors</h2>
 *
 * A receive beyond a limit is refused with a {@link LimitReachedException}.
 */
final class ReceiveQueue {
    private final RdmapStream rdmap;
    private final ReceiveAccount account;
    private final Upcalls upcalls;
    private boolean shared;

    /** The receive for a zero-length Send that is an RTR. Such a Send takes no receive of the upper layer. */
    private final PostedReceive rtrReceive = new PostedReceive(0, ByteBuffer.allocate(0));

    /** @param account closed by {@link #flush} */
    ReceiveQueue(RdmapStream rdmap, ReceiveAccount account, Upcalls upcalls) {
        this.rdmap = rdmap;
        this.account = account;
        this.upcalls = upcalls;
    }

    /** Takes receives from a shared queue, as long as there is room for their completions. */
    void takeFrom(SharedReceives queue, SharedReceives.Share share) {
        shared = true;
        rdmap.receives().takeFrom(() -> {
            if (!upcalls.tryReserve()) {
                return null;
            }
            PostedReceive receive = queue.take(share);
            if (receive == null) {
                upcalls.cancel();
            }
            return receive;
        });
    }

    /** Whether the receives come from a shared queue, so that none can be posted here. */
    boolean isShared() {
        return shared;
    }

    /** Posts a receive. Throws if a limit is reached. */
    void post(PostedReceive receive) {
        upcalls.reserve();
        try {
            account.take(receive);
        } catch (LimitReachedException e) {
            upcalls.cancel();
            throw e;
        }
        rdmap.receives().post(receive);
    }

    /** Accepts a receive that no message will fill and returns it at once. */
    void postFlushed(PostedReceive receive) {
        upcalls.reserve();
        upcalls.completed(receive.failed(CompletionStatus.FLUSHED));
    }

    /** Prepares for an RTR as the next message, with a receive of its own. */
    void postRtr() {
        rdmap.receives().postFirst(rtrReceive);
    }

    boolean isRtr(UntaggedBuffer buffer) {
        return buffer == rtrReceive;
    }

    /** The receive that a message has taken out of the queue. */
    static PostedReceive taken(UntaggedBuffer buffer) {
        PostedReceive receive = (PostedReceive) buffer;
        receive.uncount();
        return receive;
    }

    /** Returns the oldest receive, if there is one. */
    void failOldest(CompletionStatus status) {
        PostedReceive oldest = poll();
        if (oldest != null) {
            upcalls.completed(oldest.failed(status));
        }
    }

    /** Returns all posted receives. Those whose messages could not be delivered in order come first. */
    void flush() {
        for (UntaggedBuffer buffer = rdmap.pollUndelivered(); buffer != null; buffer = rdmap.pollUndelivered()) {
            if (buffer instanceof PostedReceive) {
                upcalls.completed(taken(buffer).failed(CompletionStatus.FLUSHED));
            }
        }
        for (PostedReceive receive = poll(); receive != null; receive = poll()) {
            if (receive != rtrReceive) {
                upcalls.completed(receive.failed(CompletionStatus.FLUSHED));
            }
        }
        account.close();
    }

    private @Nullable PostedReceive poll() {
        UntaggedBuffer oldest = rdmap.receives().poll();
        return oldest == null ? null : taken(oldest);
    }
}
