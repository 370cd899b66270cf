package org.warpnfs.nfs.idmap;

import java.util.List;
import java.util.Optional;

/** The users of this host that Kerberos principals stand for. Safe for any thread. */
@FunctionalInterface
public interface PrincipalUsers {
    /** Knows nobody. */
    PrincipalUsers NONE = _ -> Optional.empty();

    /**
     * The user that a principal stands for; empty if there is none, which makes it the anonymous user of an export.
     * Never waits for long.
     *
     * @param principal with its realm, such as {@code alice@EXAMPLE.ORG}
     * @throws AnswerPending if a name service has not answered yet
     */
    Optional<User> userOf(String principal) throws AnswerPending;

    /**
     * A user.
     *
     * @param uid unsigned 32 bits, as are {@code gid} and {@code groups}
     * @param gid the primary group
     * @param groups the supplementary groups
     */
    record User(long uid, long gid, List<Long> groups) {
        public User {
            groups = List.copyOf(groups);
        }
    }
}
