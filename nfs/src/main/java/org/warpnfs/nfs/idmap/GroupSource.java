package org.warpnfs.nfs.idmap;

import java.util.List;

/** Source of the groups of a caller. Safe for any thread. */
@FunctionalInterface
public interface GroupSource {
    /** The groups in the credential, at most sixteen (RFC 5531, appendix A). */
    GroupSource CREDENTIAL = (_, said) -> said;

    /**
     * The supplementary groups of a user. Never waits for long.
     *
     * @param said the groups of the credential
     * @return immutable, and the same list each time where it is cached
     * @throws AnswerPending if they are not known yet
     */
    List<Long> groupsOf(long uid, List<Long> said) throws AnswerPending;

    /**
     * The primary group of a user.
     *
     * @param said the primary group of the credential
     * @param groups what {@link #groupsOf} has for that user
     */
    default long primaryOf(long uid, long said, List<Long> groups) {
        return said;
    }

    /** True if a query may wait for a name service. */
    default boolean mayWait() {
        return this != CREDENTIAL;
    }
}
