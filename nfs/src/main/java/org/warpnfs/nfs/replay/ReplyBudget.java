package org.warpnfs.nfs.replay;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that all clients' replies of one kind may take together. When they are used up, the oldest replies of one
 * of the largest clients are dropped. Clients are ranked by powers of two of their bytes, so that such a client is
 * found at once, however many there are. Of n clients each keeps at least half of the n-th part: a client is never
 * chosen while another has more than twice its bytes.
 *
 * <h2>Operation</h2>
 *
 * Safe for any thread. The lock of the ranks is taken only when a client's rank changes, which is seldom, and once for
 * many replies that are dropped. It may be taken under a client's lock, and no other lock is taken under it.
 */
final class ReplyBudget {
    static final int UNRANKED = -1;

    /** Most replies that are dropped at once, so that not every call has to make room. */
    private static final int DROPPED_AT_ONCE = 64;

    private static final int RANKS = Long.SIZE;

    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final LongAdder dropped = new LongAdder();
    private final List<LinkedHashSet<KeptReplies>> ranks = IntStream.range(0, RANKS)
            .mapToObj(_ -> new LinkedHashSet<KeptReplies>())
            .toList();

    ReplyBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Bytes in use. */
    long bytes() {
        return bytes.get();
    }

    /** Number of replies that were dropped before they were old. */
    long dropped() {
        return dropped.sum();
    }

    /** Charges a change of a client's bytes. The caller holds the client's lock. */
    void charge(KeptReplies replies, long moreBytes) {
        bytes.addAndGet(moreBytes);
        int rank = rankOf(replies.bytes());
        if (rank != rankOf(replies.bytes() - moreBytes)) {
            rerank(replies, rank);
        }
    }

    private static int rankOf(long bytes) {
        return bytes == 0 ? UNRANKED : Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes);
    }

    private synchronized void rerank(KeptReplies replies, int rank) {
        if (replies.rank != UNRANKED) {
            ranks.get(replies.rank).remove(replies);
        }
        replies.rank = rank;
        if (rank != UNRANKED) {
            ranks.get(rank).add(replies);
        }
    }

    /** Makes room if the budget is exceeded. The caller must hold no client's lock. */
    void makeRoom() {
        while (bytes.get() > maxBytes) {
            KeptReplies largest = largest();
            if (largest == null) {
                return;
            }
            synchronized (largest.owner()) {
                for (int i = 0; i < DROPPED_AT_ONCE && !largest.isEmpty(); i++) {
                    largest.dropOldest();
                    dropped.increment();
                    if (bytes.get() <= maxBytes - maxBytes / DROPPED_AT_ONCE) {
                        break;
                    }
                }
            }
        }
    }

    private synchronized @Nullable KeptReplies largest() {
        for (int rank = RANKS - 1; rank >= 0; rank--) {
            if (!ranks.get(rank).isEmpty()) {
                return ranks.get(rank).getFirst();
            }
        }
        return null;
    }
}
