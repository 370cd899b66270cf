package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** PUTROOTFH and PUTPUBFH (RFC 8881, sections 18.21 and 18.20): the public filehandle is the root. */
final class PutRootFh implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        call.files()
                .put(
                        call.services().exports().root(),
                        PutFilehandle.isJudgedLater(call.operationsAfter(), in, call.minorVersion()));
    }
}
