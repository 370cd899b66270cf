package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class GroupListsTest {
    private final GroupLists lists = new GroupLists();

    @Test
    void list_usedAgain_isTheSameMemory() {
        GroupLists.Kept first = lists.use(List.of(100L, 0xffff_fffeL));
        lists.leave(first);

        GroupLists.Kept again = lists.use(List.of(100L, 0xffff_fffeL));

        assertThat(again).isSameAs(first);
        assertThat(again.memory.toArray(JAVA_INT)).containsExactly(100, -2);
    }

    @Test
    void lists_unusedAndTooMany_areDroppedOldestFirst() {
        GroupLists.Kept first = lists.use(List.of(1L));
        lists.leave(first);
        GroupLists.Kept second = lists.use(List.of(2L));
        lists.leave(second);

        fill(GroupLists.MAX_UNUSED - 1);

        assertThat(lists.size()).isEqualTo(GroupLists.MAX_UNUSED);
        assertThat(lists.use(List.of(2L))).isSameAs(second);
        assertThat(lists.use(List.of(1L))).isNotSameAs(first);
    }

    @Test
    void list_inUseWhileOthersCome_isKept() {
        GroupLists.Kept held = lists.use(List.of(1L));
        GroupLists.Kept heldToo = lists.use(List.of(1L));
        lists.leave(heldToo);

        fill(2 * GroupLists.MAX_UNUSED);

        assertThat(lists.use(List.of(1L))).isSameAs(held);
        assertThat(lists.size()).isEqualTo(GroupLists.MAX_UNUSED + 1);
    }

    private void fill(int count) {
        for (int i = 0; i < count; i++) {
            lists.leave(lists.use(List.of(1000L + i)));
        }
    }
}
