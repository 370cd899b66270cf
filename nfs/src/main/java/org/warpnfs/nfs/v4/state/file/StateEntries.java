package org.warpnfs.nfs.v4.state.file;

import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * All states that have a stateid, by number (RFC 8881, section 8.2, RFC 7530, section 9.1.4). Guarded by the lock of
 * the state.
 */
public final class StateEntries {
    private final int instance;
    private final Map<Long, StateEntry> states = new HashMap<>();
    private final SecureRandom random = new SecureRandom();

    /** @param instance of the server, which is part of its stateids */
    public StateEntries(int instance) {
        this.instance = instance;
    }

    /**
     * The state that a stateid names for this client. BAD_STATEID if there is none, DELEG_REVOKED or ADMIN_REVOKED if
     * it was revoked, OLD_STATEID if its seqid has advanced.
     */
    StateEntry find(Client client, Stateid stateid) throws Nfs4Exception {
        StateEntry entry = entry(client, stateid);
        if (entry instanceof DelegationState delegation && delegation.isRevoked()) {
            throw Nfs4Exception.of(Nfs4Status.DELEG_REVOKED);
        }
        if (entry instanceof LayoutState layout && layout.isRevoked()) {
            throw Nfs4Exception.of(Nfs4Status.DELEG_REVOKED);
        }
        if (entry instanceof LockState lockState && lockState.revoked) {
            throw Nfs4Exception.of(Nfs4Status.ADMIN_REVOKED);
        }
        boolean whichever = stateid.seqid() == 0 && !client.isSessionless();
        if (!whichever && stateid.seqid() != entry.seqid()) {
            boolean old = stateid.seqid() - entry.seqid() < 0;
            throw Nfs4Exception.of(old ? Nfs4Status.OLD_STATEID : Nfs4Status.BAD_STATEID);
        }
        return entry;
    }

    /** The state that a stateid names, whatever its seqid, even if it was revoked; BAD_STATEID if there is none. */
    StateEntry entry(Client client, Stateid stateid) throws Nfs4Exception {
        StateEntry entry = stateid.instance() == instance ? states.get(stateid.number()) : null;
        if (entry == null || entry.client() != client || client.isGone()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return entry;
    }

    /**
     * The state of {@link #find(Client, Stateid)}, which must be of that file and, where that is required, confirmed.
     */
    StateEntry find(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        StateEntry entry = find(client, stateid);
        boolean unconfirmed = entry instanceof OpenState open && open.stateOwner != null && !open.stateOwner.confirmed;
        if (unconfirmed || !entry.key().equals(file)) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return entry;
    }

    /**
     * The owner whose turn a request of NFSv4.0 with that stateid takes; null if there is none.
     *
     * @throws Nfs4Exception STALE_STATEID if it is of an earlier instance of the server
     */
    @Nullable
    StateOwner ownerOf(Stateid stateid) throws Nfs4Exception {
        return switch (entryOfThisInstance(stateid)) {
            case OpenState open -> open.stateOwner;
            case LockState lockState -> lockState.stateOwner;
            case DelegationState _ -> null;
            case LayoutState _ -> null;
            case null -> null;
        };
    }

    /**
     * The NFSv4.0 client that a stateid belongs to; BAD_STATEID if there is none, STALE_STATEID as {@link #ownerOf}.
     */
    public Client clientOf(Stateid stateid) throws Nfs4Exception {
        StateEntry entry = entryOfThisInstance(stateid);
        if (entry == null || !entry.client().isSessionless()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return entry.client();
    }

    private @Nullable StateEntry entryOfThisInstance(Stateid stateid) throws Nfs4Exception {
        if (stateid.isSpecial()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        if (stateid.instance() != instance) {
            throw Nfs4Exception.of(Nfs4Status.STALE_STATEID);
        }
        StateEntry entry = states.get(stateid.number());
        return entry == null || entry.client().isGone() ? null : entry;
    }

    /** The open of {@link #find(Client, FileKey, Stateid)}; BAD_STATEID if it is no open. */
    OpenState findOpen(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (find(client, file, stateid) instanceof OpenState open) {
            return open;
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    /** The state of that number, whatever its client; null if there is none. */
    @Nullable
    StateEntry byNumber(long number) {
        return states.get(number);
    }

    /** The number of a new state. It cannot be guessed: in NFSv4.0 the stateid alone says whose state it is. */
    long nextNumber() {
        long number;
        do {
            number = random.nextLong();
        } while (states.containsKey(number));
        return number;
    }

    void enter(StateEntry entry) {
        states.put(entry.number(), entry);
    }

    void leave(StateEntry entry) {
        states.remove(entry.number());
    }

    /** The present stateid of a state. */
    Stateid stateid(StateEntry entry) {
        return new Stateid(entry.seqid(), instance, entry.number());
    }

    /** The first stateid of a state. */
    Stateid firstStateid(long number) {
        return new Stateid(1, instance, number);
    }

    /** Number of states, including those of removed clients. */
    public int count() {
        return states.size();
    }
}
