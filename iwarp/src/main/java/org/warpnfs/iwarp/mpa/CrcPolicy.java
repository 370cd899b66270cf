package org.warpnfs.iwarp.mpa;

/**
 * Decides whether we ask for CRCs, by the C flag of our startup frame. CRCs are generated and checked in both
 * directions if either side asks, and neither side can refuse (RFC 5044, section 7.1.1). So a policy can only decide
 * whether we ask.
 *
 * <pre>
 * policy     C in our request  C in our reply
 * REQUIRED   1                 1
 * PREFERRED  1                 as in the request
 * OFF        0                 as in the request
 * </pre>
 */
public enum CrcPolicy {
    /** Ask in both roles, so that CRCs are always on. */
    REQUIRED,
    /** Ask as the initiator. As the responder, use CRCs only if the initiator asks. */
    PREFERRED,
    /**
     * Never ask. Unless the peer asks, only the checksums of TCP and of the link protect the data. RFC 5044, section
     * 4.4 requires that an administrator chose this.
     */
    OFF;

    boolean inRequest() {
        return this != OFF;
    }

    boolean inReply(boolean requested) {
        return requested || this == REQUIRED;
    }
}
