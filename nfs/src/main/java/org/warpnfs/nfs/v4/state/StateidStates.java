package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** What stateids are good for: TEST_STATEID, FREE_STATEID, and leave to read and write. See {@link StateTable}. */
public final class StateidStates {
    private final StateCore core;

    StateidStates(StateCore core) {
        this.core = core;
    }

    /** TEST_STATEID: the status of one. */
    public Nfs4Status testStateid(Client client, Stateid stateid) {
        return core.look(() -> {
            if (stateid.isSpecial()) {
                return Nfs4Status.BAD_STATEID;
            }
            try {
                core.states.find(client, stateid);
                return Nfs4Status.OK;
            } catch (Nfs4Exception e) {
                return e.status();
            }
        });
    }

    /** FREE_STATEID: of locks that are all given up, or of a delegation that was revoked. */
    public void freeStateid(Client client, Stateid stateid) throws Nfs4Exception {
        core.change(() -> {
            if (core.states.entry(client, stateid) instanceof DelegationState delegation) {
                // Also one that was revoked, which nothing else finds.
                core.delegations.free(delegation);
            } else if (core.states.entry(client, stateid) instanceof LockState lockState && lockState.revoked) {
                core.locks.free(lockState);
            } else if (core.states.find(client, stateid) instanceof LockState lockState) {
                core.locks.free(lockState);
            } else {
                throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
            }
        });
    }

    /**
     * Leave to read. An open for writing alone brings no file but passes: a client that caches may read what it is going to write
     * (RFC 8881 section 18.22.3).
     *
     * @param client null for an anonymous stateid outside of a session
     */
    public IoGrant grantRead(long nowNanos, @Nullable Client client, FileKey file, Stateid stateid)
            throws Nfs4Exception {
        core.settleGrace(nowNanos);
        return core.locked(() -> {
            if (client == null || stateid.isAnonymous()) {
                boolean bypass = stateid.equals(Stateid.READ_BYPASS);
                anonymous(nowNanos, file, bypass ? 0 : OpenRequest.READ);
                return new IoGrant(null);
            }
            SharedFile shared =
                    switch (core.states.find(client, file, stateid)) {
                        case OpenState open -> open.reader;
                        case LockState locks -> locks.open.reader;
                        case DelegationState delegation -> delegation.reader();
                    };
            return new IoGrant(shared == null ? null : shared.hold());
        });
    }

    /** Leave to write: OPENMODE from an open that is not for writing. */
    public IoGrant grantWrite(long nowNanos, @Nullable Client client, FileKey file, Stateid stateid)
            throws Nfs4Exception {
        core.settleGrace(nowNanos);
        return core.locked(() -> {
            if (client == null || stateid.isAnonymous()) {
                anonymous(nowNanos, file, OpenRequest.WRITE);
                return new IoGrant(null);
            }
            OpenState open =
                    switch (core.states.find(client, file, stateid)) {
                        case OpenState itself -> itself;
                        case LockState locks -> locks.open;
                        case DelegationState _ -> throw Nfs4Exception.of(Nfs4Status.OPENMODE);
                    };
            SharedFile shared = open.writer;
            if ((open.access & OpenRequest.WRITE) == 0 || shared == null) {
                throw Nfs4Exception.of(Nfs4Status.OPENMODE);
            }
            return new IoGrant(shared.hold());
        });
    }

    /** Some open of the file that can write, or none: COMMIT names no stateid. */
    public IoGrant anyWriter(FileKey file) {
        return core.look(() -> {
            SharedFile shared = core.files.anyWriter(file);
            return new IoGrant(shared == null ? null : shared.hold());
        });
    }

    private void anonymous(long nowNanos, FileKey file, int access) throws Nfs4Exception {
        if (core.grace.isRunning(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.GRACE);
        }
        core.expireWhile(nowNanos, () -> core.files.denied(file, access), Nfs4Status.LOCKED);
    }
}
