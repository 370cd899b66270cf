package org.warpnfs.nfs.v4.op;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.file.OwnerReply;
import org.warpnfs.nfs.v4.state.file.OwnerTurn;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Checks the seqids of owners in NFSv4.0 (RFC 7530, section 9.1.7); other minor versions ignore them. An operation with
 * a seqid calls this as soon as it has decoded what names its owner, and before anything that can fail, since most
 * failures also use up the seqid.
 */
final class OwnerSequence {
    private OwnerSequence() {}

    /**
     * Takes the turn of the owner of {@code stateid}.
     *
     * @return true if the operation is a repetition: its result has been encoded, and nothing more is to be done
     * @throws Nfs4Exception BAD_SEQID, BAD_STATEID, STALE_STATEID; or the failure of the repeated operation
     */
    static boolean repeats(CallContext call, OpCode code, Stateid stateid, int seqid, CompoundWriter out)
            throws Nfs4Exception {
        return call.minorVersion() == 0
                && repeats(call, call.services().state().owners().begin(stateid, seqid, code), out);
    }

    /**
     * Does the same as {@link #repeats(CallContext, OpCode, Stateid, int, CompoundWriter)} with a turn that was taken
     * elsewhere.
     */
    static boolean repeats(CallContext call, OwnerTurn turn, CompoundWriter out) throws Nfs4Exception {
        OwnerReply before = turn.repeated();
        if (before == null) {
            call.setTurn(turn);
            return false;
        }
        if (before.status() != Nfs4Status.OK) {
            throw new Repeated(before);
        }
        out.fixedOpaque(before.body().toBytes());
        Opaque current = before.current();
        if (current != null) {
            PutFh.put(call, current.toBytes());
        }
        return true;
    }

    /** Ends a turn with the reply of its operation. */
    static void end(CallContext call, OwnerTurn turn, Nfs4Status status, byte[] body) {
        Location opened = turn.code() == OpCode.OPEN ? call.files().currentOrNull() : null;
        Opaque handle =
                opened == null ? null : Opaque.of(call.services().handles().encode(opened));
        OwnerReply reply = new OwnerReply(turn.code(), status, Opaque.of(body), handle);
        call.services().state().owners().end(call.nowNanos(), turn, reply);
    }

    /** The failure of the operation that is repeated. */
    private static final class Repeated extends Nfs4Exception {
        private static final long serialVersionUID = 1L;

        private final transient @Nullable OwnerReply reply;

        Repeated(OwnerReply reply) {
            super(reply.status(), reply.status().name());
            this.reply = reply;
        }

        @Override
        public void encodeBody(CompoundWriter out) {
            if (reply != null) {
                out.fixedOpaque(reply.body().toBytes());
            }
        }
    }

    /** True in NFSv4.0 until the owner has confirmed its first OPEN. */
    static boolean mustConfirm(CallContext call) {
        OwnerTurn turn = call.turn();
        return turn != null && call.services().state().owners().mustConfirm(turn);
    }
}
