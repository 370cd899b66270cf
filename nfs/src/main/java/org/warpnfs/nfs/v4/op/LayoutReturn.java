package org.warpnfs.nfs.v4.op;

import java.util.Optional;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.layout.DataServerChoice;
import org.warpnfs.nfs.v4.layout.LayoutReport;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.LayoutReturned;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * LAYOUTRETURN (RFC 8881, section 18.44).
 *
 * <pre>
 *   bool lora_reclaim; layouttype4; layoutiomode4; layoutreturn_type4
 *   LAYOUTRETURN4_FILE 1: offset4; length4; stateid4; opaque lrf_body&lt;&gt; (ff_layoutreturn4)
 *   LAYOUTRETURN4_FSID 2, LAYOUTRETURN4_ALL 3: nothing
 *   result: bool lrs_present; stateid4 if it is true
 * </pre>
 */
final class LayoutReturn implements ChangingOperation {
    private static final int OF_FILE = 1;
    private static final int OF_FSID = 2;
    private static final int OF_ALL = 3;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        DataServerChoice choice = LayoutArguments.dataServers(call);
        boolean reclaim = in.bool();
        int type = in.int32();
        int iomode = in.int32();
        int what = in.int32();
        Client client = call.calling().client();
        if (iomode < LayoutArguments.IOMODE_READ || iomode > LayoutArguments.IOMODE_ANY) {
            // BADIOMODE is no error of this operation (section 15.2).
            throw Nfs4Exception.of(Nfs4Status.BADXDR);
        }
        LayoutArguments.requireFlexFiles(type);
        LayoutReturned all =
                new LayoutReturned(iomode != LayoutArguments.IOMODE_RW, iomode != LayoutArguments.IOMODE_READ);
        if (reclaim && (what == OF_FSID || what == OF_ALL)) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        Optional<Stateid> left =
                switch (what) {
                    case OF_FILE -> ofFile(call, client, reclaim, all, choice, in);
                    case OF_FSID -> {
                        Location file = call.files().current();
                        call.services().state().layouts().giveBackAll(client, file.fileSystem(), all);
                        yield Optional.empty();
                    }
                    case OF_ALL -> {
                        call.services().state().layouts().giveBackAll(client, null, all);
                        yield Optional.empty();
                    }
                    default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
                };
        if (what == OF_FILE) {
            call.files().setCurrentStateid(left.orElse(Stateid.ANONYMOUS));
        }
        out.bool(left.isPresent());
        left.ifPresent(stateid -> stateid.encode(out));
    }

    private static Optional<Stateid> ofFile(
            CallContext call,
            Client client,
            boolean reclaim,
            LayoutReturned all,
            DataServerChoice choice,
            CompoundReader in)
            throws Nfs4Exception {
        long offset = in.int64();
        long length = in.int64();
        Stateid stateid = in.stateid();
        LayoutReport report = LayoutReport.decode(in);
        LayoutArguments.requireRange(offset, length);
        FileKey file = FileKey.of(call.files().current().identity());
        if (reclaim) {
            // It tells of errors at data servers before the restart. This server grants no layouts again.
            if (!call.services().state().isGraceRunning(call.nowNanos())) {
                throw Nfs4Exception.of(Nfs4Status.NO_GRACE);
            }
            choice.failed(call.nowNanos(), client.id(), file, report.errors());
            return Optional.empty();
        }
        boolean isWhole = offset == 0 && length == LayoutArguments.WHOLE;
        Optional<Stateid> left = call.services()
                .state()
                .layouts()
                .giveBack(
                        client, file, call.files().resolve(stateid), isWhole ? all : new LayoutReturned(false, false));
        choice.failed(call.nowNanos(), client.id(), file, report.errors());
        choice.used(client.id(), file, report.uses());
        if (left.isEmpty()) {
            choice.returned(client.id(), file);
        }
        return left;
    }
}
