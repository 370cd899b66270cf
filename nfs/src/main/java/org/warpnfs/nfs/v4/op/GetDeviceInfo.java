package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.warpnfs.nfs.v4.layout.DataServer;
import org.warpnfs.nfs.v4.layout.DataServerChoice;
import org.warpnfs.nfs.v4.layout.DeviceId;
import org.warpnfs.nfs.v4.layout.FlexFileLayout;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * GETDEVICEINFO (RFC 8881, section 18.40).
 *
 * <pre>
 *   deviceid4; layouttype4; count4 gdia_maxcount; bitmap4 gdia_notify_types
 *   result: device_addr4 { layouttype4; opaque da_addr_body&lt;&gt; }; bitmap4 gdir_notification
 *   TOOSMALL: count4 gdir_mincount
 * </pre>
 *
 * <p>No notification is promised: a device keeps its addresses as long as it has its id.
 */
final class GetDeviceInfo implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        DataServerChoice choice = LayoutArguments.dataServers(call);
        DeviceId id = DeviceId.decode(in);
        int type = in.int32();
        long maxCount = in.uint32();
        Bitmap.decode(in);
        LayoutArguments.requireFlexFiles(type);
        DataServer server = choice.servers().of(id);
        if (server == null) {
            throw Nfs4Exception.of(Nfs4Status.NOENT);
        }
        CompoundWriter body = new CompoundWriter();
        server.encode(call.services().facts().maxWriteBytes(), body);
        int least = 2 * Integer.BYTES + (int) body.sizeBytes();
        if (maxCount != 0 && maxCount < least) {
            throw new TooSmall(least);
        }
        out.int32(FlexFileLayout.TYPE);
        // With a count of 0 a client asks for notifications alone (section 18.40.3).
        out.opaque(maxCount == 0 ? new byte[0] : body.toByteArray());
        Bitmap.encode(new BitSet(), out);
    }

    /** TOOSMALL, with the count that suffices. */
    private static final class TooSmall extends Nfs4Exception {
        private static final long serialVersionUID = 1L;
        private final int leastBytes;

        TooSmall(int leastBytes) {
            super(Nfs4Status.TOOSMALL, "a device address of " + leastBytes + " bytes");
            this.leastBytes = leastBytes;
        }

        @Override
        public void encodeBody(CompoundWriter out) {
            out.int32(leastBytes);
        }
    }
}
