package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/** Which connection of a client starts the next call. */
class ClientAccountTest {
    /** A connection without calls needs only the place of a call, whatever others of its client leave untaken. */
    @Test
    void connectionThatWaits_clientAboveItsMark_startsItsOnlyCallWhenOneEnds() {
        TcpOptions two =
                TcpOptions.builder().maxCalls(64, 2).maxUnsentBytes(100, 100).build();
        ClientAccount account =
                new ClientAccount(ClientAddress.NONE, two, new ReplyMemory(two, new TransportStatistics()));
        assertThat(account.tryStart(true)).isTrue();
        assertThat(account.tryStart(false)).isTrue();
        List<String> told = new ArrayList<>();
        assertThat(account.startOrWait(false, () -> told.add("not alone"))).isFalse();
        assertThat(account.startOrWait(true, () -> told.add("alone"))).isFalse();
        account.changed(ReplyMemory.Size.NONE, ReplyMemory.onHeap(100), false);
        account.ended();
        assertThat(told).containsExactly("alone");
        assertThat(account.callsInFlight()).isEqualTo(2);
    }

    @Test
    void roomForAll_connectionsThatWait_haveOneCallEachInTheOrderOfTheQueue() {
        TcpOptions options =
                TcpOptions.builder().maxCalls(64, 4).maxUnsentBytes(100, 100).build();
        ClientAccount account =
                new ClientAccount(ClientAddress.NONE, options, new ReplyMemory(options, new TransportStatistics()));
        List<String> told = new ArrayList<>();
        ReplyMemory.Size untaken = ReplyMemory.onHeap(100);
        assertThat(account.tryStart(true)).isTrue();
        account.changed(ReplyMemory.Size.NONE, untaken, false);
        Runnable first = () -> told.add("first");
        Runnable gone = () -> told.add("gone");
        assertThat(account.startOrWait(false, first)).isFalse();
        assertThat(account.startOrWait(false, gone)).isFalse();
        assertThat(account.startOrWait(false, () -> told.add("second"))).isFalse();
        assertThat(account.startOrWait(false, first)).as("keeps its turn").isFalse();
        account.leave(gone);
        account.changed(untaken, ReplyMemory.Size.NONE, false);
        assertThat(told).containsExactly("first", "second");
        assertThat(account.callsInFlight()).isEqualTo(3);
        assertThat(account.waiting()).isZero();
    }
}
