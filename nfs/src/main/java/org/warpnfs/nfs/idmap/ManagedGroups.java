package org.warpnfs.nfs.idmap;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * {@code manage-gids} of rpc.mountd(8): the groups that this host's name service has for a user, whatever the client
 * says. So users with more than sixteen groups have them all, and no client can say that its user is in a group.
 *
 * <p>A user who is not known here is in no group but the first one of the credential; knfsd believes the client then.
 * The superuser is not asked for: no group lets it do more.
 *
 * <p>Safe for any thread.
 */
public final class ManagedGroups implements GroupSource {
    /** Ids of all lists together, and eight for each user: a few MiB. */
    private static final long MOST_IDS = 256 * 1024;

    private static final int IDS_OF_A_USER = 8;

    private final KeptAnswers<Long, List<Long>> answers;

    /**
     * Asks {@code accounts} on {@code threads}.
     *
     * @param terms the weight is not looked at: there is one for group lists
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
}
