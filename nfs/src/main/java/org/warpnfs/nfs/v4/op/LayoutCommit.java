package org.warpnfs.nfs.v4.op;

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
        in.int64();
        in.int64();
        boolean reclaim = in.bool();
        Stateid stateid = in.stateid();
        if (in.bool()) {
            in.int64();
        }
        if (in.bool()) {
            in.int64();
            in.int32();
        }
        int type = in.int32();
        Opaque.decode(in);
        LayoutArguments.requireFlexFiles(type);
        if (reclaim) {
            // The file's identity is enough: the client has no layout after a restart (section 18.42.3).
            call.files().current();
            if (!call.services().state().isGraceRunning(call.nowNanos())) {
                throw Nfs4Exception.of(Nfs4Status.NO_GRACE);
            }
        } else {
            LayoutArguments.requireLayout(call, stateid);
        }
        out.bool(false);
    }
}
