package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** What the stateids of opens, locks and delegations permit. Guarded by the lock of the state. */
public final class Stateids {
    private final StateEntries states;
    private final LockTable locks;
    private final DelegationTable delegations;
    private final LayoutTable layouts;

    /** @param states all states that have a stateid */
    public Stateids(StateEntries states, LockTable locks, DelegationTable delegations, LayoutTable layouts) {
        this.states = states;
        this.locks = locks;
        this.delegations = delegations;
        this.layouts = layouts;
    }

    /** TEST_STATEID, for one stateid. */
    public Nfs4Status test(Client client, Stateid stateid) {
        if (stateid.isSpecial()) {
            return Nfs4Status.BAD_STATEID;
        }
        try {
            states.find(client, stateid);
            return Nfs4Status.OK;
        } catch (Nfs4Exception e) {
            return e.status();
        }
    }

    /**
     * FREE_STATEID, for locks that are all released, or for a delegation or a layout that was revoked; else LOCKS_HELD.
     */
    public void free(Client client, Stateid stateid) throws Nfs4Exception {
        if (states.entry(client, stateid) instanceof DelegationState delegation) {
            // This includes revoked delegations, which nothing else finds.
            delegations.free(delegation);
        } else if (states.entry(client, stateid) instanceof LayoutState layout) {
            layouts.free(layout);
        } else if (states.entry(client, stateid) instanceof LockState lockState && lockState.revoked) {
            locks.free(lockState);
        } else if (states.find(client, stateid) instanceof LockState lockState) {
            locks.free(lockState);
        } else {
            throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
        }
    }

    /** Permission to read. An open for writing alone permits it too, without a file. */
    public IoGrant read(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        return IoGrant.holding(
                switch (states.find(client, file, stateid)) {
                    case OpenState open -> open.reader;
                    case LockState lockState -> lockState.open.reader;
                    case DelegationState delegation -> delegation.reader();
                    // A layout permits I/O at data servers alone.
                    case LayoutState _ -> throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
                });
    }

    /** Permission to write; OPENMODE if the open or the delegation is not for writing. */
    public IoGrant write(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        return switch (states.find(client, file, stateid)) {
            case OpenState open -> writing(open);
            case LockState lockState -> writing(lockState.open);
            case DelegationState delegation -> {
                if (delegation.kind() != DelegationKind.WRITE) {
                    throw Nfs4Exception.of(Nfs4Status.OPENMODE);
                }
                yield IoGrant.holding(delegation.writer());
            }
            case LayoutState _ -> throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        };
    }

    private static IoGrant writing(OpenState open) throws Nfs4Exception {
        @Nullable SharedFile shared = open.writer;
        if ((open.access & OpenRequest.WRITE) == 0 || shared == null) {
            throw Nfs4Exception.of(Nfs4Status.OPENMODE);
        }
        return IoGrant.holding(shared);
    }
}
