package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;

/**
 * rpc_gss_cred_vers_1_t (RFC 2203, section 5): the body of a credential of flavor 6.
 *
 * <pre>
 *   uint32  version, 1
 *   uint32  gss_proc
 *   uint32  seq_num
 *   uint32  service
 *   opaque  handle&lt;&gt;
 * </pre>
 *
 * @param sequence unsigned 32 bits; means nothing while a context is created
 * @param handle read-only
 */
record GssCredential(GssProcedure procedure, long sequence, GssService service, ByteBuffer handle) {
    /** RPCSEC_GSS, of all versions. */
    static final int FLAVOR = 6;

    /** A call with this number or a higher one needs a new context (RFC 2203, section 5.3.3.1). */
    static final long MAX_SEQUENCE = 0x8000_0000L;

    static final int LEAST_BYTES = 5 * Integer.BYTES;
    private static final int VERSION = 1;

    /**
     * Parses a body, from position to limit.
     *
     * @throws GssRefusal if it is not one of version 1
     */
    static GssCredential parse(ByteBuffer body) throws GssRefusal {
        ByteBuffer in = body.slice();
        if (in.remaining() < Integer.BYTES) {
            throw new GssRefusal(AuthStatus.BADCRED, "a credential of " + in.remaining() + " bytes");
        }
        int version = in.getInt();
        if (version != VERSION) {
            throw new GssRefusal(
                    AuthStatus.REJECTEDCRED, "version " + Integer.toUnsignedString(version) + " of RPCSEC_GSS, not 1");
        }
        if (in.remaining() < LEAST_BYTES - Integer.BYTES) {
            throw new GssRefusal(AuthStatus.BADCRED, "a credential of " + body.remaining() + " bytes");
        }
        int procedureCode = in.getInt();
        long sequence = Integer.toUnsignedLong(in.getInt());
        int serviceCode = in.getInt();
        int handleBytes = in.getInt();
        if (handleBytes < 0 || handleBytes > in.remaining() || (handleBytes + 3 & ~3) != in.remaining()) {
            throw new GssRefusal(
                    AuthStatus.BADCRED,
                    "a handle of " + Integer.toUnsignedString(handleBytes) + " bytes in " + in.remaining());
        }
        GssProcedure procedure = GssProcedure.of(procedureCode);
        GssService service = GssService.of(serviceCode);
        if (procedure == null) {
            throw new GssRefusal(
                    AuthStatus.BADCRED, "procedure " + Integer.toUnsignedString(procedureCode) + " of RPCSEC_GSS");
        }
        if (service == null && !procedure.isInit()) {
            throw new GssRefusal(
                    AuthStatus.BADCRED, "service " + Integer.toUnsignedString(serviceCode) + " of RPCSEC_GSS");
        }
        return new GssCredential(
                procedure,
                sequence,
                service == null ? GssService.NONE : service,
                in.slice(in.position(), handleBytes).asReadOnlyBuffer());
    }
}
