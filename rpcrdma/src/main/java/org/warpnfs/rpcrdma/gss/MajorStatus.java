package org.warpnfs.rpcrdma.gss;

import org.ietf.jgss.GSSException;

/** gss_major on the wire: the calling and routine errors of RFC 2744, section 3.9.1, where Java has its own numbers. */
final class MajorStatus {
    static final int COMPLETE = 0;
    static final int CONTINUE_NEEDED = 1;
    private static final int ROUTINE_SHIFT = 16;
    private static final int GSS_FAILURE = 13;

    private MajorStatus() {}

    static int of(GSSException failure) {
        int routine =
                switch (failure.getMajor()) {
                    case GSSException.BAD_MECH -> 1;
                    case GSSException.BAD_NAME -> 2;
                    case GSSException.BAD_NAMETYPE -> 3;
                    case GSSException.BAD_BINDINGS -> 4;
                    case GSSException.BAD_STATUS -> 5;
                    case GSSException.BAD_MIC -> 6;
                    case GSSException.NO_CRED -> 7;
                    case GSSException.NO_CONTEXT -> 8;
                    case GSSException.DEFECTIVE_TOKEN -> 9;
                    case GSSException.DEFECTIVE_CREDENTIAL -> 10;
                    case GSSException.CREDENTIALS_EXPIRED -> 11;
                    case GSSException.CONTEXT_EXPIRED -> 12;
                    case GSSException.BAD_QOP -> 14;
                    case GSSException.UNAUTHORIZED -> 15;
                    case GSSException.UNAVAILABLE -> 16;
                    default -> GSS_FAILURE;
                };
        return routine << ROUTINE_SHIFT;
    }
}
