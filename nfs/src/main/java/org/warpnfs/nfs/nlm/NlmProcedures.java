package org.warpnfs.nfs.nlm;

import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.export.Admission;
import org.warpnfs.nfs.export.ExportDenial;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.HandleViolation;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.Requester;

/**
 * What the procedures do with their arguments.
 *
 * <p>Who may read a file may lock it, and who may write it may lock it exclusively; exports that are read-only give no
 * exclusive lock. Unlocking needs no permission but the export's. Clients speak NLM in clear even where they use TLS
 * for NFS, so it needs no protection. Exports for layouts alone give no locks. No file stays open.
 */
final class NlmProcedures {
    private final ExportTable exports;
    private final NfsHandles handles;
    private final NlmLocks locks;
    private final NlmShares shares;
    private final Restarts restarts;
    private final OtherPrograms others;

    NlmProcedures(
            ExportTable exports,
            NfsHandles handles,
            NlmLocks locks,
            NlmShares shares,
            Restarts restarts,
            OtherPrograms others) {
        this.restarts = restarts;
        this.others = others;
        this.exports = exports;
        this.handles = handles;
        this.locks = locks;
        this.shares = shares;
    }

    /** Who calls, and from where. */
    record Call(Requester requester, NlmCaller from) {}

    /** @throws RpcAuthException if the credential is not served */
    Call callOf(RpcCall rpc) throws RpcAuthException {
        return new Call(exports.requesterOf(rpc), NlmCaller.of(rpc));
    }

    /** A refusal without a stack trace. */
    private static final class Refusal extends Exception {
        private static final long serialVersionUID = 1L;
        private final NlmStatus status;

        Refusal(NlmStatus status) {
            super(status.name(), null, false, false);
            this.status = status;
        }
    }

    private record Found(Location location, Admission admission) {}

    private Found find(Call call, Netobj handle) throws Refusal {
        try {
            Location location = handles.decode(handle.toBytes());
            return new Found(location, location.export().admitToMount(call.requester()));
        } catch (HandleViolation e) {
            throw new Refusal(e.error() == FsError.STALE ? NlmStatus.STALE_FH : NlmStatus.FAILED);
        } catch (ExportDenial e) {
            throw new Refusal(
                    switch (e.reason()) {
                        case HOST, FLAVOR, PORT, PROTECTION, TRANSPORT -> NlmStatus.FAILED;
                        // The client asks again, which it also does in a grace period.
                        case PENDING -> NlmStatus.DENIED_GRACE_PERIOD;
                    });
        }
    }

    /** A client's lock manager has no Kerberos. That alone makes an export no read-only one. */
    private static boolean isReadOnly(Call call, Found found) throws Refusal {
        try {
            return found.location().export().isReadOnlyFor(call.requester());
        } catch (ExportDenial e) {
            throw new Refusal(NlmStatus.FAILED);
        }
    }

    private Found findToLock(Call call, Netobj handle, boolean exclusive) throws Refusal {
        Found found = find(call, handle);
        if (found.location().export().traits().layoutsOnly()) {
            throw new Refusal(NlmStatus.FAILED);
        }
        if (exclusive && isReadOnly(call, found)) {
            throw new Refusal(NlmStatus.ROFS);
        }
        try {
            requireOpen(found, exclusive);
        } catch (FsException e) {
            throw new Refusal(NlmStatus.of(e));
        }
        return found;
    }

    private static void requireOpen(Found found, boolean exclusive) throws FsException {
        Caller caller = found.admission().caller();
        try (OpenFile _ = open(found, caller, OpenAccess.READ)) {
            return;
        } catch (FsException e) {
            if (!exclusive || e.error() != FsError.ACCESS) {
                throw e;
            }
        }
        open(found, caller, OpenAccess.WRITE).close();
    }

    private static OpenFile open(Found found, Caller caller, OpenAccess access) throws FsException {
        return found.location().fileSystem().open(caller, found.location().file(), access);
    }

    /** TEST. */
    NlmReply test(Call call, TestArgs args) {
        try {
            Found found = findToLock(call, args.lock().file(), false);
            return locks.test(call.from(), found.location(), args);
        } catch (Refusal e) {
            return NlmReply.of(e.status);
        }
    }

    /** LOCK, or NM_LOCK, whose client does not want to be monitored. */
    NlmReply lock(Call call, LockArgs args, boolean monitored) {
        try {
            Found found = findToLock(call, args.lock().file(), args.exclusive());
            return NlmReply.of(locks.lock(call.from(), found.location(), args, monitored));
        } catch (Refusal e) {
            return NlmReply.of(e.status);
        }
    }

    /** CANCEL. */
    NlmReply cancel(Call call, CancelArgs args) {
        try {
            Found found = find(call, args.lock().file());
            return NlmReply.of(locks.cancel(call.from(), found.location(), args));
        } catch (Refusal e) {
            return NlmReply.of(e.status);
        }
    }

    /** UNLOCK. */
    NlmReply unlock(Call call, UnlockArgs args) {
        try {
            Found found = find(call, args.lock().file());
            return NlmReply.of(locks.unlock(call.from(), found.location(), args));
        } catch (Refusal e) {
            return NlmReply.of(e.status);
        }
    }

    /**
     * SHARE and UNSHARE. While clients reclaim, a SHARE is for those of them that had locks: nobody else is known to
     * have had any. After that a reclaim is a SHARE like any other.
     */
    NlmReply share(Call call, ShareArgs args, boolean isShare) {
        NlmHost host = call.from().host(args.callerName());
        try {
            if (!isShare) {
                Found found = find(call, args.file());
                return new NlmReply.Shared(shares.unshare(host, found.location().identity(), args));
            }
            if (locks.isReclaiming() && !(args.reclaim() && locks.mayReclaim(host))) {
                return new NlmReply.Shared(NlmStatus.DENIED_GRACE_PERIOD);
            }
            Found found = findToLock(call, args.file(), args.writes());
            return new NlmReply.Shared(shared(host, found.location(), args));
        } catch (Refusal e) {
            return new NlmReply.Shared(e.status);
        }
    }

    private NlmStatus shared(NlmHost host, Location location, ShareArgs args) {
        FileIdentity file = location.identity();
        NlmStatus[] made = {NlmStatus.DENIED};
        try (FileChanges.Change _ = others.fileChanges().begin(file)) {
            boolean _ = others.opens()
                    .reserve(
                            file,
                            args.access(),
                            args.deny(),
                            () -> made[0] = shares.share(host, file, location.fileSystem(), args));
            return made[0];
        } catch (FsException e) {
            // A delegation is being recalled, whose client opens files without asking; or an open is ending.
            return NlmStatus.DENIED_GRACE_PERIOD;
        }
    }

    /** FREE_ALL: what the host of that name has, if the call comes from its address. */
    NlmReply freeAll(Call call, StateArgs args) {
        NlmHost host = call.from().host(args.name());
        int _ = restarts.free(call.from(), host::equals);
        return NlmReply.of(NlmStatus.GRANTED);
    }
}
