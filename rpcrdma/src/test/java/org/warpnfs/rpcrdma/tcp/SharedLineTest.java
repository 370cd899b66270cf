package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.oncrpc.OncRpcDispatcher;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.testing.EchoProgram;

/** Connections of one client share its line, and the least rate with it. The clock is manual. */
@Timeout(60)
class SharedLineTest {
    private static final int CLIENT = 2;
    private static final int HONEST = 3;
    private static final int MIB = 1 << 20;

    /** As many as Linux opens for a mount. */
    private static final int LINKS = 16;

    private final TransportStatistics statistics = new TransportStatistics();
    private final OperationThreads threads = new OperationThreads(2);
    private final List<TcpPeer> peers = new ArrayList<>();
    private TcpListener listener;
    private TcpPeer honest;

    @BeforeEach
    void listen() throws IOException {
        EchoProgram program = new EchoProgram(new PayloadPool(4 * MIB, MIB));
        listener = TcpListener.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TcpOptions.builder().eventLoopThreads(1).build(),
                statistics,
                new OncRpcDispatcher(Map.of(EchoProgram.PROGRAM, program), threads, statistics, transport -> {}));
        honest = peer(HONEST);
    }

    @AfterEach
    void close() throws IOException {
        for (TcpPeer peer : peers) {
            peer.close();
        }
        listener.close();
        threads.close();
    }

    private TcpPeer peer(int host) throws IOException {
        TcpPeer peer = new TcpPeer(host, listener.localAddress());
        peers.add(peer);
        return peer;
    }

    /** A peer that has made a call, and has begun a record of a MiB and stopped. */
    private TcpPeer stuck() throws IOException {
        TcpPeer peer = peer(CLIENT);
        peer.ping(1);
        peer.beginRecord(MIB, 100);
        return peer;
    }

    /** Checks the client's connections now and again after some seconds, and returns how many were too slow. */
    private long tooSlowAfter(int seconds) throws Exception {
        long before = statistics.get(Counter.RECORDS_TOO_SLOW);
        // Earlier data has arrived once later data has been answered, because there is one event loop.
        honest.ping(2);
        long now = System.nanoTime();
        listener.closeOverdue(now);
        listener.closeOverdue(now + TimeUnit.SECONDS.toNanos(1));
        listener.closeOverdue(now + TimeUnit.SECONDS.toNanos(seconds));
        honest.ping(3);
        return statistics.get(Counter.RECORDS_TOO_SLOW) - before;
    }

    @Test
    void manyConnectionsOfAClient_oneLine_haveTheTimeOfTheirParts() throws Exception {
        for (int i = 0; i < LINKS; i++) {
            stuck();
        }
        // 30 seconds of grace, and the time for what 30 seconds carry at 32 KiB/s, at a sixteenth of that rate.
        assertThat(tooSlowAfter(500)).isZero();
        assertThat(tooSlowAfter(520)).isEqualTo(LINKS);
        for (int i = 1; i <= LINKS; i++) {
            peers.get(i).awaitClosed();
        }
        stuck();
        assertThat(tooSlowAfter(59)).isZero();
        assertThat(tooSlowAfter(62))
                .as("those that ended have no part any more")
                .isEqualTo(1);
    }
}
