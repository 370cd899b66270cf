package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Opens: OPEN, OPEN_DOWNGRADE, CLOSE. See {@link StateTable}. */
public final class OpenStates {
    private final StateCore core;

    OpenStates(StateCore core) {
        this.core = core;
    }

    /**
     * The first half of an OPEN, before anything is done to the file: whether it may be, and which of the backend's accesses the
     * open lacks.
     *
     * @return share access bits for which {@link #open} needs a backend file
     */
    public int prepareOpen(long nowNanos, OpenRequest request) throws Nfs4Exception {
        core.lock();
        try {
            core.requirePresent(request.client());
            core.requireGrace(nowNanos, request.client(), request.reclaim());
            requireNoConflict(nowNanos, request);
            return core.files.missingAccess(request);
        } finally {
            core.unlock();
        }
    }

    /** SHARE_DENIED for what another's open denies, DELAY while another has the file delegated and would be deceived. */
    private void requireNoConflict(long nowNanos, OpenRequest request) throws Nfs4Exception {
        core.expireWhile(nowNanos, () -> core.files.shareConflict(request), Nfs4Status.SHARE_DENIED);
        if ((request.access() & OpenRequest.WRITE) != 0 || (request.deny() & OpenRequest.READ) != 0) {
            core.expireWhile(
                    nowNanos,
                    () -> core.delegations.conflict(nowNanos, request.file().handle(), request.client()),
                    Nfs4Status.DELAY);
        }
    }

    /** GRACE, NO_GRACE or RECLAIM_BAD for an OPEN whose file is not known yet. */
    public void checkGraceForOpen(long nowNanos, Client client, boolean reclaim) throws Nfs4Exception {
        core.lock();
        try {
            core.requirePresent(client);
            core.requireGrace(nowNanos, client, reclaim);
        } finally {
            core.unlock();
        }
    }

    /** The second half: takes the files over, also when it fails. */
    public OpenedFile open(
            long nowNanos,
            OpenRequest request,
            DelegationWish wish,
            @Nullable SharedFile reader,
            @Nullable SharedFile writer)
            throws Nfs4Exception {
        core.lock();
        try {
            core.requirePresent(request.client());
            core.requireGrace(nowNanos, request.client(), request.reclaim());
            requireNoConflict(nowNanos, request);
            if (!core.files.hasRoom(request)
                    && !(core.clients.removeOldestExpired(nowNanos) && core.files.hasRoom(request))) {
                throw Nfs4Exception.of(Nfs4Status.DELAY);
            }
            core.record(request.client());
            Stateid stateid = core.files.open(request, reader, writer);
            reader = null;
            writer = null;
            return new OpenedFile(
                    stateid, core.delegations.grant(nowNanos, request, wish, core.files.readerOf(request)));
        } finally {
            core.unlock();
            if (reader != null) {
                reader.release();
            }
            if (writer != null) {
                writer.release();
            }
        }
    }

    /** OPEN_DOWNGRADE. */
    public Stateid downgrade(Client client, FileKey file, Stateid stateid, int access, int deny) throws Nfs4Exception {
        core.lock();
        try {
            return core.files.downgrade(client, file, stateid, access, deny);
        } finally {
            core.unlock();
        }
    }

    /** CLOSE: the open's locks go with it. Gives the stateid as it was last, one on. */
    public Stateid close(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        core.lock();
        try {
            return core.files.close(client, file, stateid);
        } finally {
            core.unlock();
        }
    }
}
