package org.warpnfs.nfs.idmap;

import java.util.List;

/** Where the groups of a caller come from. Safe for any thread. */
@FunctionalInterface
public interface GroupSource {
    /** What the client says: sixteen groups at most (RFC 5531, appendix A). */
    GroupSource CREDENTIAL = (_, said) -> said;

    /**
     * The groups of a user beside the one that the credential names first. Never waits for long.
     *
     * @param said the groups of the credential
     * @return immutable, and the same list each time where it is kept
     * @throws AnswerPending if they are not known yet
     */
    List<Long> groupsOf(long uid, List<Long> said) throws AnswerPending;
}
