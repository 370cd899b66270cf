package org.warpnfs.nfs.export;

/** A kind of credential that an export accepts, as in {@code sec=} of exports(5). */
public enum Flavor {
    /** AUTH_NONE: no user. */
    NONE("none", 0),
    /** AUTH_SYS: the client's host says who its users are. */
    SYS("sys", 1);

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

    /** The number of the flavor in RPC (RFC 5531, section 8.2). */
    public int code() {
        return code;
    }
}
