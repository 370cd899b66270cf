package org.warpnfs.rpcrdma.gss;

/** The verified sender of a call. Immutable. */
public final class GssCaller {
    private final String principal;
    private final GssService service;
    private final long sequence;
    private final byte[] replyVerifier;

    GssCaller(String principal, GssService service, long sequence, byte[] replyVerifier) {
        this.principal = principal;
        this.service = service;
        this.sequence = sequence;
        this.replyVerifier = replyVerifier;
    }

    /** The name of the context's initiator, such as {@code alice@EXAMPLE.ORG}. */
    public String principal() {
        return principal;
    }

    /** The protection of this call. */
    public GssService service() {
        return service;
    }

    /** The number of this call, unsigned 32 bits. */
    public long sequence() {
        return sequence;
    }

    /** The verifier of its reply, when it is accepted: the checksum of its number. Must not be changed. */
    public byte[] replyVerifier() {
        return replyVerifier;
    }
}
