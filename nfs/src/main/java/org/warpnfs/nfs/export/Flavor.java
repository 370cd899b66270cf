package org.warpnfs.nfs.export;

import org.jspecify.annotations.Nullable;

/** A kind of credential that an export accepts, as in {@code sec=} of exports(5). */
public enum Flavor {
    /** AUTH_NONE: no user. */
    NONE("none", 0),
    /** AUTH_SYS: the client's host says who its users are. */
    SYS("sys", 1),
    /** RPCSEC_GSS with Kerberos 5: the header of each call is verified. */
    KRB5("krb5", 390003),
    /** The same, and arguments and results have a checksum. */
    KRB5I("krb5i", 390004),
    /** The same, and arguments and results are encrypted. */
    KRB5P("krb5p", 390005);

    /** RPCSEC_GSS, of which the flavors of Kerberos are kinds. */
    public static final int RPCSEC_GSS = 6;

    private final String word;
    private final int code;

    Flavor(String word, int code) {
        this.word = word;
        this.code = code;
    }

    /** The name in exports(5). */
    public String word() {
        return word;
    }

    /** The number of the flavor in RPC (RFC 5531, section 8.2), or its pseudo-flavor (RFC 2623, section 4.2). */
    public int code() {
        return code;
    }

    /** True if a ticket proves who the caller is. */
    public boolean isKerberos() {
        return this == KRB5 || this == KRB5I || this == KRB5P;
    }

    /** rpc_gss_svc_t of RFC 8881, section 18.29.2: 1 to 3; 0 if this is no flavor of Kerberos. */
    public int service() {
        return isKerberos() ? code - KRB5.code + 1 : 0;
    }

    /** The flavor of Kerberos with this service; null if there is none. */
    public static @Nullable Flavor ofService(int service) {
        for (Flavor flavor : values()) {
            if (flavor.isKerberos() && flavor.service() == service) {
                return flavor;
            }
        }
        return null;
    }
}
