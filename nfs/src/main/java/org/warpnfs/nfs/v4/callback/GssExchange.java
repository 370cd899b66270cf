package org.warpnfs.nfs.v4.callback;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.warpnfs.nfs.v4.state.callback.CallbackContext;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * One callback with RPCSEC_GSS, and its reply (RFC 2203, section 5.3; RFC 8881, section 18.36.3).
 *
 * <pre>
 *   call   ..., credential 6 { version 1, DATA 0, uint32 seq_num, service, opaque handle&lt;&gt; },
 *          verifier 6 { checksum of all before it }, arguments as the service says
 *   reply  ..., verifier 6 { checksum of seq_num }, SUCCESS 0, results as the service says
 *   none       as they are
 *   integrity  opaque databody&lt;&gt; { seq_num, arguments or results }, opaque checksum&lt;&gt;
 *   privacy    opaque databody&lt;&gt;, the same encrypted
 * </pre>
 *
 * Errors: IOException for a reply that is not the client's answer to this call. For one call; not safe for two threads
 * at once.
 */
final class GssExchange {
    private static final int RPCSEC_GSS = 6;
    private static final int VERSION = 1;
    private static final int DATA = 0;
    private static final int REPLY = 1;
    /** A reply to a callback has a few hundred bytes. */
    private static final int MAX_BODY_BYTES = 64 << 10;

    private static final int MAX_CHECKSUM_BYTES = 1024;

    private final CallbackCredential.Gss credential;
    private final CallbackContext context;
    private final int number;

    GssExchange(CallbackCredential.Gss credential) {
        this.credential = credential;
        this.context = credential.context();
        this.number = context.nextNumber();
    }

    /**
     * Completes a call.
     *
     * @param out holds xid to procedure
     */
    void protect(CompoundWriter out, byte[] arguments) throws IOException {
        out.int32(RPCSEC_GSS);
        int lengthAt = out.position();
        out.int32(0);
        out.int32(VERSION);
        out.int32(DATA);
        out.int32(number);
        out.int32(credential.service());
        credential.handle().encode(out);
        out.patch(lengthAt, out.position() - lengthAt - Integer.BYTES);
        byte[] checksum = context.mic(out.toByteArray(0));
        out.int32(RPCSEC_GSS);
        out.opaque(checksum);
        byte[] body = ByteBuffer.allocate(Integer.BYTES + arguments.length)
                .putInt(number)
                .put(arguments)
                .array();
        switch (credential.service()) {
            case CallbackCredential.Gss.INTEGRITY -> {
                out.opaque(body);
                out.opaque(context.mic(body));
            }
            case CallbackCredential.Gss.PRIVACY -> out.opaque(context.wrap(body));
            default -> out.fixedOpaque(arguments);
        }
    }

    /**
     * The results of a reply.
     *
     * @param reply an accepted one, from anywhere in it
     */
    CompoundReader open(Xdr reply) throws IOException {
        reply.beginDecoding();
        CompoundReader in = new CompoundReader(reply);
        try {
            in.int32();
            if (in.int32() != REPLY || in.int32() != 0 || in.int32() != RPCSEC_GSS) {
                throw new IOException("a reply without a verifier of RPCSEC_GSS");
            }
            byte[] verifier = in.opaque(MAX_CHECKSUM_BYTES);
            context.verifyMic(
                    verifier, ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
            if (in.int32() != 0) {
                throw new IOException("the client has not executed the call");
            }
            return switch (credential.service()) {
                case CallbackCredential.Gss.INTEGRITY -> {
                    byte[] body = in.opaque(MAX_BODY_BYTES);
                    context.verifyMic(in.opaque(MAX_CHECKSUM_BYTES), body);
                    yield numbered(ByteBuffer.wrap(body));
                }
                case CallbackCredential.Gss.PRIVACY -> numbered(context.unwrap(in.opaque(MAX_BODY_BYTES)));
                default -> in;
            };
        } catch (Nfs4Exception e) {
            throw new IOException("the reply cannot be decoded", e);
        }
    }

    private CompoundReader numbered(ByteBuffer body) throws IOException {
        if (body.remaining() < Integer.BYTES || body.getInt() != number) {
            throw new IOException("the reply to another call");
        }
        byte[] results = new byte[body.remaining()];
        body.get(results);
        Xdr xdr = new Xdr(results);
        xdr.beginDecoding();
        return new CompoundReader(xdr);
    }
}
