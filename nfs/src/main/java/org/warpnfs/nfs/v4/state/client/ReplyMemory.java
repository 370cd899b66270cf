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
 * Memory for the replies that sessions keep for retries (RFC 8881, section 2.10.6.1).
 *
 * <h2>Operation</h2>
 *
 * A reply that a client asked to keep (sa_cachethis) is never forgotten before the client has shown that it has seen
 * it, or its session is gone. So room is reserved before a request is executed. It is reserved for the largest reply,
 * and reduced to the actual one afterwards. The first slot of every session always has room. All other slots share one
 * budget.
 *
 * <p>A client has seen the reply of a slot when it sends the slot's next request. sa_highest_slotid says so for other
 * slots too: it is the highest slot for which the client waits, so replies above it were seen when the request was
 * sent. But requests can overtake each other. The reply to the previous request in a request's own slot proves an
 * order: the client had received it before it sent the request. So the reply of a slot {@code s} can be forgotten if
 * the request in {@code s} began before that previous reply was made. This is used only where room is scarce.
 *
 * <p>The less room a client address has left, the fewer slots its sessions are told to use (sr_target_highest_slotid).
 * Where that is not enough, {@link SlotRecalls} asks for slots.
 *
 * <h2>Errors</h2>
 *
 * None. If there is no room, {@link #begin} returns false and the request gets DELAY. Guarded by the lock of the state.
 */
public final class ReplyMemory {
    /** Memory of a kept reply besides its bytes. */
    static final int OVERHEAD_BYTES = 64;

    private final long mostBytes;
    private final Shares shares;
    /** Sessions with replies in idle slots, by address. */
    private final Map<ClientAddress, Set<Session>> keepers = new HashMap<>();

    /** Counts begins and ends of requests, to order them. */
    private long events;

    private long putOff;

    ReplyMemory(long mostBytes) {
        this.mostBytes = mostBytes;
        this.shares = new Shares(mostBytes);
    }

    /**
     * Begins the next request in a slot. The reply that the slot kept has been seen.
     *
     * @param highestSlot highest slot for which the client waits
     * @return false if there is no room for its reply; the request must then not be executed
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
        return slot.session.foreChannel().maxCachedReplyBytes() + OVERHEAD_BYTES;
    }

    private void forgetSeen(Slot by, int highestSlot) {
        Session session = by.session;
        if (session.keptReplies > 0) {
            session.slotsFrom(highestSlot + 1)
                    .filter(slot -> slot.phase == Slot.Phase.IDLE && slot.begun < by.ended)
                    .forEach(this::forget);
        }
    }

    /** Notes that the request has been executed. {@code reply} is null if none is kept. */
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

    /** Forgets the reply of a slot that is idle or whose session is gone. */
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

    /** Forgets all replies of a session that is gone. */
    void release(Session session) {
        session.ended = true;
        session.slotsFrom(0).forEach(slot -> {
            slot.latest.end();
            forget(slot);
        });
    }

    /**
     * The number of slots that a session should use: all while its address may take a quarter of the budget or more,
     * down to one when it may take nothing.
     */
    int targetSlots(Session session) {
        long room = shares.left() - shares.of(session.client().address());
        double part = 4.0 * room / mostBytes;
        return Math.clamp((long) (session.slotCount() * part), 1, session.slotCount());
    }

    boolean isScarceFor(Session session) {
        return targetSlots(session) < session.slotCount();
    }

    /** Some of the sessions of an address that keep replies, others at each call. */
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

    /** The address whose replies take most; null if there are none. */
    @Nullable
    ClientAddress largest() {
        return shares.largest();
    }

    /** Bytes taken, except by the first slot of each session, including reservations. */
    public long takenBytes() {
        return shares.taken();
    }

    /** Number of requests that got DELAY because there was no room for their replies. */
    public long putOff() {
        return putOff;
    }
}
