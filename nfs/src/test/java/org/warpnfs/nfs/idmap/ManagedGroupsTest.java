package org.warpnfs.nfs.idmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.testing.KnownAccounts;

class ManagedGroupsTest {
    private static final List<Long> MANY = LongStream.range(100, 200).boxed().toList();

    private final KnownAccounts accounts =
            new KnownAccounts().groupsOf(1000, MANY).groupsOf(0, MANY);

    private ManagedGroups groups(List<Runnable> questions) {
        return new ManagedGroups(accounts, KeptAnswers.Terms.DEFAULT, questions::add, () -> 0);
    }

    private ManagedGroups groups() {
        return new ManagedGroups(accounts, KeptAnswers.Terms.DEFAULT, Runnable::run, () -> 0);
    }

    @Test
    void groupsOf_knownUser_areThoseOfThisHostAndTheSameListEachTime() throws AnswerPending {
        ManagedGroups groups = groups();
        List<Long> first = groups.groupsOf(1000, List.of(27L));
        assertThat(first).isEqualTo(MANY);
        assertThat(groups.groupsOf(1000, List.of())).isSameAs(first);
    }

    @Test
    void groupsOf_unknownUser_areNone() throws AnswerPending {
        assertThat(groups().groupsOf(1001, List.of(27L))).isEmpty();
    }

    @Test
    void primaryOf_anyUser_isAGroupOfTheUser() {
        assertThat(groups().primaryOf(1000, 150, MANY)).as("newgrp").isEqualTo(150);
        assertThat(groups().primaryOf(1000, 27, MANY)).isEqualTo(100);
        assertThat(groups().primaryOf(1001, 27, List.of())).as("nobody's").isEqualTo(65534);
        assertThat(groups().primaryOf(0, 27, List.of())).isZero();
        assertThat(GroupSource.CREDENTIAL.primaryOf(1000, 27, MANY)).isEqualTo(27);
    }

    @Test
    void groupsOf_superuser_isNeverAskedFor() throws AnswerPending {
        List<Runnable> questions = new ArrayList<>();
        assertThat(groups(questions).groupsOf(0, List.of(27L))).isEmpty();
        assertThat(questions).isEmpty();
    }

    @Test
    void lists_beyondWhatIsKept_pushOutOthers() throws Exception {
        // 200 users with the most groups that the kernel allows are more than the cache holds.
        List<Long> most = LongStream.range(0, 65_536).boxed().toList();
        for (long uid = 1; uid <= 200; uid++) {
            accounts.groupsOf(uid, most);
        }
        int[] asked = {0};
        ManagedGroups groups = new ManagedGroups(
                accounts,
                KeptAnswers.Terms.DEFAULT,
                task -> {
                    asked[0]++;
                    task.run();
                },
                () -> 0);
        for (long uid = 1; uid <= 200; uid++) {
            assertThat(groups.groupsOf(uid, List.of())).hasSize(65_536);
        }
        assertThat(groups.groupsOf(1, List.of())).hasSize(65_536);
        assertThat(asked[0]).isEqualTo(201);
    }

    @Test
    void nameService_refuses_isPending() {
        ManagedGroups groups = new ManagedGroups(
                accounts,
                KeptAnswers.Terms.DEFAULT,
                _ -> {
                    throw new RejectedExecutionException("no thread");
                },
                () -> 0);
        assertThatThrownBy(() -> groups.groupsOf(1000, List.of())).isInstanceOf(AnswerPending.class);
    }
}
