package org.warpnfs.nfs.v4.state;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * What the replies take that sessions keep for retries (RFC 8881 section 2.10.6.1).
 *
 * <h2>Operation</h2>
 *
 * The first slot of every session always has room for one reply. All other slots share one budget, in which what is really kept counts;
 * a request that asks for its reply to be kept reserves the largest reply while it runs, so that it is never done and then forgotten.
 * The less a client address may still take, the fewer slots its sessions are told to use (sr_target_highest_slotid). If that does not
 * help, the oldest replies of the address that has most are forgotten: a retry of those is answered with RETRY_UNCACHED_REP.
 *
 * <h2>Errors</h2>
 *
 * DELAY if all of the budget is reserved by requests that run. Guarded by the lock of {@link StateTable}.
 */
final class ReplyMemory {
    /** A kept reply's objects beside its bytes. */
    static final int OVERHEAD_BYTES = 64;
    /** SEQUENCE with what follows it is kept in that much whatever was asked for. */
    private static final int LEAST_REPLY_BYTES = 256;

    private final long mostBytes;
    private final Shares shares;
    /** Idle slots that keep a reply, by address, the oldest first. */
    private final Map<ClientAddress, Set<Slot>> kept = new HashMap<>();

    private long forgotten;

    ReplyMemory(long mostBytes) {
        this.mostBytes = mostBytes;
        this.shares = new Shares(mostBytes);
    }

    /** A request in the slot begins: what it kept is no longer needed. */
    void begin(Slot slot, boolean keepsReply) throws Nfs4Exception {
        ClientAddress address = slot.session.client().address();
        long needed = reservation(slot, keepsReply);
        while (!shares.hasRoomFor(address, needed - Math.min(needed, slot.chargedBytes))) {
            ClientAddress victim = shares.left() < needed ? shares.largest() : address;
            if (victim == null || !forgetOldest(victim, slot)) {
                throw Nfs4Exception.of(Nfs4Status.DELAY);
            }
        }
        notKept(slot);
        slot.reply = null;
        charge(slot, needed);
    }

    private static long reservation(Slot slot, boolean keepsReply) {
        if (!keepsReply || slot.index == 0) {
            return 0;
        }
        return Math.max(slot.session.foreChannel().maxCachedReplyBytes(), LEAST_REPLY_BYTES) + OVERHEAD_BYTES;
    }

    /** The request has been executed; {@code reply} is null if none is kept. */
    void end(Slot slot, @Nullable CachedReply reply) {
        if (slot.session.ended) {
            return;
        }
        slot.reply = reply;
        charge(slot, reply == null || slot.index == 0 ? 0 : reply.lengthBytes() + OVERHEAD_BYTES);
        if (slot.chargedBytes > 0) {
            kept.computeIfAbsent(slot.session.client().address(), _ -> new LinkedHashSet<>())
                    .add(slot);
        }
    }

    private void charge(Slot slot, long bytes) {
        ClientAddress address = slot.session.client().address();
        shares.giveBack(address, slot.chargedBytes);
        shares.take(address, bytes);
        slot.chargedBytes = bytes;
    }

    private boolean forgetOldest(ClientAddress address, Slot except) {
        Iterator<Slot> oldest = kept.getOrDefault(address, Set.of()).iterator();
        Slot slot = oldest.hasNext() ? oldest.next() : null;
        if (slot == except) {
            slot = oldest.hasNext() ? oldest.next() : null;
        }
        if (slot == null) {
            return false;
        }
        forget(slot);
        forgotten++;
        return true;
    }

    private void forget(Slot slot) {
        notKept(slot);
        slot.reply = null;
        charge(slot, 0);
    }

    private void notKept(Slot slot) {
        kept.computeIfPresent(slot.session.client().address(), (_, slots) -> {
            slots.remove(slot);
            return slots.isEmpty() ? null : slots;
        });
    }

    /** The client has no request under way in idle slots from here on, and is told to use fewer: it will not ask for their replies. */
    void retire(Session session, int fromSlot) {
        session.slotsFrom(fromSlot)
                .filter(slot -> slot.phase == Slot.Phase.IDLE)
                .forEach(this::forget);
    }

    /** The session is gone. */
    void release(Session session) {
        session.ended = true;
        session.slotsFrom(0).forEach(this::forget);
    }

    /** How many slots a session should use: all while its address may take a quarter of the budget, one when it may take no more. */
    int targetSlots(Session session) {
        long room = shares.left() - shares.of(session.client().address());
        double part = 4.0 * room / mostBytes;
        return Math.clamp((long) (session.slotCount() * part), 1, session.slotCount());
    }

    /** Beyond the first slot of each session; reservations included. */
    long takenBytes() {
        return shares.taken();
    }

    /** How often a reply had to go before its client used the slot again. */
    long forgotten() {
        return forgotten;
    }
}
