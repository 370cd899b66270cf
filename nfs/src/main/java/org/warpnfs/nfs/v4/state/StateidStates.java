package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.IoGrant;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.Stateids;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Operations on stateids: TEST_STATEID, FREE_STATEID, and the permission to read and write. See {@link StateTable}. */
public final class StateidStates {
    private final StateCore core;
    private final Stateids stateids;

    StateidStates(StateCore core) {
        this.core = core;
        this.stateids = new Stateids(core.states, core.locks, core.delegations, core.layouts);
    }

    /** TEST_STATEID, for one stateid. */
    public Nfs4Status testStateid(Client client, Stateid stateid) {
        return core.locked(() -> stateids.test(client, stateid));
    }

    /** FREE_STATEID, for locks that are all released, or for a delegation that was revoked. */
    public void freeStateid(Client client, Stateid stateid) throws Nfs4Exception {
        core.change(() -> stateids.free(client, stateid));
    }

    /**
     * Permission to read. Waits for a disk only if the stateid is anonymous or the grace period ends. An open for
     * writing alone suffices, though it has no file to read from: a client that caches may read what it is going to
     * write (RFC 8881, section 18.22.3).
     *
     * @param client null for an anonymous stateid without a session
     */
    public IoGrant grantRead(long nowNanos, @Nullable Client client, FileKey file, Stateid stateid)
            throws Nfs4Exception {
        core.settleGrace(nowNanos);
        return core.afterDepartures(() -> {
            if (client == null || stateid.isAnonymous()) {
                boolean bypass = stateid.equals(Stateid.READ_BYPASS);
                anonymous(nowNanos, file, bypass ? 0 : OpenRequest.READ);
                core.requireNoWriter(nowNanos, file, client);
                return IoGrant.withoutFile();
            }
            return stateids.read(client, file, stateid);
        });
    }

    /** Permission to write; OPENMODE if the open is not for writing. */
    public IoGrant grantWrite(long nowNanos, @Nullable Client client, FileKey file, Stateid stateid)
            throws Nfs4Exception {
        core.settleGrace(nowNanos);
        return core.afterDepartures(() -> {
            if (client == null || stateid.isAnonymous()) {
                anonymous(nowNanos, file, OpenRequest.WRITE);
                return IoGrant.withoutFile();
            }
            return stateids.write(client, file, stateid);
        });
    }

    /**
     * Any open or delegation of the file that can write, or none. COMMIT uses it, since it has no stateid. A file under
     * a write delegation may have no open, and must not be opened anew, which would recall the delegation.
     */
    public IoGrant anyWriter(FileKey file) {
        return core.locked(() -> {
            IoGrant open = core.files.anyWriter(file);
            return open.hasFile() ? open : core.delegations.held().anyWriter(file);
        });
    }

    private void anonymous(long nowNanos, FileKey file, int access) throws Nfs4Exception {
        if (core.grace.isRunning(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.GRACE);
        }
        core.expireWhile(nowNanos, () -> core.files.denied(file, access), Nfs4Status.LOCKED);
    }
}
