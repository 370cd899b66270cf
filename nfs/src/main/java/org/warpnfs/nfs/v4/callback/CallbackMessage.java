package org.warpnfs.nfs.v4.callback;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.state.callback.HeldAttributes;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * A callback on the wire (RFC 8881, sections 20.1 to 20.3, 20.6, 20.8, 20.9, 20.11; RFC 7530, sections 15 and 15.2 for
 * minor version 0).
 *
 * <pre>
 *   call   rpc_msg { xid, CALL 0, rpcvers 2, program, version 1, procedure, credential, verifier AUTH_NONE }
 *          CB_COMPOUND4args { utf8str_cs tag, uint32 minorversion, uint32 callback_ident,
 *                             nfs_cb_argop4 argarray&lt;&gt; }
 *          CB_SEQUENCE 11 { sessionid, sequenceid, slotid, highest_slotid, bool cachethis,
 *                           referring_call_list4 &lt;&gt; }
 *          CB_GETATTR 3 { nfs_fh4, bitmap4 }
 *          CB_RECALL 4 { stateid4, bool truncate, nfs_fh4 }
 *          CB_LAYOUTRECALL 5 { layouttype4, layoutiomode4, bool changed, LAYOUTRECALL4_FILE 1
 *                              { nfs_fh4, offset4, length4, stateid4 } }
 *          CB_RECALL_ANY 8 { uint32 craa_objects_to_keep, bitmap4 craa_type_mask }
 *          CB_RECALL_SLOT 10 { slotid4 rsa_target_highest_slotid }
 *          CB_NOTIFY_LOCK 13 { nfs_fh4, lock_owner4 { clientid4, opaque owner } }
 *   reply  CB_COMPOUND4res { nfsstat4 status, utf8str_cs tag, nfs_cb_resop4 resarray&lt;&gt; }
 * </pre>
 *
 * In minor version 0, callback_ident is the value from SETCLIENTID, and there is no CB_SEQUENCE. Later minor versions
 * have no SETCLIENTID, and callback_ident is 0.
 */
final class CallbackMessage {
    /** Version number of every callback program. */
    private static final int VERSION = 1;

    private static final int CALL = 0;
    private static final int RPC_VERSION = 2;
    private static final int CB_NULL = 0;
    private static final int CB_COMPOUND = 1;
    private static final int CB_GETATTR = 3;
    private static final int CB_RECALL = 4;
    private static final int CB_LAYOUTRECALL = 5;
    private static final int CB_RECALL_ANY = 8;
    private static final int CB_RECALL_SLOT = 10;
    private static final int CB_SEQUENCE = 11;
    private static final int CB_NOTIFY_LOCK = 13;
    /** LAYOUT4_FLEX_FILES, LAYOUTIOMODE4_ANY and LAYOUTRECALL4_FILE. */
    private static final int FLEX_FILES = 4;

    private static final int IOMODE_ANY = 3;
    private static final int OF_FILE = 1;
    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;
    /** RCA4_TYPE_MASK_RDATA_DLG and RCA4_TYPE_MASK_WDATA_DLG. */
    private static final BitSet DELEGATIONS_OF_FILES = Bitmap.of(0, 1);

    private static final int NFS4_OK = 0;
    private static final int MAX_TAG_BYTES = 1024;
    /** Length of csr_sessionid to csr_target_highest_slotid, in words. */
    private static final int SEQUENCE_RESULT_WORDS = 8;

    private CallbackMessage() {}

    /** Encodes the whole RPC call. */
    static CompoundWriter encode(int xid, CallbackCall call, CallbackCredential.Plain credential) {
        CompoundWriter out = head(xid, call);
        encode(credential, out);
        encodeArguments(call, out);
        return out;
    }

    /** Encodes the whole RPC call, with RPCSEC_GSS. */
    static CompoundWriter encode(int xid, CallbackCall call, GssExchange secured) throws IOException {
        CompoundWriter arguments = new CompoundWriter();
        encodeArguments(call, arguments);
        CompoundWriter out = head(xid, call);
        secured.protect(out, arguments.toByteArray());
        return out;
    }

    private static CompoundWriter head(int xid, CallbackCall call) {
        CompoundWriter out = new CompoundWriter();
        out.int32(xid);
        out.int32(CALL);
        out.int32(RPC_VERSION);
        out.int32(call.target().program());
        out.int32(VERSION);
        out.int32(call instanceof CallbackCall.Null ? CB_NULL : CB_COMPOUND);
        return out;
    }

    private static void encodeArguments(CallbackCall call, CompoundWriter out) {
        switch (call) {
            case CallbackCall.Null _ -> {
                // It has none.
            }
            case CallbackCall.InSession inSession -> encode(inSession, out);
            case CallbackCall.PlainRecall recall -> encode(recall, out);
            case CallbackCall.PlainGetAttr question -> encode(question, out);
        }
    }

    private static void encode(CallbackCredential.Plain credential, CompoundWriter out) {
        switch (credential) {
            case CallbackCredential.None _ -> {
                out.int32(AUTH_NONE);
                out.int32(0);
            }
            case CallbackCredential.Sys system -> {
                out.int32(AUTH_SYS);
                int lengthAt = out.position();
                out.int32(0);
                out.int32(system.stamp());
                out.opaque(system.machineName().getBytes(StandardCharsets.UTF_8));
                out.int32(system.uid());
                out.int32(system.gid());
                out.int32(system.gids().size());
                system.gids().forEach(out::int32);
                out.patch(lengthAt, out.position() - lengthAt - Integer.BYTES);
            }
        }
        out.int32(AUTH_NONE);
        out.int32(0);
    }

