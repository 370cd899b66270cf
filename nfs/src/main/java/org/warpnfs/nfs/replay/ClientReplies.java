package org.warpnfs.nfs.replay;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;

/** One client's calls in progress and its kept replies. The instance's lock guards all of it. */
final class ClientReplies {
    /** A call in progress. */
    static final class Running {
        final ClientReplies client;
        final CallKey key;
        final Queue<RememberedCall> waiting = new ArrayDeque<>(0);

        private Running(ClientReplies client, CallKey key) {
            this.client = client;
            this.key = key;
        }
    }

    private final ClientAddress address;
    private final Map<CallKey, Running> running = new HashMap<>();
    private final KeptReplies once;
    private final KeptReplies repeatable;
    private boolean retired;
    private int calls;

    ClientReplies(ClientAddress address, ReplyBudget once, ReplyBudget repeatable) {
        this.address = address;
        this.once = new KeptReplies(once, this);
        this.repeatable = new KeptReplies(repeatable, this);
    }

    ClientAddress address() {
        return address;
    }

    /** True if nothing may be added any more. */
    boolean isRetired() {
        return retired;
    }

    /** Counts a call. Returns true for the first one and for every {@code step}-th after it. */
    boolean countsTo(int step) {
        return calls++ % step == 0;
    }

    /** The reply to an earlier call, or null if it is not kept or no longer kept. */
    @Nullable
    EncodedReply find(CallKey key, long nowNanos) {
        EncodedReply reply = once.find(key, nowNanos);
        return reply == null ? repeatable.find(key, nowNanos) : reply;
    }

    @Nullable
    Running running(CallKey key) {
        return running.get(key);
    }

    Running begin(CallKey key) {
        Running mine = new Running(this, key);
        running.put(key, mine);
        return mine;
    }

    void end(Running mine) {
        running.remove(mine.key, mine);
    }

    void keep(CallKey key, RememberedCall.Outcome.Kept kept, long nowNanos) {
        (kept.isRepeatable() ? repeatable : once).keep(key, kept.reply(), nowNanos);
    }

    /** Drops at most {@code most} old replies of each kind. Returns true, and retires, if nothing is left. */
    boolean sweep(long nowNanos, int most) {
        once.dropOld(nowNanos, most);
        repeatable.dropOld(nowNanos, most);
        retired = running.isEmpty() && once.isEmpty() && repeatable.isEmpty();
        return retired;
    }
}
