package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * LAYOUTCOMMIT (RFC 8881, section 18.42).
 *
 * <pre>
 *   offset4; length4; bool loca_reclaim; stateid4; newoffset4 { bool; offset4 }; newtime4 { bool; nfstime4 };
 *   layoutupdate4 { layouttype4; opaque lou_body&lt;&gt; }
 *   result: newsize4 { bool; length4 }
 * </pre>
 *
 * <p>Data servers write the file itself, so its size and times are those that this server sees. There is nothing to
 * change. Layouts say so (FF_FLAGS_NO_LAYOUTCOMMIT).
 */
final class LayoutCommit implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        LayoutArguments.dataServers(call);
        long offset = in.int64();
        long length = in.int64();
        boolean reclaim = in.bool();
        Stateid stateid = in.stateid();
        boolean hasGrown = in.bool();
        long lastWritten = hasGrown ? in.int64() : 0;
        if (in.bool()) {
            in.int64();
            in.int32();
        }
        int type = in.int32();
        Opaque.decode(in);
        LayoutArguments.requireFlexFiles(type);
        LayoutArguments.requireRange(offset, length);
        if (hasGrown && !isWithin(lastWritten, offset, length)) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        if (reclaim) {
            // The file's identity is enough: the client has no layout after a restart (section 18.42.3).
            call.files().current();
            if (!call.services().state().isGraceRunning(call.nowNanos())) {
                throw Nfs4Exception.of(Nfs4Status.NO_GRACE);
            }
        } else {
            requireLayoutToWrite(call, stateid);
        }
        out.bool(false);
    }

    /** NFS4_MAXFILEOFF is one less than the largest number. */
    private static boolean isWithin(long lastWritten, long offset, long length) {
        return lastWritten != -1
                && Long.compareUnsigned(lastWritten, offset) >= 0
                && (length == LayoutArguments.WHOLE || Long.compareUnsigned(lastWritten - offset, length) < 0);
    }

    /**
     * BADLAYOUT for any stateid that is not of a layout of the file: BAD_STATEID is no error of this operation (section
     * 15.2). BADIOMODE for that of a layout to read (section 18.42.3).
     */
    private static void requireLayoutToWrite(CallContext call, Stateid stateid) throws Nfs4Exception {
        FileKey file = FileKey.of(call.files().current().identity());
        call.services()
                .state()
                .layouts()
                .requireToWrite(call.calling().client(), file, call.files().resolve(stateid));
    }
}
