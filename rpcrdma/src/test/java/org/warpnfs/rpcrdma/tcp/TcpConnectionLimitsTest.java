package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.warpnfs.rpcrdma.oncrpc.OncRpcDispatcher;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** Which connection is closed when its place is needed, and when a new one is refused. */
class TcpConnectionLimitsTest extends ServedPeers {
    @Test
    void silentConnection_firstMessageLimitPasses_isClosed() throws Exception {
        start(TcpOptions.builder().firstMessageLimit(Duration.ofMillis(1500)));
        TcpPeer honest = peer(HONEST);
        honest.ping(1);
        TcpPeer hostile = peer(HOSTILE);
        hostile.awaitClosed();
        assertThat(count(Counter.FIRST_CALLS_MISSED)).isEqualTo(1);
        honest.ping(2);
    }

    @Test
    void allPlacesTaken_newcomer_getsThatOfTheLongestIdleOfTheClientWithMost() throws Exception {
        start(TcpOptions.builder().maxConnections(4, 4));
        TcpPeer lone = peer(HONEST);
        lone.ping(0);
        TcpPeer[] many = {peer(HOSTILE), peer(HOSTILE), peer(HOSTILE)};
        for (TcpPeer peer : many) {
            peer.ping(0);
        }
        many[0].ping(1);
        peer(HONEST + 1).ping(0);
        many[1].awaitClosed();
        lone.ping(1);
        many[0].ping(2);
        many[2].ping(1);
        assertThat(count(Counter.CONNECTIONS_EVICTED)).isEqualTo(1);
        assertThat(count(Counter.CONNECTIONS_REFUSED)).isZero();
    }

    @Test
    void allPlacesBusy_newcomer_getsOneOfTheClientThatHasMost() throws Exception {
        start(TcpOptions.builder().maxConnections(3, 3));
        TcpPeer[] busy = {peer(HOSTILE), peer(HOSTILE), peer(HOSTILE)};
        for (TcpPeer peer : busy) {
            peer.send(Rpc.call(1, EchoProgram.PARK));
        }
        await(() -> program.parkedCount() == 3);
        peer(HONEST).ping(0);
        assertThat(count(Counter.CONNECTIONS_EVICTED)).isEqualTo(1);
    }

    @Test
    void allPlacesBusyAndShared_newcomer_isRefused() throws Exception {
        start(TcpOptions.builder().maxConnections(2, 2));
        peer(HOSTILE).send(Rpc.call(1, EchoProgram.PARK));
        peer(HOSTILE).send(Rpc.call(1, EchoProgram.PARK));
        await(() -> program.parkedCount() == 2);
        peer(HONEST).awaitClosed();
        assertThat(count(Counter.CONNECTIONS_REFUSED)).isEqualTo(1);
        assertThat(count(Counter.CONNECTIONS_EVICTED)).isZero();
    }

    @Test
    void connectionsOfAClient_atItsLimit_itsOwnIdleOneGoesElseTheNewcomer() throws Exception {
        start(TcpOptions.builder().maxConnections(100, 2));
        TcpPeer idle = peer(HOSTILE);
        idle.ping(0);
        TcpPeer busy = peer(HOSTILE);
        busy.send(Rpc.call(1, EchoProgram.PARK));
        await(() -> program.parkedCount() == 1);
        TcpPeer third = peer(HOSTILE);
        third.send(Rpc.call(1, EchoProgram.PARK));
        idle.awaitClosed();
        await(() -> program.parkedCount() == 2);
        peer(HOSTILE).awaitClosed();
        assertThat(count(Counter.CONNECTIONS_REFUSED_BY_CLIENT)).isEqualTo(1);
        assertThat(count(Counter.CONNECTIONS_EVICTED)).isEqualTo(1);
        peer(HONEST).ping(0);
    }

    /** A client with many connections does not replace the only one of another client, even if that is idle. */
    @Test
    void connectionChurn_manyTimesTheLimit_honestConnectionStaysAndNothingIsLeft() throws Exception {
        start(TcpOptions.builder().maxConnections(8, 8));
        TcpPeer honest = peer(HONEST);
        honest.ping(0);
        for (int i = 1; i <= 300; i++) {
            TcpPeer hostile = new TcpPeer(HOSTILE, service.localAddress());
            try {
                if (i % 3 == 0) {
                    hostile.beginRecord(MIB, 100);
                }
            } catch (IOException e) {
                // The connection was refused, or was closed for another.
            }
            if (i % 2 == 0) {
                hostile.close();
            } else {
                peers.add(hostile);
            }
        }
        honest.ping(1);
        await(() -> count(Counter.CONNECTIONS_OPEN) <= 8);
        assertThat(count(Counter.CONNECTIONS_EVICTED) + count(Counter.CONNECTIONS_REFUSED))
                .isPositive();
    }

    /** Simulates a socket that reports that no descriptors are left. */
    @Test
    void acceptFails_listener_givesAnIdlePlaceBackAndGoesOn() throws Exception {
        start(TcpOptions.builder());
        TransportStatistics statistics = new TransportStatistics();
        TcpListener seen;
        try (TcpListener listener = TcpListener.bind(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        TcpOptions.DEFAULT,
                        statistics,
                        new OncRpcDispatcher(
                                Map.of(EchoProgram.PROGRAM, program), threads, statistics, transport -> {}));
                TcpPeer idle = new TcpPeer(HOSTILE, listener.localAddress())) {
            idle.ping(0);
            listener.listening().pipeline().fireExceptionCaught(new IOException("Too many open files"));
            idle.awaitClosed();
            try (TcpPeer honest = new TcpPeer(HONEST, listener.localAddress())) {
                honest.ping(1);
            }
            assertThat(statistics.get(Counter.ACCEPTS_FAILED)).isEqualTo(1);
            assertThat(statistics.get(Counter.CONNECTIONS_EVICTED)).isEqualTo(1);
            seen = listener;
        }
        await(() -> seen.clientCount() == 0);
    }
}
