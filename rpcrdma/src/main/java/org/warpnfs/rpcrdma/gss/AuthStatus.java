package org.warpnfs.rpcrdma.gss;

/** The values of auth_stat (RFC 5531, section 9; RFC 2203, section 4) with which this layer denies calls. */
public enum AuthStatus {
    /** AUTH_BADCRED: the credential cannot be decoded, or names what does not exist. */
    BADCRED(1),
    /** AUTH_REJECTEDCRED: a version of RPCSEC_GSS that is not supported (RFC 2203, section 5.1). */
    REJECTEDCRED(2),
    /** AUTH_BADVERF: the verifier cannot be decoded. */
    BADVERF(3),
    /** RPCSEC_GSS_CREDPROBLEM: there is no such context, or the verifier is not that of its owner. */
    CREDPROBLEM(13),
    /** RPCSEC_GSS_CTXPROBLEM: the context is used up. */
    CTXPROBLEM(14);

    private final int code;

    AuthStatus(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
