package org.warpnfs.nfs.v4.state.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.core.Shares;

/**
 * What the replies take that sessions keep for retries (RFC 8881, section 2.10.6.1).
 *
 * <h2>Operation</h2>
 *
 * A reply that a client asked to keep (sa_cachethis) is never forgotten before that client has shown that it has seen
 * it, or its session is gone. So room is reserved before a request is executed: for its largest reply, and after it for
 * the reply that was made. The first slot of every session always has room. All other slots share one budget.
 *
 * <p>A client has seen the reply of a slot when it sends the slot's next request. It also says so with
 * sa_highest_slotid, which is the highest slot that it waits for: replies above were seen when it sent the request. But
 * requests overtake each other. What proves that a request was sent after that in slot {@code s} is the reply to the
 * request before it in the slot of its own: the client had that in its hands. So the reply of {@code s} goes if
 * {@code s} began before that reply was made. This is made use of only where room is scarce.
 *
 * <p>The less a client address may still take, the fewer slots its sessions are told to use (sr_target_highest_slotid).
 * {@link SlotRecalls} asks for slots where that is not enough.
 *
 * <h2>Errors</h2>
 *
 * None: where no room is left {@link #begin} says so, and the request is put off. Guarded by the lock of the state.
 */
public final class ReplyMemory {
    /** A kept reply's objects beside its bytes. */
    static final int OVERHEAD_BYTES = 64;
    /** SEQUENCE with what follows it is kept in that much whatever was asked for. */
    private static final int LEAST_REPLY_BYTES = 256;

    private final long mostBytes;
    private final Shares shares;
    /** Sessions in which idle slots keep replies, by address. */
    private final Map<ClientAddress, Set<Session>> keepers = new HashMap<>();

    /** Counts what begins and ends: which of two came first. */
    private long events;

    private long putOff;

    ReplyMemory(long mostBytes) {
        this.mostBytes = mostBytes;
        this.shares = new Shares(mostBytes);
    }

    /**
     * The next request in a slot begins: what the slot kept was seen.
     *
     * @param highestSlot that the client waits for
     * @return false if there is no room for its reply: it must not be executed
     */
    boolean begin(Slot slot, int highestSlot, boolean keepsReply) {
        Session session = slot.session;
        forget(slot);
        if (isScarceFor(session)) {
            forgetSeen(slot, Math.max(highestSlot, slot.index));
        }
        long needed = reservation(slot, keepsReply);
        if (!shares.hasRoomFor(session.client().address(), needed)) {
            putOff++;
            return false;
        }
        charge(slot, needed);
        slot.begun = ++events;
        return true;
    }

    private static long reservation(Slot slot, boolean keepsReply) {
        if (!keepsReply || slot.index == 0) {
            return 0;
        }
        return Math.max(slot.session.foreChannel().maxCachedReplyBytes(), LEAST_REPLY_BYTES) + OVERHEAD_BYTES;
    }

    private void forgetSeen(Slot by, int highestSlot) {
        Session session = by.session;
        if (session.keptReplies > 0) {
            session.slotsFrom(highestSlot + 1)
                    .filter(slot -> slot.phase == Slot.Phase.IDLE && slot.begun < by.ended)
                    .forEach(this::forget);
        }
    }

    /** The request has been executed; {@code reply} is null if none is kept. */
    void end(Slot slot, @Nullable CachedReply reply) {
        if (slot.session.ended) {
            return;
        }
        slot.ended = ++events;
        slot.reply = reply;
        charge(slot, reply == null || slot.index == 0 ? 0 : reply.lengthBytes() + OVERHEAD_BYTES);
        if (slot.chargedBytes > 0 && slot.session.keptReplies++ == 0) {
            keepers.computeIfAbsent(slot.session.client().address(), _ -> new LinkedHashSet<>())
                    .add(slot.session);
        }
    }

    private void charge(Slot slot, long bytes) {
        ClientAddress address = slot.session.client().address();
        shares.giveBack(address, slot.chargedBytes);
        shares.take(address, bytes);
        slot.chargedBytes = bytes;
    }

    /** Of an idle slot, or one whose session is gone. */
    private void forget(Slot slot) {
        boolean kept = slot.reply != null && slot.chargedBytes > 0;
        slot.reply = null;
        charge(slot, 0);
        if (kept && --slot.session.keptReplies == 0) {
            keepers.computeIfPresent(slot.session.client().address(), (_, sessions) -> {
                sessions.remove(slot.session);
                return sessions.isEmpty() ? null : sessions;
            });
        }
    }

    /** The session is gone. */
    void release(Session session) {
        session.ended = true;
        session.slotsFrom(0).forEach(this::forget);
    }

    /**
     * How many slots a session should use: all while its address may take a quarter of the budget, one when it may take
     * no more.
     */
    int targetSlots(Session session) {
        long room = shares.left() - shares.of(session.client().address());
        double part = 4.0 * room / mostBytes;
        return Math.clamp((long) (session.slotCount() * part), 1, session.slotCount());
    }

    boolean isScarceFor(Session session) {
        return targetSlots(session) < session.slotCount();
    }

    /** Some of the sessions of an address that keep replies; others the next time. */
    List<Session> someKeepers(ClientAddress address, int most) {
        Set<Session> all = keepers.get(address);
        if (all == null) {
            return List.of();
        }
        List<Session> some = new ArrayList<>(most);
        for (Iterator<Session> each = all.iterator(); each.hasNext() && some.size() < most; ) {
            some.add(each.next());
            each.remove();
        }
        all.addAll(some);
        return some;
    }

    /** Who has most; null if nobody has any. */
    @Nullable
    ClientAddress largest() {
        return shares.largest();
    }

    /** Beyond the first slot of each session; reservations included. */
    public long takenBytes() {
        return shares.taken();
    }

    /** How many requests were put off since there was no room for their replies. */
    public long putOff() {
        return putOff;
    }
}
