package org.warpnfs.nfs.v4.op;

import java.util.List;
import org.warpnfs.nfs.v4.layout.DataServerChoice;
import org.warpnfs.nfs.v4.layout.DeviceError;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * LAYOUTERROR (RFC 7862, section 15.6): a client says that it has failed at a data server.
 *
 * <pre>
 *   offset4; length4; stateid4; device_error4 lea_errors&lt;&gt; { deviceid4; nfsstat4; nfs_opnum4 }
 * </pre>
 */
final class LayoutError implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        DataServerChoice choice = LayoutArguments.dataServers(call);
        in.int64();
        in.int64();
        Stateid stateid = in.stateid();
        List<DeviceError> errors = DeviceError.decodeList(in);
        FileKey file = LayoutArguments.requireLayout(call, stateid);
        choice.failed(call.nowNanos(), call.calling().client().id(), file, errors);
    }
}
