package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
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
        BitSet done = new BitSet();
        try {
            Location file = call.files().current();
            AttributeUpdate update = AttributeUpdate.decode(in, call.supported(file), call.owners());
            set(call, file, stateid, update, done);
            Bitmap.encode(update.named(), out);
        } catch (FsException e) {
            throw new PartlySet(Statuses.of(e.error()), done);
        } catch (Nfs4Exception e) {
            throw new PartlySet(e.status(), done);
        }
    }

    /** @param done the attributes that were set, also if the rest fails */
    private static void set(CallContext call, Location file, Stateid stateid, AttributeUpdate update, BitSet done)
            throws Nfs4Exception, FsException {
        call.admissions().requireWritable(file);
        AttributeChanges changes = update.changes();
        AclChanges aclChanges = update.aclChanges(file.type());
        if (changes.sizeBytes() == null) {
            applyDelegated(call, file, stateid, update, done);
            if (!changes.isEmpty()
                    || aclChanges != null
                    || update.delegatedTimes().isEmpty()) {
                apply(call, file, update, aclChanges, done);
            }
            return;
        }
        requireRegular(file.type());
        // The open that permits the change of size, whichever it is, stays open during the change.
        Stateid meant = call.files().resolve(stateid);
        try (IoGrant _ = call.services()
                .state()
                .stateids()
                .grantWrite(call.nowNanos(), call.calling().clientOfIo(meant), FileKey.of(file.identity()), meant)) {
            applyDelegated(call, file, stateid, update, done);
            apply(call, file, update, aclChanges, done);
        }
    }

    /**
     * Sets the times that a client has kept under its write delegation. The caller need not be allowed to set times:
     * the client's writes would have set them.
     */
    private static void applyDelegated(
            CallContext call, Location file, Stateid stateid, AttributeUpdate update, BitSet done)
            throws Nfs4Exception, FsException {
        if (update.delegatedTimes().isEmpty()) {
            return;
        }
        Stateid meant = call.files().resolve(stateid);
        FileAttributes granted = call.services()
                .state()
                .delegations()
                .timesOf(call.calling().clientOf(meant), FileKey.of(file.identity()), meant);
        AttributeChanges times = DelegatedTimes.of(update.delegatedAccessTime(), update.delegatedModifyTime(), granted);
        if (!times.isEmpty()) {
            try (FileChange _ = FileChange.of(call, file)) {
                file.fileSystem().setAttributes(Caller.ROOT, file.file(), times);
            }
        }
        done.or(update.delegatedTimes());
    }

    /** Sets the mode before the list: if both are set, the list decides (section 6.4.1.3). */
    private static void apply(
            CallContext call, Location file, AttributeUpdate update, @Nullable AclChanges aclChanges, BitSet done)
            throws Nfs4Exception, FsException {
        FileSystem fileSystem = file.fileSystem();
        Caller caller = call.admissions().callerAt(file);
        AttributeChanges changes = update.changes();
        try (FileChange _ = FileChange.of(call, file)) {
            if (aclChanges == null || !changes.isEmpty()) {
                fileSystem.setAttributes(caller, file.file(), changes);
                done.or(update.named(changes));
            }
            if (aclChanges != null) {
                fileSystem.setAcls(caller, file.file(), aclChanges);
            }
        } catch (FsException e) {
            done.or(update.named(e.made()));
            throw e;
        }
    }

    private static void requireRegular(FileType type) throws Nfs4Exception {
        if (type != FileType.REGULAR) {
            throw Nfs4Exception.of(type == FileType.DIRECTORY ? Nfs4Status.ISDIR : Nfs4Status.INVAL);
        }
    }

    /** An error with the attributes that were set before it. Where there are none, the empty bitmap is added later. */
    private static final class PartlySet extends Nfs4Exception {
        private static final long serialVersionUID = 1L;

        private final BitSet done;

        PartlySet(Nfs4Status status, BitSet done) {
            super(status, status.name());
            this.done = done;
        }

        @Override
        public void encodeBody(CompoundWriter out) {
            if (!done.isEmpty()) {
                Bitmap.encode(done, out);
            }
        }
    }
}
