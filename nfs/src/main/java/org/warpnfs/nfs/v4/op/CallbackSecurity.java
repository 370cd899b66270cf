package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.XdrReader;

/** callback_sec_parms4 (RFC 8881 section 18.36.1): read over, since there are no callbacks. */
final class CallbackSecurity {
    private static final int MAX_FLAVORS = 16;
    private static final int MAX_MACHINE_NAME_BYTES = 255;
    private static final int MAX_GROUPS = 16;
    private static final int MAX_HANDLE_BYTES = 1024;
    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;
    private static final int RPCSEC_GSS = 6;

    private CallbackSecurity() {}

    static void skip(XdrReader in) throws Nfs4Exception {
        for (int left = in.count(MAX_FLAVORS); left > 0; left--) {
            switch (in.int32()) {
                case AUTH_NONE -> {}
                case AUTH_SYS -> skipSystem(in);
                case RPCSEC_GSS -> {
                    in.int32();
                    in.opaque(MAX_HANDLE_BYTES);
                    in.opaque(MAX_HANDLE_BYTES);
                }
                default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
            }
        }
    }

    private static void skipSystem(XdrReader in) throws Nfs4Exception {
        in.int32();
        in.opaque(MAX_MACHINE_NAME_BYTES);
        in.int64();
        for (int groups = in.count(MAX_GROUPS); groups > 0; groups--) {
            in.int32();
        }
    }
}
