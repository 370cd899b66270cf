package org.warpnfs.rpcrdma.gss;

import org.jspecify.annotations.Nullable;

/** rpc_gss_service_t (RFC 2203, section 5): how the arguments and results of a call are protected. */
public enum GssService {
    /** Only the header is verified (krb5). */
    NONE(1),
    /** Arguments and results have a checksum (krb5i). */
    INTEGRITY(2),
    /** Arguments and results are encrypted (krb5p). */
    PRIVACY(3);

    private final int code;

    GssService(int code) {
        this.code = code;
    }

    /** The number in credentials. */
    public int code() {
        return code;
    }

    static @Nullable GssService of(int code) {
        for (GssService service : values()) {
            if (service.code == code) {
                return service;
            }
        }
        return null;
    }
}
