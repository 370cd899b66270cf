package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.v4.xdr.Stateid;

/** What became of a {@link DelegationWant}. */
public sealed interface DelegationGrant {
    /**
     * A read delegation.
     *
     * @param recalled the client is to give it back at once
     */
    record Read(Stateid stateid, boolean recalled) implements DelegationGrant {}

    /** None, and why_no_delegation4 for clients that expressed a wish. */
    record None(Why why) implements DelegationGrant {}

    /** why_no_delegation4 (RFC 8881, section 18.16.2), those that occur here. */
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

        /** True if a bool follows: whether the server will signal that things have changed. */
        public boolean saysWhetherItSignals() {
            return this == CONTENTION || this == RESOURCE;
        }
    }
}
