package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.export.HandleViolation;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** PUTFH (RFC 8881, section 18.19). It does not check that the file still exists; the operations on it do. */
final class PutFh implements Operation {
    private static final int MAX_HANDLE_BYTES = 128;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        byte[] handle = in.opaque(MAX_HANDLE_BYTES);
        call.files()
                .put(
                        fileOf(call, handle),
                        PutFilehandle.isJudgedLater(call.operationsAfter(), in, call.minorVersion()));
    }

    /** Makes the file of a handle the current one; STALE, BADHANDLE or WRONGSEC. */
    static void put(CallContext call, byte[] handle) throws Nfs4Exception {
        call.files().setCurrent(fileOf(call, handle));
    }

    private static Location fileOf(CallContext call, byte[] handle) throws Nfs4Exception {
        try {
            return call.services().handles().decode(handle);
        } catch (HandleViolation e) {
            throw Nfs4Exception.of(Statuses.of(e.error()));
        }
    }
}
