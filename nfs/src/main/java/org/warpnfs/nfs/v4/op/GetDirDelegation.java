package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Optional;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.DelegationStates;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * GET_DIR_DELEGATION (RFC 8881, section 18.39).
 *
 * <pre>
 *   bool          gdda_signal_deleg_avail
 *   bitmap4       gdda_notification_types
 *   attr_notice4  gdda_child_attr_delay, gdda_dir_attr_delay: nfstime4 each
 *   bitmap4       gdda_child_attributes, gdda_dir_attributes
 * </pre>
 *
 * <p>No notification is ever promised. A change by anyone else recalls the delegation.
 */
final class GetDirDelegation implements ChangingOperation {
    private static final int GDD4_OK = 0;
    private static final int GDD4_UNAVAIL = 1;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        in.bool();
        Bitmap.decode(in);
        for (int delay = 0; delay < 2; delay++) {
            in.int64();
            in.int32();
        }
        Bitmap.decode(in);
        Bitmap.decode(in);
        DelegationStates delegations = call.services().state().delegations();
        Location directory = call.files().current();
        if (!delegations.mayDelegateDirectories()) {
            throw Nfs4Exception.of(Nfs4Status.NOTSUPP);
        }
        Names.requireDirectory(directory);
        call.services().state().requireNoGrace(call.nowNanos());
        EnumSet<Permission> read = EnumSet.of(Permission.READ);
        if (!directory
                .fileSystem()
                .permissions(call.admissions().callerAt(directory), directory.file(), read)
                .equals(read)) {
            throw Nfs4Exception.of(Nfs4Status.ACCESS);
        }
        encode(dependsOnExports(call, directory) ? Optional.empty() : granted(call, directory), out);
    }

    /** True for a directory whose entries also depend on the exports, which change without a recall. */
    private static boolean dependsOnExports(CallContext call, Location directory) {
        return directory.export().isPseudo() || call.services().exports().hasMounts(directory);
    }

    private static Optional<Stateid> granted(CallContext call, Location directory) throws Nfs4Exception {
        return call.services()
                .state()
                .delegations()
                .grantDirectory(
                        call.nowNanos(),
                        call.calling().client(),
                        FileKey.of(directory.identity()),
                        Opaque.of(call.services().handles().encode(directory)),
                        call.calling().referring(),
                        directory.fileSystem());
    }

    private static void encode(Optional<Stateid> granted, CompoundWriter out) {
        if (granted.isEmpty()) {
            out.int32(GDD4_UNAVAIL);
            // It will not signal when there is one.
            out.bool(false);
            return;
        }
        out.int32(GDD4_OK);
        // The verifier of READDIR.
        out.int64(0);
        granted.get().encode(out);
        BitSet none = new BitSet();
        Bitmap.encode(none, out);
        Bitmap.encode(none, out);
        Bitmap.encode(none, out);
    }
}
