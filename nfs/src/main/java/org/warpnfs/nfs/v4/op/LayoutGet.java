package org.warpnfs.nfs.v4.op;

import java.util.List;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.fence.FenceEpochs;
import org.warpnfs.nfs.fence.FenceStamp;
import org.warpnfs.nfs.v4.layout.DataServerChoice;
import org.warpnfs.nfs.v4.layout.DeviceId;
import org.warpnfs.nfs.v4.layout.FlexFileLayout;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.LayoutGrant;
import org.warpnfs.nfs.v4.state.file.LayoutRequest;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * LAYOUTGET (RFC 8881, section 18.43).
 *
 * <pre>
 *   bool loga_signal_layout_avail; layouttype4; layoutiomode4; offset4; length4; length4 loga_minlength;
 *   stateid4; count4 loga_maxcount
 *   result: bool logr_return_on_close; stateid4; layout4&lt;&gt; { offset4; length4; layoutiomode4;
 *           layout_content4 { layouttype4; opaque loc_body&lt;&gt; } }
 * </pre>
 *
 * <p>A layout is always one of the whole file. A client that gets LAYOUTUNAVAILABLE reads and writes through this
 * server.
 */
final class LayoutGet implements ChangingOperation {
    /** With a few mirrors. A layout whose reply does not fit is not lost: the client gets the same again. */
    private static final int USUAL_BYTES = 512;

    @Override
    public int leastReplyBytes() {
        return USUAL_BYTES;
    }

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        DataServerChoice choice = LayoutArguments.dataServers(call);
        in.bool();
        int type = in.int32();
        int iomode = in.int32();
        long offset = in.int64();
        long length = in.int64();
        long least = in.int64();
        Stateid stateid = in.stateid();
        long maxCount = in.uint32();
        Location file = call.files().current();
        LayoutArguments.requireFlexFiles(type);
        if (iomode != LayoutArguments.IOMODE_READ && iomode != LayoutArguments.IOMODE_RW) {
            throw Nfs4Exception.of(Nfs4Status.BADIOMODE);
        }
        requireRange(offset, length, least);
        if (file.attributes().type() != FileType.REGULAR) {
            throw Nfs4Exception.of(Nfs4Status.WRONG_TYPE);
        }
        if (call.services().state().isRecovering(call.nowNanos())) {
            // Layouts are not kept over a restart (section 18.43.3).
            throw Nfs4Exception.of(Nfs4Status.GRACE);
        }
        boolean writes = iomode == LayoutArguments.IOMODE_RW;
        FileKey key = FileKey.of(file.identity());
        DataServerUser user = DataServerUser.of(call, file, writes);
        List<DeviceId> servers =
                choice.choose(call.nowNanos(), call.calling().client().id(), key, writes);
        if (user == null || servers.isEmpty() || !file.export().traits().layouts()) {
            throw Nfs4Exception.of(Nfs4Status.LAYOUTUNAVAILABLE);
        }
        Opaque handle = Opaque.of(call.services().handles().encode(file));
        // logr_return_on_close and the stateid precede it.
        if (Integer.BYTES + Stateid.LENGTH_BYTES + content(iomode, servers, handle, user).length > maxCount) {
            throw Nfs4Exception.of(Nfs4Status.TOOSMALL);
        }
        LayoutGrant granted = call.services()
                .state()
                .layouts()
                .grant(
                        call.nowNanos(),
                        new LayoutRequest(
                                call.calling().client(),
                                key,
                                file.fileSystem(),
                                call.files().resolve(stateid),
                                writes,
                                handle,
                                call.calling().referring(),
                                FenceEpochs.keyOf(file.file().toBytes())));
        FenceStamp stamp = granted.stamp();
        // As long as the handle with which the size was checked.
        Opaque atDataServers =
                stamp == null ? handle : Opaque.of(call.services().handles().encodeForLayout(file, stamp, writes));
        call.files().setCurrentStateid(granted.stateid());
        out.bool(true);
        granted.stateid().encode(out);
        out.fixedOpaque(content(iomode, servers, atDataServers, user));
    }

    private static byte[] content(int iomode, List<DeviceId> servers, Opaque handle, DataServerUser user) {
        CompoundWriter content = new CompoundWriter();
        encode(iomode, new FlexFileLayout(servers, handle, user.uid(), user.gid()), content);
        return content.toByteArray();
    }

    private static void encode(int iomode, FlexFileLayout layout, CompoundWriter out) {
        out.int32(1);
        out.int64(0);
        out.int64(LayoutArguments.WHOLE);
        out.int32(iomode);
        out.int32(FlexFileLayout.TYPE);
        int lengthAt = out.position();
        out.int32(0);
        layout.encode(out);
        out.patch(lengthAt, out.position() - lengthAt - Integer.BYTES);
    }

    private static void requireRange(long offset, long length, long least) throws Nfs4Exception {
        LayoutArguments.requireRange(offset, length);
        boolean isPart = length != LayoutArguments.WHOLE;
        if ((isPart && Long.compareUnsigned(length, least) < 0)
                || (least != LayoutArguments.WHOLE && Long.compareUnsigned(least, -1 - offset) > 0)) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
    }
}
