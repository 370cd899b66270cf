package org.warpnfs.nfs.v4.op;

import java.util.List;
import org.warpnfs.nfs.v4.layout.DataServerChoice;
import org.warpnfs.nfs.v4.layout.DeviceReport;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * LAYOUTSTATS (RFC 7862, section 15.7): a client says what it has moved at a data server. It is counted, and decides
 * nothing.
 *
 * <pre>
 *   offset4; length4; stateid4; io_info4 lsa_read, lsa_write; deviceid4; layoutupdate4 { layouttype4; opaque&lt;&gt; }
 * </pre>
 */
final class LayoutStats implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        DataServerChoice choice = LayoutArguments.dataServers(call);
        in.int64();
        in.int64();
        Stateid stateid = in.stateid();
        DeviceReport report = DeviceReport.decode(in);
        int type = in.int32();
        Opaque.decode(in);
        LayoutArguments.requireFlexFiles(type);
        FileKey file = LayoutArguments.requireLayout(call, stateid);
        choice.used(call.calling().client().id(), file, List.of(report));
    }
}
