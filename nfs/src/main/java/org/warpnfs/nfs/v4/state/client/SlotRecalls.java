package org.warpnfs.nfs.v4.state.client;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.callback.BackChannel;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * Asks sessions for slots (CB_RECALL_SLOT, RFC 8881, section 20.8) where room for kept replies is scarce.
 *
 * <p>A client that is asked sends a request with the lower sa_highest_slotid, which says which replies it has seen. One
 * that uses its session hears the same from each reply (sr_target_highest_slotid); it is those at rest, or put off,
 * that have to be called. Those asked are of the address that wants room, and of the one that has most. A session is
 * asked again after {@link CallbackCall#PATIENCE_NANOS}; one that has refused is not. Who does not give slots back
 * finds no room for more replies.
 *
 * <p>Guarded by the lock of the state.
 */
public final class SlotRecalls {
    /** Of each address, at a request. */
    private static final int MAX_LOOKED_AT = 8;

    private final ClientTable clients;
    private final ReplyMemory replies;
    private long sent;

    /** @param replies what sessions keep */
    public SlotRecalls(ClientTable clients, ReplyMemory replies) {
        this.clients = clients;
        this.replies = replies;
    }

    /** Room is scarce for the session's address. */
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
     * Clients without a lease make room: what keeps replies of theirs is let go, state and all. True if there were any.
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
