package org.warpnfs.nfs.v4.state.client;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.callback.BackChannel;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * Asks clients to use fewer slots (CB_RECALL_SLOT, RFC 8881, section 20.8) where room for kept replies is scarce.
 *
 * <p>A client that is asked sends a request with a lower sa_highest_slotid, which shows what replies it has seen. A
 * session in use learns the same from each reply (sr_target_highest_slotid), so only sessions that are idle or get
 * DELAY have to be called. The sessions that are asked belong to the address that needs room, and to the one that has
 * most. A session is asked again after {@link CallbackCall#PATIENCE_NANOS}, unless it has refused. A client that does
 * not give slots back gets no room for more replies.
 *
 * <p>Guarded by the lock of the state.
 */
public final class SlotRecalls {
    /** Most sessions of an address that one request examines. */
    private static final int MAX_LOOKED_AT = 8;

    private final ClientTable clients;
    private final ReplyMemory replies;
    private long sent;

    /** @param replies memory of the kept replies */
    public SlotRecalls(ClientTable clients, ReplyMemory replies) {
        this.clients = clients;
        this.replies = replies;
    }

    /** Asks for slots. Called when room is scarce for the session's address. */
    void ask(long nowNanos, Session session) {
        ClientAddress address = session.client().address();
        ClientAddress largest = replies.largest();
        askSome(nowNanos, address);
        if (largest != null && !largest.equals(address)) {
            askSome(nowNanos, largest);
        }
    }

    private void askSome(long nowNanos, ClientAddress address) {
        for (Session session : replies.someKeepers(address, MAX_LOOKED_AT)) {
            BackChannel back = session.backChannel();
            if (back != null && back.recallSlots(nowNanos, replies.targetSlots(session) - 1)) {
                sent++;
            }
        }
    }

    /**
     * Makes room by removing clients whose lease has run out and that keep replies, with all their state. Returns true
     * if there were any.
     */
    boolean letGoOfSilent(long nowNanos, Session session) {
        Set<Client> silent = silentOf(nowNanos, session.client().address());
        silent.addAll(silentOf(nowNanos, replies.largest()));
        silent.forEach(clients::expire);
        return !silent.isEmpty();
    }

    private Set<Client> silentOf(long nowNanos, @Nullable ClientAddress address) {
        Set<Client> silent = new HashSet<>();
        if (address != null) {
            for (Session session : replies.someKeepers(address, MAX_LOOKED_AT)) {
                if (clients.isExpired(session.client(), nowNanos)) {
                    silent.add(session.client());
                }
            }
        }
        return silent;
    }

    /** How often a session was asked. */
    public long sent() {
        return sent;
    }
}
