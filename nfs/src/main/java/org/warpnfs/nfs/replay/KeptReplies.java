package org.warpnfs.nfs.replay;

import java.time.Duration;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One client's replies to calls of one kind, the oldest first. Their bytes are charged to a {@link ReplyBudget}.
 *
 * <p>Guarded by its {@link ClientReplies}. Any thread may read the number of bytes.
 */
final class KeptReplies {
    static final long MAX_AGE_NANOS = Duration.ofMinutes(2).toNanos();

    /** Measured: what a client takes that keeps a reply, with its places in the maps of clients and of the budget. */
    private static final int CLIENT_BYTES = 640;

    private record Kept(EncodedReply reply, long atNanos, int keyBytes) {
        long bytes() {
            return keyBytes + (long) reply.heapBytes();
        }

        boolean isOld(long nowNanos) {
            return nowNanos - atNanos > MAX_AGE_NANOS;
        }
    }

    private final ReplyBudget budget;
    private final ClientReplies owner;
    private final LinkedHashMap<CallKey, Kept> replies = new LinkedHashMap<>();
    private volatile long bytes;
    /** The rank in the budget, which guards this field. */
    int rank = ReplyBudget.UNRANKED;

    KeptReplies(ReplyBudget budget, ClientReplies owner) {
        this.budget = budget;
        this.owner = owner;
    }

    ClientReplies owner() {
        return owner;
    }

    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return replies.isEmpty();
    }

    /** The reply to an earlier call, or null if it is not kept or no longer kept. */
    @Nullable
    EncodedReply find(CallKey key, long nowNanos) {
        Kept kept = replies.get(key);
        return kept == null || kept.isOld(nowNanos) ? null : kept.reply();
    }

    void keep(CallKey key, EncodedReply reply, long nowNanos) {
        Kept kept = new Kept(reply, nowNanos, key.heapBytes());
        // Removed first, since an entry that replaces another would keep the old one's place in the order.
        Kept before = replies.remove(key);
        int clientBytes = before == null && replies.isEmpty() ? CLIENT_BYTES : 0;
        replies.put(key, kept);
        account(clientBytes + kept.bytes() - (before == null ? 0 : before.bytes()));
        dropOld(nowNanos, 2);
    }

    /** Drops at most {@code most} replies that are too old. The rest are dropped another time. */
    void dropOld(long nowNanos, int most) {
        for (int i = 0; i < most && !replies.isEmpty(); i++) {
            if (!replies.firstEntry().getValue().isOld(nowNanos)) {
                return;
            }
            dropOldest();
        }
    }

    /** Drops the oldest reply. */
    void dropOldest() {
        long bytes = replies.pollFirstEntry().getValue().bytes();
        account(-bytes - (replies.isEmpty() ? CLIENT_BYTES : 0));
    }

    private void account(long moreBytes) {
        // All writers hold the owner's lock.
        long now = bytes + moreBytes;
        bytes = now;
        budget.charge(this, moreBytes);
    }
}
