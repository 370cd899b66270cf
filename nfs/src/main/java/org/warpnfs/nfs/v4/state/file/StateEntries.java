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
 * All that has a stateid, by its number (RFC 8881, section 8.2, RFC 7530, section 9.1.4). Guarded by the lock of the
 * state.
 */
public final class StateEntries {
    private final int instance;
    private final Map<Long, StateEntry> states = new HashMap<>();
    private final SecureRandom random = new SecureRandom();

    /** @param instance of the server, which its stateids carry */
    public StateEntries(int instance) {
        this.instance = instance;
    }

    /**
     * The state that a stateid names for this client; BAD_STATEID if none, DELEG_REVOKED or ADMIN_REVOKED if it was
     * taken back, OLD_STATEID if it has moved on.
     */
    StateEntry find(Client client, Stateid stateid) throws Nfs4Exception {
        StateEntry entry = entry(client, stateid);
        if (entry instanceof DelegationState delegation && delegation.isRevoked()) {
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

    /** As {@link #find(Client, Stateid)}, whatever its seqid, and also what was revoked. */
    StateEntry entry(Client client, Stateid stateid) throws Nfs4Exception {
        StateEntry entry = stateid.instance() == instance ? states.get(stateid.number()) : null;
        if (entry == null || entry.client() != client || client.isGone()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return entry;
    }

    /** As {@link #find(Client, Stateid)}, and it has to be of that file, and confirmed where that is asked for. */
    StateEntry find(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        StateEntry entry = find(client, stateid);
        boolean unconfirmed = entry instanceof OpenState open && open.stateOwner != null && !open.stateOwner.confirmed;
        if (unconfirmed || !entry.key().equals(file)) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return entry;
    }

    /**
     * Whose turn a request of NFSv4.0 is that names a state; null if there is none.
     *
     * @throws Nfs4Exception STALE_STATEID if it is of an earlier instance of the server
     */
    @Nullable
    StateOwner ownerOf(Stateid stateid) throws Nfs4Exception {
        return switch (entryOfThisInstance(stateid)) {
            case OpenState open -> open.stateOwner;
            case LockState lockState -> lockState.stateOwner;
            case DelegationState _ -> null;
            case null -> null;
        };
    }

    /** The NFSv4.0 client that a stateid is of: BAD_STATEID if none, STALE_STATEID as {@link #ownerOf}. */
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

    /** As {@link #find(Client, FileKey, Stateid)}, and it has to be an open. */
    OpenState findOpen(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (find(client, file, stateid) instanceof OpenState open) {
            return open;
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    /** The state of that number, whoever has it; null if there is none. */
    @Nullable
    StateEntry byNumber(long number) {
        return states.get(number);
    }

    /** For what is about to come into being. Not to be guessed: in NFSv4.0 the stateid alone says whose state it is. */
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

    /** As clients know it now. */
    Stateid stateid(StateEntry entry) {
        return new Stateid(entry.seqid(), instance, entry.number());
    }

    /** Of a state that has not been changed yet. */
    Stateid firstStateid(long number) {
        return new Stateid(1, instance, number);
    }

    /** How many there are, with those of clients that are gone. */
    public int count() {
        return states.size();
    }
}
