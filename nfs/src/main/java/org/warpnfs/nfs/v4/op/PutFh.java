package org.warpnfs.nfs.v4.op;

import java.util.EnumSet;
import java.util.Set;
import org.warpnfs.nfs.export.HandleViolation;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** PUTFH (RFC 8881, section 18.19). It does not check that the file still exists; the operations on it do. */
final class PutFh implements Operation {
    private static final Set<OpCode> JUDGING = EnumSet.of(
            OpCode.LOOKUP,
            OpCode.LOOKUPP,
            OpCode.OPEN,
            OpCode.SECINFO,
            OpCode.SECINFO_NO_NAME,
            OpCode.PUTFH,
            OpCode.PUTPUBFH,
            OpCode.PUTROOTFH,
            OpCode.RESTOREFH);

    private static final int MAX_HANDLE_BYTES = 128;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        byte[] handle = in.opaque(MAX_HANDLE_BYTES);
        call.files().put(fileOf(call, handle), isJudgedNext(call, in));
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

    /** True if the next operation judges the credential itself, or needs no file, or if there is none. */
    static boolean isJudgedNext(CallContext call, CompoundReader in) {
        if (call.isLastOperation()) {
            return true;
        }
        OpCode next = OpCode.of(in.peek(), call.minorVersion());
        return next != null && JUDGING.contains(next);
    }
}
