package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.rdmap.RdmapStream;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.LimitReachedException;

/**
 * The receives posted to a queue pair, from their posting until a message has filled them or they come back.
 *
 * <h2>Operation</h2>
 *
 * Receives are posted here, or taken from a shared queue when a message begins, never both.
 *
 * <h2>Buffers</h2>
 *
 * Holds those of receives that no message has filled.
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

    /** What a Send of nothing fills that is an RTR: it takes no receive of the upper layer's. */
    private final PostedReceive rtrReceive = new PostedReceive(0, ByteBuffer.allocate(0));

    /** @param account closed by {@link #flush} */
    ReceiveQueue(RdmapStream rdmap, ReceiveAccount account, Upcalls upcalls) {
        this.rdmap = rdmap;
        this.account = account;
        this.upcalls = upcalls;
    }

    /** Takes receives from a shared queue, as far as there is room for their completions. */
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

    /** Whether its receives come from a shared queue, so that none can be posted here. */
    boolean isShared() {
        return shared;
    }

    /** Posts a receive, unless a limit is reached. */
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

    /** Takes a receive that no message will fill: it comes back at once. */
    void postFlushed(PostedReceive receive) {
        upcalls.reserve();
        upcalls.completed(receive.failed(CompletionStatus.FLUSHED));
    }

    /** The next message is an RTR: it fills a receive of its own. */
    void postRtr() {
        rdmap.receives().postFirst(rtrReceive);
    }

    boolean isRtr(UntaggedBuffer buffer) {
        return buffer == rtrReceive;
    }

    /** A message has taken a receive out of the queue. */
    static PostedReceive taken(UntaggedBuffer buffer) {
        PostedReceive receive = (PostedReceive) buffer;
        receive.uncount();
        return receive;
    }

    /** Gives the oldest receive back, if there is one. */
    void failOldest(CompletionStatus status) {
        PostedReceive oldest = poll();
        if (oldest != null) {
            upcalls.completed(oldest.failed(status));
        }
    }

    /** Gives all posted receives back, those first whose messages could not be delivered in order. */
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
