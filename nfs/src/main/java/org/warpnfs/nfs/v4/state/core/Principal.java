package org.warpnfs.nfs.v4.state.core;

/**
 * The sender of a call, before any squashing: the principal of RFC 8881, section 2.4.
 *
 * @param flavor of the credential
 * @param uid unsigned 32 bits; 0 without AUTH_SYS
 * @param name of Kerberos, with its realm; empty with another flavor
 */
public record Principal(int flavor, long uid, String name) {
    /** The sender of a call without RPCSEC_GSS. */
    public Principal(int flavor, long uid) {
        this(flavor, uid, "");
    }
}
