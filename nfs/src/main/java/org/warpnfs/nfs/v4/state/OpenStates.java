package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.DelegationGrant;
import org.warpnfs.nfs.v4.state.file.DelegationUse;
import org.warpnfs.nfs.v4.state.file.DelegationWant;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.OpenPermit;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.OpenedFile;
import org.warpnfs.nfs.v4.state.file.SharedFile;
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
     * The first half of an OPEN, before the file is touched. Checks whether the open is permitted, and which access to
     * the backend's file it lacks.
     *
     * @return share access bits for which {@link #open} needs a backend file
     */
    public int prepareOpen(long nowNanos, OpenRequest request) throws Nfs4Exception {
        core.settleGrace(nowNanos);
        if (!core.recovery.isRecorded(request.client())) {
            core.afterDepartures(() -> allowed(nowNanos, request));
            core.record(request.client());
        }
        return core.afterDepartures(() -> {
            requireAllowed(nowNanos, request);
            return core.files.missingAccess(request);
        });
    }

    private boolean allowed(long nowNanos, OpenRequest request) throws Nfs4Exception {
        requireAllowed(nowNanos, request);
        return true;
    }

    private void requireAllowed(long nowNanos, OpenRequest request) throws Nfs4Exception {
        core.requirePresent(request.client());
        if (!request.byDelegation() && !isPermitted(request)) {
            core.recovery.require(nowNanos, request.client(), request.reclaim());
        }
        requireNoConflict(nowNanos, request);
    }

    private boolean isPermitted(OpenRequest request) {
        OpenPermit permit = request.permit();
        return permit != null && core.permits.contains(permit);
    }

    /**
     * Throws SHARE_DENIED if another open denies this one, and DELAY while another client has a delegation that this
     * open would break, or data servers may still take a layout that has ended.
     */
    private void requireNoConflict(long nowNanos, OpenRequest request) throws Nfs4Exception {
        core.expireWhile(nowNanos, () -> core.files.shareConflict(request), Nfs4Status.SHARE_DENIED);
        boolean excludes = (request.access() & OpenRequest.WRITE) != 0 || (request.deny() & OpenRequest.READ) != 0;
        core.expireWhile(
                nowNanos,
                () -> core.delegations.conflict(
                        nowNanos, request, excludes ? DelegationUse.CHANGE : DelegationUse.READ),
                Nfs4Status.DELAY);
        core.layouts.requireFenced(nowNanos, request.file());
    }

    /** Checks an OPEN whose file is not known yet; GRACE, NO_GRACE or RECLAIM_BAD. */
    public void checkGraceForOpen(long nowNanos, Client client, boolean reclaim) throws Nfs4Exception {
        core.settleGrace(nowNanos);
        core.change(() -> {
            core.requirePresent(client);
            core.recovery.require(nowNanos, client, reclaim);
        });
    }

    /**
     * The same for an OPEN that will create the file.
     *
     * @return with which the OPEN goes on if it created the file, and which {@link #endPermit} takes; null if grace
     *     periods do not begin while this server runs
     */
    public @Nullable OpenPermit permitMaking(long nowNanos, Client client) throws Nfs4Exception {
        checkGraceForOpen(nowNanos, client, false);
        if (!core.grace.hasOthers()) {
            return null;
        }
        OpenPermit permit = new OpenPermit();
        core.change(() -> {
            core.recovery.require(nowNanos, client, false);
            core.permits.add(permit);
        });
        return permit;
    }

    /** The OPEN has its open, or has failed. */
    public void endPermit(@Nullable OpenPermit permit) {
        if (permit != null) {
            core.change(() -> core.permits.remove(permit));
        }
    }

    /** The second half. Takes ownership of the files, even if it fails. */
    public OpenedFile open(
            long nowNanos,
            OpenRequest request,
            DelegationWant wish,
            @Nullable SharedFile reader,
            @Nullable SharedFile writer)
            throws Nfs4Exception {
        Files given = new Files(reader, writer);
        try {
            core.settleGrace(nowNanos);
            core.record(request.client());
            return core.afterDepartures(() -> opened(nowNanos, request, wish, given));
        } finally {
            given.release();
        }
    }

    private OpenedFile opened(long nowNanos, OpenRequest request, DelegationWant wish, Files given)
            throws Nfs4Exception {
        requireAllowed(nowNanos, request);
        Client client = request.client();
        if (!core.files.isOpen(request)
                && (core.files.of(client).size() >= core.limits.maxOpensPerClient()
                        || !core.clients.makeRoom(nowNanos, core.files.shares(), client.address(), client))) {
            core.files.shares().refuse();
            // Not DELAY, which a client repeats until it succeeds: a client with so many opens would wait for itself.
            throw Nfs4Exception.of(client.isSessionless() ? Nfs4Status.RESOURCE : Nfs4Status.SERVERFAULT);
        }
        boolean isNew = !core.files.isOpen(request);
        Stateid stateid = core.files.open(request, given.reader, given.writer);
        given.reader = null;
        given.writer = null;
        DelegationGrant grant = core.delegations
                .grants()
                .grant(nowNanos, request, wish, core.files.readerOf(request), core.files.writerOf(request));
        boolean isEnough = isNew
                && wish.either()
                && !request.reclaim()
                && request.deny() == 0
                && !client.isSessionless()
                && !(grant instanceof DelegationGrant.None);
        if (!isEnough) {
            return new OpenedFile(stateid, grant);
        }
        // The delegation keeps the files. Nothing else depends on an open that denies nothing and nobody knows.
        core.files.close(client, request.file(), stateid);
        return new OpenedFile(null, grant);
    }

    /** The files of an OPEN, until a state owns them. */
    private static final class Files {
        @Nullable
        SharedFile reader;

        @Nullable
        SharedFile writer;

        Files(@Nullable SharedFile reader, @Nullable SharedFile writer) {
            this.reader = reader;
            this.writer = writer;
        }

        void release() {
            if (reader != null) {
                reader.release();
            }
            if (writer != null) {
                writer.release();
            }
        }
    }

    /**
     * Reserves for a client of another protocol, unless an open denies one of these accesses or has one that is to be
     * denied.
     *
     * @param then notes the reservation, so that an open finds it; run under the lock of the state
     * @throws Nfs4Exception SHARE_DENIED if there is such an open, DELAY if there is one whose client is leaving
     */
    public void reserve(long nowNanos, FileKey file, int access, int deny, Runnable then) throws Nfs4Exception {
        var _ = core.afterDepartures(() -> {
            core.expireWhile(nowNanos, () -> core.files.shareConflict(file, access, deny), Nfs4Status.SHARE_DENIED);
            then.run();
            return true;
        });
    }

    /** OPEN_DOWNGRADE. */
    public Stateid downgrade(Client client, FileKey file, Stateid stateid, int access, int deny) throws Nfs4Exception {
        return core.locked(() -> core.files.downgrade(client, file, stateid, access, deny));
    }

    /** CLOSE. Releases the open's locks too. Returns the stateid with its seqid increased. */
    public Stateid close(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        return core.locked(() -> core.files.close(client, file, stateid));
    }
}
