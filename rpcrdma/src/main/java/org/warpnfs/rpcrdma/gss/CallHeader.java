package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * A call's header up to its verifier (RFC 5531, section 9), if its credential is one of RPCSEC_GSS.
 *
 * <pre>
 *   xid | CALL | 2 | program | version | procedure | credential: flavor, length, body | verifier: flavor, length, body
 *   `------------------------- what the verifier protects --------------------------'
 * </pre>
 */
final class CallHeader {
    private static final int RPC_VERSION = 2;
    private static final int RPC_VERSION_AT = 2;
    private static final int PROCEDURE_AT = 5;
    private static final int FLAVOR_AT = 6;
    private static final int WORDS_BEFORE_BODY = 8;
    /** The longest credential or verifier (RFC 5531, section 8.2). */
    private static final int MAX_AUTH_BYTES = 400;

    private final int xid;
    private final int procedure;
    private final GssCredential credential;
    private final byte[] covered;
    private final int verifierFlavor;
    private final byte[] verifier;

    CallHeader(int xid, int procedure, GssCredential credential, byte[] covered, int verifierFlavor, byte[] verifier) {
        this.xid = xid;
        this.procedure = procedure;
        this.credential = credential;
        this.covered = covered;
        this.verifierFlavor = verifierFlavor;
        this.verifier = verifier;
    }

    int xid() {
        return xid;
    }

    int procedure() {
        return procedure;
    }

    GssCredential credential() {
        return credential;
    }

    /** What the verifier is a checksum of (RFC 2203, section 5.3.1). */
    byte[] covered() {
        return covered;
    }

    int verifierFlavor() {
        return verifierFlavor;
    }

    /** The body of the verifier. */
    byte[] verifier() {
        return verifier;
    }

    /** What the first words of a call say, without any check of the rest. The call is rewound. */
    record Look(GssProcedure procedure, GssService service) {}

    /** True if a call of RPC version 2 has a credential of this flavor. The call is rewound. */
    static boolean isGss(XdrStream call) {
        call.rewind();
        try {
            if (call.remainingBytes() < WORDS_BEFORE_BODY * Integer.BYTES) {
                return false;
            }
            call.skip(RPC_VERSION_AT * Integer.BYTES);
            int rpcVersion = call.readInt();
            call.skip((FLAVOR_AT - RPC_VERSION_AT - 1) * Integer.BYTES);
            return rpcVersion == RPC_VERSION && call.readInt() == GssCredential.FLAVOR;
        } finally {
            call.rewind();
        }
    }

    /** Procedure and service of a call with this flavor; null if it names none. The call is rewound. */
    static @Nullable Look look(XdrStream call) {
        call.rewind();
        try {
            if (call.remainingBytes() < (WORDS_BEFORE_BODY + 4) * Integer.BYTES) {
                return null;
            }
            call.skip((WORDS_BEFORE_BODY + 1) * Integer.BYTES);
            GssProcedure procedure = GssProcedure.of(call.readInt());
            call.skip(Integer.BYTES);
            GssService service = GssService.of(call.readInt());
            return procedure == null ? null : new Look(procedure, service == null ? GssService.NONE : service);
        } finally {
            call.rewind();
        }
    }

    /**
     * Reads the header of a call for which {@link #isGss} is true, and leaves the stream at the arguments.
     *
     * @throws GssRefusal if credential or verifier cannot be decoded
     */
    static CallHeader read(XdrStream call) throws GssRefusal {
        call.rewind();
        byte[] fixed = new byte[WORDS_BEFORE_BODY * Integer.BYTES];
        call.read(fixed, 0, fixed.length);
        ByteBuffer words = ByteBuffer.wrap(fixed);
        int credentialBytes = words.getInt(fixed.length - Integer.BYTES);
        byte[] body = auth(call, credentialBytes, AuthStatus.BADCRED, "credential");
        byte[] covered = new byte[fixed.length + body.length];
        System.arraycopy(fixed, 0, covered, 0, fixed.length);
        System.arraycopy(body, 0, covered, fixed.length, body.length);
        GssCredential credential = GssCredential.parse(
                ByteBuffer.wrap(covered).slice(fixed.length, credentialBytes).asReadOnlyBuffer());
        if (call.remainingBytes() < 2 * Integer.BYTES) {
            throw new GssRefusal(AuthStatus.BADVERF, "no verifier");
        }
        int flavor = call.readInt();
        int verifierBytes = call.readInt();
        byte[] padded = auth(call, verifierBytes, AuthStatus.BADVERF, "verifier");
        byte[] verifier = new byte[verifierBytes];
        System.arraycopy(padded, 0, verifier, 0, verifierBytes);
        return new CallHeader(
                words.getInt(0), words.getInt(PROCEDURE_AT * Integer.BYTES), credential, covered, flavor, verifier);
    }

    /** The bytes of a credential or verifier with their pad. */
    private static byte[] auth(XdrStream call, int lengthBytes, AuthStatus status, String what) throws GssRefusal {
        if (lengthBytes < 0
                || lengthBytes > MAX_AUTH_BYTES
                || XdrStream.roundUp(lengthBytes) > call.remainingBytes()
                || !call.beginCounted(lengthBytes)) {
            throw new GssRefusal(
                    status,
                    what + " of " + Integer.toUnsignedString(lengthBytes) + " bytes, limit " + MAX_AUTH_BYTES
                            + ", with " + call.remainingBytes() + " bytes left");
        }
        byte[] bytes = new byte[XdrStream.roundUp(lengthBytes)];
        if (bytes.length > call.remainingBytes()) {
            throw new GssRefusal(status, what + " beyond the message");
        }
        call.read(bytes, 0, bytes.length);
        return bytes;
    }
}
