package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.v4.xdr.Stateid;

/** Answer to a {@link DelegationWant}. */
public sealed interface DelegationGrant {
    /**
     * A read delegation.
     *
     * @param recalled true if the client has to return it at once
     */
    record Read(Stateid stateid, boolean recalled) implements DelegationGrant {}

    /**
     * A write delegation.
     *
     * @param recalled true if the client has to return it at once
     * @param withTimes the client keeps the file's times too (RFC 9754, section 5)
     */
    record Write(Stateid stateid, boolean recalled, boolean withTimes) implements DelegationGrant {}

    /** No delegation, and why_no_delegation4 for clients that sent a want. */
    record None(Why why) implements DelegationGrant {}

    /** The values of why_no_delegation4 that this server uses (RFC 8881, section 18.16.2). */
    enum Why {
        NOT_WANTED(0),
        CONTENTION(1),
        RESOURCE(2),
        WRITE_NOT_SUPPORTED(4),
        CANCELLED(7);

        private final int code;

        Why(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        /** True if a bool follows: whether the server will signal when the reason no longer holds. */
        public boolean saysWhetherItSignals() {
            return this == CONTENTION || this == RESOURCE;
        }
    }
}
