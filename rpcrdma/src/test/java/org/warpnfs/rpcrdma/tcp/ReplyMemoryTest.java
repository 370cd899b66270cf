package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/** Which calls may begin, and which wait for what; pure computation. */
class ReplyMemoryTest {
    private static final int LONGEST = 1024;

    private final TransportStatistics statistics = new TransportStatistics();
    private final List<String> granted = new ArrayList<>();
    private final ReplyMemory.Share one = new ReplyMemory.Share();
    private final ReplyMemory.Share two = new ReplyMemory.Share();

    private ReplyMemory memory(long ofClient, long ofAll) {
        return new ReplyMemory(
                TcpOptions.builder()
                        .maxRecordBytes(LONGEST)
                        .maxUnsentBytes(1 << 20, ofClient)
                        .maxUnsentBytesOfAll(ofAll)
                        .build(),
                statistics);
    }

    private ReplyMemory.Request await(ReplyMemory memory, ReplyMemory.Share share, String name) {
        return memory.await(share, false, () -> granted.add(name));
    }

    private static void hold(ReplyMemory memory, ReplyMemory.Share share, long bytes) {
        memory.change(share, ReplyMemory.Size.NONE, ReplyMemory.onHeap(bytes), false);
    }

    private static void taken(ReplyMemory memory, ReplyMemory.Share share, long bytes) {
        memory.change(share, ReplyMemory.onHeap(bytes), ReplyMemory.Size.NONE, false);
    }

    private static int setAsideAll(ReplyMemory memory, ReplyMemory.Share share) {
        int count = 0;
        while (memory.setAside(share, false)) {
            count++;
        }
        return count;
    }

    /** A call asks in each lane that it comes to. */
    @Test
    void call_asksAgain_countsOnce_andGivesBackWhatAShortOneNeedsNot() {
        ReplyMemory memory = memory(10 * LONGEST, 10 * LONGEST);
        ClientAccount account =
                new ClientAccount(ClientAddress.NONE, TcpOptions.builder().build(), memory);
        ReplyClaim claim = new ReplyClaim(account, false);
        assertThat(claim.mayBegin(true)).isTrue();
        assertThat(claim.mayBegin(true)).isTrue();
        assertThat(statistics.get(Counter.REPLY_BYTES_HELD)).isEqualTo(LONGEST);
        assertThat(claim.mayBegin(false)).isTrue();
        assertThat(statistics.get(Counter.REPLY_BYTES_HELD)).isZero();
        assertThat(claim.mayBegin(true)).isTrue();
        claim.end();
        assertThat(statistics.get(Counter.REPLY_BYTES_HELD)).isZero();
    }

    @Test
    void shortCalls_untilTheMark_beginAndAtItDoNot_butAlone() {
        ReplyMemory memory = memory(10_000, 1 << 20);
        hold(memory, one, 9_999);
        assertThat(memory.mayBegin(one, false)).isTrue();
        hold(memory, one, 1);
        assertThat(memory.mayBegin(one, false)).isFalse();
        assertThat(memory.mayBegin(one, true)).isTrue();
        assertThat(memory.mayBegin(two, false)).isTrue();
    }

    @Test
    void longCalls_together_areSetAsideUpToTheMark() {
        ReplyMemory memory = memory(4 * LONGEST, 1 << 20);
        assertThat(setAsideAll(memory, one)).isEqualTo(4);
        assertThat(memory.mayBegin(one, false))
                .as("what is set aside stops no short call")
                .isTrue();
        memory.change(one, ReplyMemory.Size.NONE, ReplyMemory.onHeap(LONGEST / 2), true);
        assertThat(memory.setAside(one, false)).as("half of it is still there").isFalse();
        memory.giveBack(one);
        assertThat(memory.setAside(one, false)).isTrue();
    }

    @Test
    void longCall_ofAClientWithNothing_beginsBelowAnyMark() {
        ReplyMemory memory = memory(1, 1 << 20);
        assertThat(setAsideAll(memory, one)).isEqualTo(1);
    }

    /** A client gets as much as is free: half if it is alone, and a new client always finds some. */
    @Test
    void all_clientsThatTakeWhatTheyGet_leaveSomeForTheNext() {
        ReplyMemory memory = memory(1 << 30, 64 * LONGEST);
        assertThat(setAsideAll(memory, one)).isEqualTo(32);
        assertThat(setAsideAll(memory, two)).isEqualTo(16);
        assertThat(setAsideAll(memory, new ReplyMemory.Share())).isEqualTo(8);
        assertThat(memory.setAside(one, true))
                .as("alone is no reason above the share")
                .isFalse();
        assertThat(statistics.get(Counter.REPLY_BYTES_HELD)).isEqualTo(56 * LONGEST);
    }

    @Test
    void all_usedUp_shortCallsWaitToo() {
        ReplyMemory memory = memory(1 << 30, 8 * LONGEST);
        hold(memory, one, 8 * LONGEST);
        assertThat(memory.mayBegin(one, true)).isFalse();
        assertThat(memory.mayBegin(two, true)).isFalse();
        taken(memory, one, 4 * LONGEST);
        assertThat(memory.mayBegin(one, true)).as("it has half").isFalse();
        assertThat(memory.mayBegin(two, false)).isTrue();
    }

