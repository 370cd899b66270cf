package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.AttributeUpdate;
import org.warpnfs.nfs.v4.state.IoGrant;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** SETATTR (RFC 8881 section 18.30): its result names the attributes that were set also when it fails. */
final class SetAttr implements ChangingOperation {
    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception, FsException {
        Stateid stateid = in.stateid();
        try {
            BitSet set = set(call, stateid, AttributeUpdate.decode(in, call.minorVersion()));
            Bitmap.encode(set, out);
        } catch (FsException e) {
            throw new NothingSet(Statuses.of(e.error()));
        } catch (Nfs4Exception e) {
            throw new NothingSet(e.status());
        }
    }

    private static BitSet set(CallContext call, Stateid stateid, AttributeUpdate update)
            throws Nfs4Exception, FsException {
        Location file = call.current();
        CallContext.requireWritable(file);
        AttributeChanges changes = update.changes();
        if (changes.sizeBytes() == null) {
            apply(call, file, changes);
            return update.named();
        }
        requireRegular(CallContext.attributes(file).type());
        // The open under which the size may change, whichever it is, stays while it does.
        IoGrant grant = call.services()
                .state()
                .stateids()
                .grantWrite(call.nowNanos(), call.client(), CallContext.keyOf(file), call.resolve(stateid));
        try {
            apply(call, file, changes);
            return update.named();
        } finally {
            grant.close();
        }
    }

    private static void apply(CallContext call, Location file, AttributeChanges changes)
            throws Nfs4Exception, FsException {
        try (FileChange _ = FileChange.of(call, file)) {
            CallContext.fileSystem(file).setAttributes(call.callerAt(file), file.file(), changes);
        }
    }

    private static void requireRegular(FileType type) throws Nfs4Exception {
        if (type != FileType.REGULAR) {
            throw Nfs4Exception.of(type == FileType.DIRECTORY ? Nfs4Status.ISDIR : Nfs4Status.INVAL);
        }
    }

    /** The bitmap follows every status: empty, since a change that failed in part is not taken apart. */
    private static final class NothingSet extends Nfs4Exception {
        private static final long serialVersionUID = 1L;

        NothingSet(Nfs4Status status) {
            super(status, status.name());
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.int32(0);
        }
    }
}
