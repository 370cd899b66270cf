package org.warpnfs.nfs.replay;

import java.time.Duration;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What one client was answered to calls of one kind, the oldest first. Its bytes are charged to a {@link ReplyBudget}.
 *
 * <p>Guarded by its {@link ClientReplies}; the number of bytes may be read by anyone.
 */
final class KeptReplies {
    static final long MAX_AGE_NANOS = Duration.ofMinutes(2).toNanos();

    /** An entry without its reply, with what the collections add. */
    static final int ENTRY_BYTES = 256;

    private record Kept(EncodedReply reply, long atNanos) {
        long bytes() {
            return ENTRY_BYTES + (long) reply.lengthBytes();
        }

        boolean isOld(long nowNanos) {
            return nowNanos - atNanos > MAX_AGE_NANOS;
        }
    }

    private final ReplyBudget budget;
    private final ClientReplies owner;
    private final LinkedHashMap<CallKey, Kept> replies = new LinkedHashMap<>();
    private volatile long bytes;
    /** Where the budget has it; guarded by the budget. */
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

    /** What was answered, or null if it is not known any more. */
    @Nullable
    EncodedReply find(CallKey key, long nowNanos) {
        Kept kept = replies.get(key);
        return kept == null || kept.isOld(nowNanos) ? null : kept.reply();
    }

    void keep(CallKey key, EncodedReply reply, long nowNanos) {
        Kept kept = new Kept(reply, nowNanos);
        // Taken out first: an entry that is put over another keeps its place among the oldest.
        Kept before = replies.remove(key);
        replies.put(key, kept);
        account(kept.bytes() - (before == null ? 0 : before.bytes()));
        dropOld(nowNanos, 2);
    }

    /** Drops what is too old, but at most so many: the rest another time. */
    void dropOld(long nowNanos, int most) {
        for (int i = 0; i < most && !replies.isEmpty(); i++) {
            if (!replies.firstEntry().getValue().isOld(nowNanos)) {
                return;
            }
            dropOldest();
        }
    }

    /** Drops the oldest. */
    void dropOldest() {
        account(-replies.pollFirstEntry().getValue().bytes());
    }

    private void account(long moreBytes) {
        // The only writer holds the owner's lock.
        long now = bytes + moreBytes;
        bytes = now;
        budget.charge(this, moreBytes);
    }
}
