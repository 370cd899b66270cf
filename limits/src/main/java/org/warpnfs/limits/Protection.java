package org.warpnfs.limits;

/** How a connection is protected on its way, as in {@code xprtsec=} of exports(5). */
public enum Protection {
    /** In clear: whoever sees the packets can read and change them. */
    NONE("none"),
    /** By TLS. Only the server has shown a certificate. */
    TLS("tls"),
    /** By TLS. The client has shown a certificate too, and the server has verified it. */
    MUTUAL_TLS("mtls");

    private final String word;

    Protection(String word) {
        this.word = word;
    }

    /** The name in exports(5). */
    public String word() {
        return word;
    }
}