    @Test
    void payloadInPooledBuffers_countsForTheMarkAlone() {
        ReplyMemory memory = memory(10_000, 8 * LONGEST);
        ReplyMemory.Size size = ReplyMemory.Size.of(new RpcMessage(
                ByteBuffer.allocate(100),
                List.of(
                        new RpcMessage.Item(100, Payload.unpooled(ByteBuffer.allocateDirect(9_000))),
                        new RpcMessage.Item(100, Payload.unpooled(ByteBuffer.allocate(900))))));
        assertThat(size).isEqualTo(new ReplyMemory.Size(10_000, 1_000));
        memory.change(one, ReplyMemory.Size.NONE, size, false);
        assertThat(memory.mayBegin(one, false)).isFalse();
        assertThat(statistics.get(Counter.REPLY_BYTES_HELD)).isEqualTo(1_000);
    }

    @Test
    void waiting_roomComes_areGrantedByTurnsOfClients() {
        ReplyMemory memory = memory(1 << 30, 3 * LONGEST);
        hold(memory, one, LONGEST);
        hold(memory, two, LONGEST);
        ReplyMemory.Share third = new ReplyMemory.Share();
        hold(memory, third, LONGEST);
        await(memory, one, "one");
        await(memory, one, "one again");
        await(memory, two, "two");
        assertThat(granted).isEmpty();
        taken(memory, one, LONGEST);
        assertThat(granted).as("it has nothing, and is next").containsExactly("one");
        memory.giveBack(one);
        assertThat(granted).containsExactly("one", "one again");
        taken(memory, two, LONGEST);
        assertThat(granted).containsExactly("one", "one again", "two");
    }

    @Test
    void waitingForRoom_isNotOvertakenByThoseWhoComeLater() {
        ReplyMemory memory = memory(1 << 30, 3 * LONGEST);
        hold(memory, two, 2 * LONGEST + 1);
        await(memory, one, "one");
        ReplyMemory.Share later = new ReplyMemory.Share();
        assertThat(memory.setAside(later, false)).isFalse();
        taken(memory, two, 1);
        assertThat(granted).containsExactly("one");
    }

    @Test
    void waitingForItsOwnClient_standsInNobodysWay() {
        ReplyMemory memory = memory(LONGEST, 1 << 20);
        hold(memory, one, LONGEST);
        await(memory, one, "one");
        assertThat(memory.setAside(two, false)).isTrue();
        assertThat(granted).isEmpty();
    }

    @Test
    void waiting_becomesAlone_isGrantedThoughItsClientIsAboveTheMark() {
        ReplyMemory memory = memory(LONGEST, 1 << 20);
        hold(memory, one, 5 * LONGEST);
        await(memory, one, "first");
        ReplyMemory.Request second = await(memory, one, "second");
        memory.alone(second);
        memory.alone(second);
        assertThat(granted).containsExactly("second");
    }

    /** Otherwise connections that come back with one call after the other keep an earlier one waiting for ever. */
    @Test
    void waitingAlone_manyConnections_areGrantedInTheOrderInWhichTheyCame() {
        ReplyMemory memory = memory(1 << 30, 4 * LONGEST);
        hold(memory, one, 2 * LONGEST);
        await(memory, one, "not alone");
        ReplyMemory.Request third = await(memory, one, "third");
        memory.await(one, true, () -> granted.add("first"));
        memory.await(one, true, () -> granted.add("second"));
        memory.alone(third);
        assertThat(granted).isEmpty();
        taken(memory, one, 2 * LONGEST);
        assertThat(granted).containsExactly("first", "second");
        memory.giveBack(one);
        memory.giveBack(one);
        assertThat(granted).containsExactly("first", "second", "third", "not alone");
    }

    @Test
    void grant_thatThrows_keepsNoOtherFromHearing() {
        ReplyMemory memory = memory(1 << 30, 8 * LONGEST);
        hold(memory, one, 8 * LONGEST);
        memory.await(two, false, () -> {
            throw new IllegalStateException("a defect");
        });
        await(memory, two, "two");
        await(memory, one, "one");
        assertThatThrownBy(() -> taken(memory, one, 8 * LONGEST)).isInstanceOf(IllegalStateException.class);
        assertThat(granted).containsExactlyInAnyOrder("one", "two");
    }

    @Test
    void waiting_givenUp_isNotGranted_andTheNextHasItsTurn() {
        ReplyMemory memory = memory(1 << 30, 3 * LONGEST);
        hold(memory, two, 2 * LONGEST);
        hold(memory, two, 1);
        ReplyMemory.Request first = await(memory, one, "first");
        assertThat(memory.cancel(first)).isTrue();
        assertThat(memory.cancel(first)).isFalse();
        ReplyMemory.Request second = await(memory, one, "second");
        taken(memory, two, 1);
        assertThat(granted).containsExactly("second");
        assertThat(memory.cancel(second)).isFalse();
        memory.giveBack(one);
        taken(memory, two, 2 * LONGEST);
        assertThat(statistics.get(Counter.REPLY_BYTES_HELD)).isZero();
    }
}
