package org.warpnfs.iwarp.mpa;

/** What we say in the C flag of our startup frame. CRCs are used in both directions if either side asks (RFC 5044 section 7.1). */
public enum CrcPolicy {
    /** Ask for CRCs, and so have them always. */
    REQUIRED,
    /** Have them only if the peer asks: TCP's checksum and the link's are what is left otherwise. */
    WHEN_ASKED
}
