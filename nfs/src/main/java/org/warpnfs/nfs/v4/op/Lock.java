package org.warpnfs.nfs.v4.op;

import java.util.function.Consumer;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.locks.LockedFile;
import org.warpnfs.nfs.v4.state.LockStates;
import org.warpnfs.nfs.v4.state.OwnerStates;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.LockOwner;
import org.warpnfs.nfs.v4.state.file.LockRequest;
import org.warpnfs.nfs.v4.state.file.OwnerTurn;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * LOCK (RFC 8881, section 18.10).
 *
 * <pre>
 *   nfs_lock_type4 locktype
 *   bool           reclaim
 *   offset4        offset
 *   length4        length
 *   locker4        new_lock_owner: open_seqid, open_stateid, lock_seqid, clientid, owner; else lock_stateid, lock_seqid
 * </pre>
 */
final class Lock implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        int type = LockTypes.decode(in);
        boolean reclaim = in.bool();
        long offset = in.int64();
        long length = in.int64();
        boolean isNew = in.bool();
        int openSeqid = isNew ? in.int32() : 0;
        Stateid stateid = call.files().resolve(in.stateid());
        int lockSeqid = in.int32();
        Opaque owner = null;
        if (isNew) {
            // In a session, the client id in this argument is ignored (section 18.10.3).
            call.calling().clientById(in.int64());
            owner = Opaque.decode(in);
        }
        Location file = call.files().current();
        if (call.minorVersion() == 0) {
            OwnerStates owners = call.services().state().owners();
            OwnerTurn turn = owner == null
                    ? owners.begin(stateid, lockSeqid, OpCode.LOCK)
                    : owners.beginLock(stateid, openSeqid, owner, lockSeqid);
            if (OwnerSequence.repeats(call, turn, out)) {
                return;
            }
        }
        requireRegular(file);
        Client client = call.calling().clientOf(stateid);
        boolean waits = LockTypes.isWaiting(type) && !reclaim;
        LockRequest request = new LockRequest(
                LockedFile.of(file.fileSystem(), file.file()),
                LockTypes.isExclusive(type),
                LockTypes.range(offset, length),
                reclaim,
                stateid,
                owner,
                waits,
                // NFSv4.0 has no callback for it.
                waits && call.minorVersion() > 0 ? turnOf(call, file) : null);
        LockStates locks = call.services().state().locks();
        if (!reclaim) {
            requirePermitted(call, file, client, request);
        }
        Stateid lock = locks.lock(call.nowNanos(), client, request);
        call.files().setCurrentStateid(lock);
        lock.encode(out);
    }

    /** Another user than the one who opened the file may lock it as the file's permissions say. */
    private static void requirePermitted(CallContext call, Location file, Client client, LockRequest request)
            throws Nfs4Exception, FsException {
        Caller caller = call.admissions().callerAt(file);
        if (!call.services().state().locks().isOpenedBy(client, request, caller)
                && !FileAccess.isPermitted(caller, file, request.exclusive() ? OpenAccess.WRITE : OpenAccess.READ)) {
            throw Nfs4Exception.of(Nfs4Status.ACCESS);
        }
    }

    /** Tells the client by CB_NOTIFY_LOCK, mostly long after this call has ended. */
    private static Consumer<LockOwner> turnOf(CallContext call, Location file) {
        Nfs4Services services = call.services();
        Opaque handle = Opaque.of(services.handles().encode(file));
        ReferringCall denied = call.calling().referring();
        return owner -> services.state()
                .callbacks()
                .notifyLock(
                        services.clockNanos().getAsLong(),
                        owner.client(),
                        new CallbackCall.NotifyLock(handle, owner.client().id(), owner.owner(), denied));
    }

    static void requireRegular(Location file) throws Nfs4Exception, FsException {
        FileType type = file.type();
        if (type != FileType.REGULAR) {
            throw Nfs4Exception.of(
                    switch (type) {
                        case DIRECTORY -> Nfs4Status.ISDIR;
                        case SYMLINK -> Nfs4Status.SYMLINK;
                        case REGULAR, BLOCK_DEVICE, CHARACTER_DEVICE, FIFO, SOCKET -> Nfs4Status.WRONG_TYPE;
                    });
        }
    }
}
