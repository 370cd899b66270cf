package org.warpnfs.nfs.idmap;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The groups that this host's name service has for a user, whatever the client sends: {@code manage-gids} of
 * rpc.mountd(8). So users with more than sixteen groups have all of them, and no client can claim that its user is in a
 * group.
 *
 * <p>The primary group of a credential counts if the user is in it, so that newgrp(1) works; else the primary group is
 * that of this host. A user who is not known here is only in the group of nobody. (knfsd believes the client in all of
 * these.) The superuser is not looked up, and has group 0: no group gives it more rights.
 *
 * <p>Safe for any thread.
 */
public final class ManagedGroups implements GroupSource {
    /** Size of the cache: the number of ids in all lists, plus eight for each user. A few MiB. */
    private static final long MOST_IDS = 256 * 1024;

    private static final int IDS_OF_A_USER = 8;

    private static final long NOBODY = 65534;

    private final KeptAnswers<Long, List<Long>> answers;

    /**
     * Uses {@code accounts}, which is called on {@code threads}.
     *
     * @param terms their weight is ignored, since group lists have a limit of their own
     */
    public ManagedGroups(Accounts accounts, KeptAnswers.Terms terms, Executor threads, LongSupplier clockNanos) {
        this.answers = new KeptAnswers<>(
                "the name service (groups of a user)",
                uid -> List.copyOf(accounts.groupsOf(uid).orElse(List.of())),
                terms.withMost(MOST_IDS),
                threads,
                clockNanos,
                groups -> IDS_OF_A_USER + groups.size());
        answers.countedBy(NameCounts.GROUPS);
    }

    @Override
    public List<Long> groupsOf(long uid, List<Long> said) throws AnswerPending {
        return uid == 0 ? List.of() : answers.of(uid);
    }

    @Override
    public long primaryOf(long uid, long said, List<Long> groups) {
        if (uid == 0) {
            return 0;
        }
        return groups.contains(said) ? said : groups.isEmpty() ? NOBODY : groups.getFirst();
    }
}