    private static void encode(CallbackCall.InSession call, CompoundWriter out) {
        CallbackCall.Position position = call.position();
        out.int32(0);
        out.int32(position.minorVersion());
        out.int32(0);
        out.int32(2);
        out.int32(CB_SEQUENCE);
        position.sessionId().encode(out);
        out.int32(position.seqid());
        out.int32(position.slot());
        out.int32(position.highestSlot());
        out.bool(false);
        encode(position.referring(), out);
        switch (call.operation()) {
            case CallbackCall.Recall recall -> encode(recall, out);
            case CallbackCall.GetAttr question -> encode(question, out);
            case CallbackCall.LayoutRecall recall -> encode(recall, out);
            case CallbackCall.RecallSlot recall -> {
                out.int32(CB_RECALL_SLOT);
                out.int32(recall.highestSlot());
            }
            case CallbackCall.RecallAny recall -> {
                out.int32(CB_RECALL_ANY);
                out.int32(recall.keep());
                Bitmap.encode(DELEGATIONS_OF_FILES, out);
            }
            case CallbackCall.NotifyLock lock -> {
                out.int32(CB_NOTIFY_LOCK);
                lock.fileHandle().encode(out);
                out.int64(lock.clientId());
                lock.owner().encode(out);
            }
        }
    }

    /** Encodes csa_referring_call_lists: one list with one call, or none. */
    private static void encode(@Nullable ReferringCall referring, CompoundWriter out) {
        if (referring == null) {
            out.int32(0);
            return;
        }
        out.int32(1);
        referring.sessionId().encode(out);
        out.int32(1);
        out.int32(referring.seqid());
        out.int32(referring.slot());
    }

    private static void encode(CallbackCall.PlainRecall call, CompoundWriter out) {
        encodePlainHead(call.target(), out);
        encode(call.operation(), out);
    }

    private static void encode(CallbackCall.PlainGetAttr call, CompoundWriter out) {
        encodePlainHead(call.target(), out);
        encode(call.operation(), out);
    }

    private static void encodePlainHead(CallbackCall.Dialed target, CompoundWriter out) {
        out.int32(0);
        out.int32(0);
        out.int32(target.address().ident());
        out.int32(1);
    }

    private static void encode(CallbackCall.GetAttr question, CompoundWriter out) {
        out.int32(CB_GETATTR);
        question.fileHandle().encode(out);
        Bitmap.encode(HeldAttributes.asked(question.withTimes()), out);
    }

    private static void encode(CallbackCall.Recall recall, CompoundWriter out) {
        out.int32(CB_RECALL);
        recall.stateid().encode(out);
        out.bool(false);
        recall.fileHandle().encode(out);
    }

    private static void encode(CallbackCall.LayoutRecall recall, CompoundWriter out) {
        out.int32(CB_LAYOUTRECALL);
        out.int32(FLEX_FILES);
        out.int32(IOMODE_ANY);
        out.bool(false);
        out.int32(OF_FILE);
        recall.fileHandle().encode(out);
        out.int64(0);
        out.int64(-1);
        recall.stateid().encode(out);
    }

    /**
     * Decodes the CB_COMPOUND4res of one operation without CB_SEQUENCE.
     *
     * @return with {@code sequence} NFS4_OK
     * @throws Nfs4Exception BADXDR if it cannot be decoded
     */
    static CallbackOutcome.Compound decodePlain(CompoundReader in) throws Nfs4Exception {
        int status = in.int32();
        in.opaque(MAX_TAG_BYTES);
        if (in.count(1) == 0) {
            return new CallbackOutcome.Compound(NFS4_OK, status);
        }
        return result(NFS4_OK, in);
    }

    private static CallbackOutcome.Compound result(int sequence, CompoundReader in) throws Nfs4Exception {
        int operation = in.int32();
        int status = in.int32();
        return new CallbackOutcome.Compound(
                sequence, status, operation == CB_GETATTR && status == NFS4_OK ? HeldAttributes.decode(in) : null);
    }

    /**
     * Decodes the CB_COMPOUND4res of CB_SEQUENCE and one operation. All but CB_GETATTR return a status alone.
     *
     * @throws Nfs4Exception BADXDR if it cannot be decoded
     */
    static CallbackOutcome.Compound decode(CompoundReader in) throws Nfs4Exception {
        int status = in.int32();
        in.opaque(MAX_TAG_BYTES);
        int results = in.count(2);
        if (results == 0) {
            // Not even CB_SEQUENCE was executed, so the status is that of the whole COMPOUND.
            return new CallbackOutcome.Compound(status, status);
        }
        in.int32();
        int sequence = in.int32();
        if (sequence != NFS4_OK) {
            return new CallbackOutcome.Compound(sequence, sequence);
        }
        for (int word = 0; word < SEQUENCE_RESULT_WORDS; word++) {
            in.int32();
        }
        if (results == 1) {
            return new CallbackOutcome.Compound(sequence, status);
        }
        return result(sequence, in);
    }
}
