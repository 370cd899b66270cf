package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.DelegationGrant;
import org.warpnfs.nfs.v4.state.file.OpenedFile;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;

/**
 * What follows the change_info4 in OPEN4resok (RFC 8881, section 18.16.2).
 *
 * <pre>
 *   uint32            rflags
 *   bitmap4           attrset
 *   open_delegation4  delegation
 * </pre>
 */
final class OpenResult {
    private static final int RESULT_LOCKTYPE_POSIX = 4;
    private static final int MAY_NOTIFY_LOCK = 32;
    private static final int RESULT_CONFIRM = 2;
    /** OPEN4_RESULT_NO_OPEN_STATEID (RFC 9754, section 4). */
    private static final int NO_OPEN_STATEID = 16;

    private static final int DELEGATE_NONE = 0;
    private static final int DELEGATE_NONE_EXT = 3;
    private static final int NFS_LIMIT_SIZE = 1;
    private static final int ACE_ALLOWED = 0;

    private OpenResult() {}

    /**
     * Encodes it.
     *
     * @param set the attributes that were set on a new file
     */
    static void encode(
            CallContext call,
            OpenArguments arguments,
            Location file,
            BitSet set,
            OpenedFile opened,
            CompoundWriter out) {
        out.int32(RESULT_LOCKTYPE_POSIX
                | (OwnerSequence.mustConfirm(call) ? RESULT_CONFIRM : 0)
                | (mayNotify(call) ? MAY_NOTIFY_LOCK : 0)
                | (opened.stateid() == null ? NO_OPEN_STATEID : 0));
        Bitmap.encode(set, out);
        switch (opened.delegation()) {
            case DelegationGrant.Read read -> {
                out.int32(OpenArguments.DELEGATE_READ);
                read.stateid().encode(out);
                out.bool(read.recalled());
                encodeNobody(out);
            }
            case DelegationGrant.Write write -> {
                out.int32(write.withTimes() ? OpenArguments.DELEGATE_WRITE_WITH_TIMES : OpenArguments.DELEGATE_WRITE);
                write.stateid().encode(out);
                out.bool(write.recalled());
                out.int32(NFS_LIMIT_SIZE);
                out.int64(SpaceLimit.of(file));
                encodeNobody(out);
            }
            case DelegationGrant.None none -> {
                if (arguments.want() == 0) {
                    out.int32(DELEGATE_NONE);
                    return;
                }
                out.int32(DELEGATE_NONE_EXT);
                out.int32(none.why().code());
                if (none.why().saysWhetherItSignals()) {
                    out.bool(false);
                }
            }
        }
    }

    /** True if the client can be told when a lock that it was denied can be had. */
    private static boolean mayNotify(CallContext call) {
        Client client = call.minorVersion() > 0 ? call.calling().clientOrNull() : null;
        return client != null && call.services().state().callbacks().reaches(client);
    }

    /** An nfsace4 that allows nothing to anybody, so that the client asks the server who may open the file. */
    private static void encodeNobody(CompoundWriter out) {
        out.int32(ACE_ALLOWED);
        out.int32(0);
        out.int32(0);
        out.opaque(new byte[0]);
    }
}
