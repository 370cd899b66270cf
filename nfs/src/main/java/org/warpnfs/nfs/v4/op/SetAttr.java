package org.warpnfs.nfs.v4.op;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.AttributeUpdate;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.IoGrant;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** SETATTR (RFC 8881, section 18.30). Its result names the attributes that were set even if it fails. */
final class SetAttr implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = in.stateid();
        Location file = call.files().current();
        AttributeUpdate update = AttributeUpdate.decode(
                in, call.minorVersion(), file.fileSystem().limits(), call.owners());
        set(call, file, stateid, update);
        Bitmap.encode(update.named(), out);
    }

    private static void set(CallContext call, Location file, Stateid stateid, AttributeUpdate update)
            throws Nfs4Exception, FsException {
        call.admissions().requireWritable(file);
        AttributeChanges changes = update.changes();
        AclChanges aclChanges = update.named().get(Attributes.ACL) ? update.aclChanges(file.type()) : null;
        if (update.delegatedAccessTime() != null || update.delegatedModifyTime() != null) {
            applyDelegated(call, file, stateid, update);
            if (changes.isEmpty() && aclChanges == null) {
                return;
            }
        }
        if (changes.sizeBytes() == null) {
            apply(call, file, changes, aclChanges);
            return;
        }
        requireRegular(file.type());
        // The open that permits the change of size, whichever it is, stays open during the change.
        Stateid meant = call.files().resolve(stateid);
        IoGrant grant = call.services()
                .state()
                .stateids()
                .grantWrite(call.nowNanos(), call.calling().clientOfIo(meant), FileKey.of(file.identity()), meant);
        try {
            apply(call, file, changes, aclChanges);
        } finally {
            grant.close();
        }
    }

    /**
     * Sets the times that a client has kept under its write delegation. The caller need not be allowed to set times:
     * the client's writes would have set them.
     */
    private static void applyDelegated(CallContext call, Location file, Stateid stateid, AttributeUpdate update)
            throws Nfs4Exception, FsException {
        Stateid meant = call.files().resolve(stateid);
        FileAttributes granted = call.services()
                .state()
                .delegations()
                .timesOf(call.calling().clientOf(meant), FileKey.of(file.identity()), meant);
        AttributeChanges times = DelegatedTimes.of(update.delegatedAccessTime(), update.delegatedModifyTime(), granted);
        if (times.isEmpty()) {
            return;
        }
        try (FileChange _ = FileChange.of(call, file)) {
            file.fileSystem().setAttributes(Caller.ROOT, file.file(), times);
        }
    }

    /** Sets the mode before the list: if both are set, the list decides (section 6.4.1.3). */
    private static void apply(
            CallContext call, Location file, AttributeChanges changes, @Nullable AclChanges aclChanges)
            throws Nfs4Exception, FsException {
        FileSystem fileSystem = file.fileSystem();
        Caller caller = call.admissions().callerAt(file);
        try (FileChange _ = FileChange.of(call, file)) {
            if (aclChanges == null || !changes.isEmpty()) {
                fileSystem.setAttributes(caller, file.file(), changes);
            }
            if (aclChanges != null) {
                fileSystem.setAcls(caller, file.file(), aclChanges);
            }
        }
    }

    private static void requireRegular(FileType type) throws Nfs4Exception {
        if (type != FileType.REGULAR) {
            throw Nfs4Exception.of(type == FileType.DIRECTORY ? Nfs4Status.ISDIR : Nfs4Status.INVAL);
        }
    }
}
