package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** Calls in flight. At the limit of a client its further calls wait, and other clients do not. */
class TcpCallsInFlightTest extends ServedPeers {
    @Test
    void callsInFlightOfAClient_atTheLimit_othersWaitAndAnotherClientDoesNot() throws Exception {
        start(TcpOptions.builder().maxCalls(64, 3));
        TcpPeer one = peer(HOSTILE);
        TcpPeer two = peer(HOSTILE);
        for (int xid = 0; xid < 3; xid++) {
            one.send(Rpc.call(xid, EchoProgram.PARK));
        }
        await(() -> program.parkedCount() == 3);
        two.send(Rpc.call(9, EchoProgram.NULL));
        await(() -> count(Counter.CLIENT_WAITS) > 0);
        peer(HONEST).ping(1);
        assertThat(count(Counter.CALLS_RECEIVED)).isEqualTo(4);
        answerParked();
        Rpc.success(9, two.receive());
    }

    /** A connection with a backlog does not take the room that its own calls make before another one that waits. */
    @Test
    void connectionThatWaits_besideOneWithABacklog_hasItsTurn() throws Exception {
        start(TcpOptions.builder().maxCalls(64, 1));
        TcpPeer busy = peer(HOSTILE);
        ByteBuffer backlog = ByteBuffer.allocate(3 * 44);
        for (int xid = 0; xid < 3; xid++) {
            backlog.putInt(TcpPeer.LAST_FRAGMENT | 40)
                    .put(Rpc.header(xid, EchoProgram.PARK, 0).flip());
        }
        busy.sendBytes(backlog.flip());
        await(() -> program.parkedCount() == 1 && count(Counter.CLIENT_WAITS) == 1);
        TcpPeer waits = peer(HOSTILE);
        waits.send(Rpc.call(9, EchoProgram.NULL));
        await(() -> count(Counter.CLIENT_WAITS) == 2);
        for (int xid = 0; xid < 2; xid++) {
            await(() -> program.parkedCount() == 1);
            answerParked();
            Rpc.success(xid, busy.receive());
        }
        Rpc.success(9, waits.receive());
        await(() -> program.parkedCount() == 1);
        answerParked();
        Rpc.success(2, busy.receive());
    }

    /** A record that is not valid is no call, and takes no call's place. */
    @Test
    void recordsWithoutSense_moreThanAClientMayHaveCalls_leaveRoomForCalls() throws Exception {
        start(TcpOptions.builder().maxCalls(64, 3));
        for (int i = 0; i < 8; i++) {
            TcpPeer senseless = peer(HOSTILE);
            senseless.sendBytes(ByteBuffer.allocate(4).putInt(0, -1));
            senseless.awaitClosed();
        }
        assertThat(count(Counter.RECORDS_REFUSED)).isEqualTo(8);
        peer(HOSTILE).ping(1);
    }

    /** A connection that ends while it waits for its client's calls is removed from the queue. */
    @Test
    void connectionsThatWaitForRoom_end_nothingIsLeftOfThem() throws Exception {
        TcpOptions one = TcpOptions.builder().maxCalls(64, 1).build();
        ClientAccount account =
                new ClientAccount(ClientAddress.NONE, one, new ReplyMemory(one, new TransportStatistics()));
        assertThat(account.tryStart(true)).isTrue();
        List<String> told = new java.util.ArrayList<>();
        Runnable first = () -> told.add("first");
        assertThat(account.startOrWait(true, first)).isFalse();
        assertThat(account.startOrWait(true, () -> told.add("second"))).isFalse();
        account.leave(first);
        assertThat(account.waiting()).isEqualTo(1);
        account.ended();
        assertThat(told).containsExactly("second");
        start(TcpOptions.builder().maxCalls(64, 1));
        TcpPeer holder = peer(HOSTILE);
        holder.send(Rpc.call(1, EchoProgram.PARK));
        await(() -> program.parkedCount() == 1);
        for (int i = 1; i <= 20; i++) {
            TcpPeer waits = peer(HOSTILE);
            waits.send(Rpc.call(2, EchoProgram.NULL));
            long waited = i;
            await(() -> count(Counter.CLIENT_WAITS) >= waited);
            waits.close();
        }
        await(() -> count(Counter.CONNECTIONS_OPEN) == 1);
        answerParked();
        Rpc.success(1, holder.receive());
        peer(HOSTILE).ping(3);
    }

    /** A client that reconnects does not start with a count of zero while its earlier calls run. */
    @Test
    void callsOutliveTheirConnection_clientReturns_findsThemCounted() throws Exception {
        start(TcpOptions.builder().maxCalls(64, 2));
        TcpPeer before = peer(HOSTILE);
        before.send(Rpc.call(1, EchoProgram.PARK));
        before.send(Rpc.call(2, EchoProgram.PARK));
        await(() -> program.parkedCount() == 2);
        before.close();
        await(() -> count(Counter.CONNECTIONS_OPEN) == 0);
        TcpPeer after = peer(HOSTILE);
        after.send(Rpc.call(3, EchoProgram.NULL));
        await(() -> count(Counter.CLIENT_WAITS) > 0);
        assertThat(count(Counter.CALLS_RECEIVED)).isEqualTo(2);
        answerParked();
        Rpc.success(3, after.receive());
    }

    @Test
    void manyCallsAtOnce_oneTurn_startsABoundedNumberAndAllAreAnswered() throws Exception {
        start(TcpOptions.builder().maxStartsPerTurn(1).maxCalls(512, 512));
        TcpPeer peer = peer(HONEST);
        ByteBuffer calls = ByteBuffer.allocate(500 * 44);
        for (int xid = 0; xid < 500; xid++) {
            calls.putInt(TcpPeer.LAST_FRAGMENT | 40)
                    .put(Rpc.header(xid, EchoProgram.NULL, 0).flip());
        }
        peer.sendBytes(calls.flip());
        boolean[] answered = new boolean[500];
        for (int i = 0; i < 500; i++) {
            answered[peer.receive().getInt()] = true;
        }
        assertThat(answered).doesNotContain(false);
    }
}
