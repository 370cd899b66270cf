package org.warpnfs.iwarp.mpa;

/**
 * What we say in the C flag of our startup frame. CRCs are generated and checked in both directions if either side
 * asks, and neither can refuse the other's wish (RFC 5044, section 7.1.1), so that a policy only decides about asking.
 *
 * <pre>
 * policy     C in our request  C in our reply
 * REQUIRED   1                 1
 * PREFERRED  1                 as in the request
 * OFF        0                 as in the request
 * </pre>
 */
public enum CrcPolicy {
    /** Ask in both roles, and so have CRCs always. */
    REQUIRED,
    /** Ask when we speak first, and leave it to the peer when it does. */
    PREFERRED,
    /**
     * Never ask: TCP's checksum and the link's are what is left. RFC 5044, section 4.4 wants an administrator to have
     * chosen this.
     */
    OFF;

    boolean inRequest() {
        return this != OFF;
    }

    boolean inReply(boolean requested) {
        return requested || this == REQUIRED;
    }
}
