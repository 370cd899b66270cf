package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.callback.CallbackAddress;
import org.warpnfs.nfs.v4.state.callback.UniversalAddress;
import org.warpnfs.nfs.v4.state.client.GivenClientid;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * SETCLIENTID (RFC 7530, section 16.33), of NFSv4.0 alone.
 *
 * <pre>
 *   call   nfs_client_id4 { verifier4, opaque id&lt;1024&gt; },
 *          cb_client4 { uint32 cb_program, clientaddr4 { string r_netid, r_addr } },
 *          uint32 callback_ident
 *   reply  clientid4, verifier4 for SETCLIENTID_CONFIRM; with CLID_INUSE clientaddr4
 * </pre>
 */
final class SetClientid implements ChangingOperation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        long verifier = in.int64();
        Opaque name = Opaque.decode(in);
        int program = in.int32();
        UniversalAddress claimed = UniversalAddress.decode(in);
        int ident = in.int32();
        GivenClientid given;
        try {
            given = call.services()
                    .state()
                    .clientids()
                    .setClientid(
                            call.nowNanos(),
                            name,
                            verifier,
                            call.calling().sender(),
                            CallbackAddress.of(
                                    program, claimed, ident, call.calling().address()));
        } catch (Nfs4Exception e) {
            throw e.status() == Nfs4Status.CLID_INUSE ? new InUse() : e;
        }
        out.int64(given.id());
        out.int64(given.confirmVerifier());
    }

    /** CLID_INUSE without the address of the other client, which this client need not know. */
    private static final class InUse extends Nfs4Exception {
        private static final long serialVersionUID = 1L;

        InUse() {
            super(Nfs4Status.CLID_INUSE, Nfs4Status.CLID_INUSE.name());
        }

        @Override
        public void encodeBody(CompoundWriter out) {
            out.int32(0);
            out.int32(0);
        }
    }
}
