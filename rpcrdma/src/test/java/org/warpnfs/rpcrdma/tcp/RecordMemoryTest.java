package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

class RecordMemoryTest {
    private final TransportStatistics statistics = new TransportStatistics();
    private final RecordMemory memory = new RecordMemory(1200, statistics);
    private final List<String> granted = new ArrayList<>();

    private boolean take(RecordMemory.Share share, int bytes) {
        return memory.take(share, bytes, () -> granted.add("?")) == null;
    }

    private RecordMemory.Request waiting(RecordMemory.Share share, int bytes, String name) {
        RecordMemory.Request request = memory.take(share, bytes, () -> granted.add(name));
        assertThat(request).as(name).isNotNull();
        return request;
    }

    @Test
    void oneClient_alone_getsHalfAndNoMore() {
        RecordMemory.Share one = new RecordMemory.Share();
        assertThat(take(one, 600)).isTrue();
        waiting(one, 1, "one");
        assertThat(statistics.get(Counter.RECORD_MEMORY_BYTES)).isEqualTo(600);
        assertThat(statistics.get(Counter.MEMORY_WAITS)).isEqualTo(1);
    }

    @Test
    void newcomer_besideGreedyOnes_findsAsMuchAsTheyHave() {
        for (int i = 0; i < 3; i++) {
            RecordMemory.Share greedy = new RecordMemory.Share();
            while (take(greedy, 10)) {
                // Takes as much as it can.
            }
        }
        RecordMemory.Share newcomer = new RecordMemory.Share();
        assertThat(take(newcomer, 70)).isTrue();
    }

    @Test
    void firstRecord_ofAClient_needsRoomAlone() {
        assertThat(take(new RecordMemory.Share(), 1200)).isTrue();
        waiting(new RecordMemory.Share(), 1, "next");
    }

    @Test
    void roomComesBack_waiting_takeTurnsByClient() {
        RecordMemory.Share holder = new RecordMemory.Share();
        RecordMemory.Share greedy = new RecordMemory.Share();
        RecordMemory.Share modest = new RecordMemory.Share();
        assertThat(take(holder, 1200)).isTrue();
        for (int i = 0; i < 5; i++) {
            waiting(greedy, 100, "greedy " + i);
        }
        waiting(modest, 100, "modest");
        memory.give(holder, 1200);
        assertThat(granted.subList(0, 2)).containsExactly("greedy 0", "modest");
    }

    /** Small requests must not keep a large one waiting for ever. */
    @Test
    void headOfLineNeedsMuch_littleIsAskedFor_doesNotOvertake() {
        RecordMemory.Share first = new RecordMemory.Share();
        RecordMemory.Share second = new RecordMemory.Share();
        assertThat(take(first, 1000)).isTrue();
        waiting(second, 1000, "much");
        waiting(new RecordMemory.Share(), 10, "little");
        memory.give(first, 900);
        assertThat(granted).containsExactly("much", "little");
    }

    @Test
    void waitsForItsOwnShare_others_areNotHeldUp() {
        RecordMemory.Share greedy = new RecordMemory.Share();
        assertThat(take(greedy, 600)).isTrue();
        waiting(greedy, 600, "greedy");
        assertThat(take(new RecordMemory.Share(), 300)).isTrue();
    }

    @Test
    void headOfLine_givesUp_nextIsServed() {
        RecordMemory.Share holder = new RecordMemory.Share();
        assertThat(take(holder, 1000)).isTrue();
        RecordMemory.Request much = waiting(new RecordMemory.Share(), 1000, "much");
        waiting(new RecordMemory.Share(), 100, "little");
        assertThat(memory.cancel(much)).isTrue();
        assertThat(granted).containsExactly("little");
        assertThat(memory.cancel(much)).isFalse();
    }

    @Test
    void granted_cancel_isTooLate() {
        RecordMemory.Share holder = new RecordMemory.Share();
        assertThat(take(holder, 1200)).isTrue();
        RecordMemory.Request request = waiting(new RecordMemory.Share(), 1200, "next");
        memory.give(holder, 1200);
        assertThat(granted).containsExactly("next");
        assertThat(memory.cancel(request)).isFalse();
    }
}
