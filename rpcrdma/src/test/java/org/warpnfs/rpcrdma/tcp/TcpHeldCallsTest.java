package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.junit.jupiter.api.Test;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/**
 * Calls that have been started, of clients that do not take their replies. They wait before they begin, on no thread.
 */
class TcpHeldCallsTest extends ServedPeers {
    private static final int MARK = 6 * MIB;
    /** A reply of 1 MiB outside the payload memory, with its header. */
    private static final int REPLY_BYTES = MIB + 28;

    private final CountDownLatch gate = new CountDownLatch(1);
    private final RpcDispatchable gated = call -> {
        awaitGate();
        program.dispatchOncRpcCall(call);
    };

    private void awaitGate() throws IOException {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private static TcpOptions.Builder options() {
        return TcpOptions.builder().maxUnsentBytes(64 * MIB, MARK);
    }

    /** Calls with 1 MiB of XDR each. All are started before the first one begins, so the gate must be closed. */
    private TcpPeer startAll(int host, int calls) throws Exception {
        TcpPeer hostile = peer(host);
        long before = count(Counter.CALLS_RECEIVED);
        for (int xid = 0; xid < calls; xid++) {
            hostile.send(Rpc.call(xid, EchoProgram.BULK, MIB));
        }
        await(() -> count(Counter.CALLS_RECEIVED) == before + calls);
        return hostile;
    }

    private void awaitNothingRuns() throws InterruptedException {
        await(() -> count(Counter.CALLS_RUNNING) == 0);
    }

    private static void takeReplies(TcpPeer peer, int calls) throws IOException {
        boolean[] answered = new boolean[calls];
        for (int i = 0; i < calls; i++) {
            answered[peer.receive().getInt()] = true;
        }
        assertThat(answered).doesNotContain(false);
    }

    @Test
    void startedCalls_repliesNotTaken_areHeldAtTheClientsMark_andAnsweredWhenTheyAreTaken() throws Exception {
        start(options(), gated);
        TcpPeer hostile = startAll(HOSTILE, 60);
        gate.countDown();
        awaitNothingRuns();
        assertThat(count(Counter.UNSENT_BYTES)).isBetween((long) MIB, MARK + (long) THREADS * REPLY_BYTES);
        // A call that has ended counts as a reply shortly after it stopped running.
        await(() -> count(Counter.CALLS_HELD) == 60 - count(Counter.REPLIES_SENT));
        TcpPeer honest = peer(HONEST);
        honest.send(Rpc.call(1, EchoProgram.BULK, MIB));
        Rpc.success(1, honest.receive());
        takeReplies(hostile, 60);
        await(() -> count(Counter.UNSENT_BYTES) == 0);
        assertThat(count(Counter.CALLS_HELD)).isZero();
    }

    @Test
    void startedCalls_ofManyConnections_areHeldAtTheClientsMark() throws Exception {
        start(options(), gated);
        TcpPeer[] hostile = new TcpPeer[4];
        for (int i = 0; i < hostile.length; i++) {
            hostile[i] = startAll(HOSTILE, 20);
        }
        gate.countDown();
        awaitNothingRuns();
        assertThat(count(Counter.UNSENT_BYTES))
                .as("the mark, a reply for each thread, and one for each connection")
                .isLessThanOrEqualTo(MARK + (long) (THREADS + hostile.length) * REPLY_BYTES);
        for (TcpPeer peer : hostile) {
            takeReplies(peer, 20);
        }
    }

    @Test
    void heldCalls_connectionEnds_givesBackAllThatTheyHold() throws Exception {
        start(options(), gated);
        TcpPeer hostile = startAll(HOSTILE, 60);
        gate.countDown();
        awaitNothingRuns();
        assertThat(count(Counter.RECORD_MEMORY_BYTES)).isPositive();
        hostile.close();
        await(() -> count(Counter.CONNECTIONS_OPEN) == 0 && count(Counter.CALLS_HELD) == 0);
        await(() -> count(Counter.RECORD_MEMORY_BYTES) == 0 && count(Counter.REPLY_BYTES_HELD) == 0);
        await(() -> count(Counter.CALLS_DROPPED) + count(Counter.REPLIES_SENT) == 60);
        TcpPeer again = peer(HOSTILE);
        for (int xid = 0; xid < 60; xid++) {
            again.send(Rpc.call(xid, EchoProgram.BULK, MIB));
        }
        takeReplies(again, 60);
    }

    /** The client's other connection has taken all its replies, so it has one call at a time. */
    @Test
    void connectionThatTakesItsReplies_besideOneThatDoesNot_goesOn() throws Exception {
        start(options(), gated);
        startAll(HOSTILE, 60);
        gate.countDown();
        awaitNothingRuns();
        TcpPeer takes = peer(HOSTILE);
        for (int xid = 0; xid < 5; xid++) {
            takes.send(Rpc.call(xid, EchoProgram.BULK, MIB));
            Rpc.success(xid, takes.receive());
        }
    }

    /** The calls were started together. When they are all that their connection has, they begin one after the other. */
    @Test
    void callsOfAConnectionThatTakesItsReplies_heldForWhatAnotherDoesNotTake_goOn() throws Exception {
        start(options(), gated);
        startAll(HOSTILE, 60);
        TcpPeer takes = startAll(HOSTILE, 3);
        gate.countDown();
        takeReplies(takes, 3);
    }

    @Test
    void heldCalls_ofOneClient_delayNoOther() throws Exception {
        start(options(), gated);
        startAll(HOSTILE, 60);
        gate.countDown();
        awaitNothingRuns();
        TcpPeer honest = peer(HONEST);
        for (int xid = 0; xid < 30; xid++) {
            honest.send(Rpc.call(xid, EchoProgram.BULK, MIB));
            Rpc.success(xid, honest.receive());
        }
        assertThat(count(Counter.CALLS_HELD)).isPositive();
    }

    @Test
    void heldCalls_repliesNotTakenAtTheLeastRate_endWithTheirConnection() throws Exception {
        start(options().leastRate(64 << 10, Duration.ofMillis(1500)), gated);
        startAll(HOSTILE, 60);
        gate.countDown();
        awaitNothingRuns();
        await(() -> count(Counter.REPLIES_TOO_SLOW) == 1 && count(Counter.CALLS_HELD) == 0);
        await(() -> count(Counter.REPLY_BYTES_HELD) == 0);
        peer(HONEST).ping(1);
    }

    @Test
    void heldCalls_drain_doesNotWaitForThem() throws Exception {
        start(options().drainGrace(Duration.ofMillis(500)), gated);
        startAll(HOSTILE, 60);
        gate.countDown();
        awaitNothingRuns();
        assertThat(service.drain(Duration.ofSeconds(60))).isTrue();
        await(() -> count(Counter.CALLS_HELD) == 0);
    }

    @Test
    void heldCalls_repliesTakenWhileItDrains_areAnswered() throws Exception {
        start(options(), gated);
        TcpPeer hostile = startAll(HOSTILE, 60);
        gate.countDown();
        awaitNothingRuns();
        Thread drain = Thread.ofVirtual().start(() -> service.drain(Duration.ofSeconds(60)));
        takeReplies(hostile, 60);
        drain.join();
        assertThat(count(Counter.CONNECTIONS_OPEN)).isZero();
    }

    @Test
    void heldCalls_noThreadTakesThemAnyMore_endWithTheirConnection() throws Exception {
        start(options(), gated);
        TcpPeer hostile = startAll(HOSTILE, 60);
        gate.countDown();
        awaitNothingRuns();
        assertThat(threads.drain(Duration.ofSeconds(60))).isTrue();
        hostile.awaitClosed();
        await(() -> count(Counter.CALLS_HELD) == 0 && count(Counter.RECORD_MEMORY_BYTES) == 0);
    }

    /**
     * Many threads could list at once. Memory for the longest reply is reserved before each call begins, so the total
     * never exceeds the limit.
     */
    @Test
    void callsThatMoveData_beginTogether_doNotPassTheMarkTogether() throws Exception {
        OperationThreads many = new OperationThreads(16);
        AtomicInteger together = new AtomicInteger();
        RpcDispatchable listing = new DataProgram() {
            @Override
            public void dispatchOncRpcCall(RpcCall call) throws OncRpcException, IOException {
                together.incrementAndGet();
                awaitGate();
                program.dispatchOncRpcCall(call);
            }
        };
        try {
            start(options(), listing, many);
            TcpPeer hostile = startAll(HOSTILE, 30);
            int most = MARK / TcpOptions.DEFAULT.maxRecordBytes();
            await(() -> together.get() == most);
            await(() -> count(Counter.CALLS_HELD) == 30 - most);
            assertThat(together).hasValue(most);
            gate.countDown();
            awaitNothingRuns();
            assertThat(count(Counter.UNSENT_BYTES)).isBetween((long) MIB, (long) MARK);
            takeReplies(hostile, 30);
        } finally {
            many.close();
        }
    }

    private interface DataProgram extends RpcDispatchable, LaneProgram {
        @Override
        default Lane laneOf(int procedure, ByteBuffer arguments, Lane earliest) {
            return Lane.DATA;
        }
    }

    /**
     * A COMPOUND that has listed a directory and continues in another lane. What it holds counts, although no reply
     * exists.
     */
    @Test
    void callsThatLeaveTheirThread_withPartOfAReply_countForTheMark() throws Exception {
        RpcDispatchable holding = new RpcDispatchable() {
            @Override
            public void dispatchOncRpcCall(RpcCall call) throws OncRpcException, IOException {
                if (call.getProcedure() == EchoProgram.PARK) {
                    awaitGate();
                    ((CallLanes) call.getXdr()).holds(MIB);
                }
                program.dispatchOncRpcCall(call);
            }
        };
        start(options(), holding);
        TcpPeer hostile = peer(HOSTILE);
        for (int xid = 0; xid < 20; xid++) {
            hostile.send(Rpc.call(xid, EchoProgram.PARK));
        }
        await(() -> count(Counter.CALLS_RECEIVED) == 20);
        gate.countDown();
        int most = MARK / MIB + THREADS;
        await(() -> program.parkedCount() + count(Counter.CALLS_HELD) == 20);
        assertThat(program.parkedCount()).isBetween(MARK / MIB, most);
        peer(HONEST).ping(1);
        for (int i = 0; i < 20; i++) {
            await(() -> program.parkedCount() > 0);
            answerParked();
            hostile.receive();
        }
    }

    @Test
    void startedCalls_ofManyClients_areHeldAtWhatIsForAll_andANewcomerIsServed() throws Exception {
        int mostOfAll = 12 * MIB;
        start(TcpOptions.builder().maxUnsentBytes(64 * MIB, 64 * MIB).maxUnsentBytesOfAll(mostOfAll), gated);
        TcpPeer[] hostile = new TcpPeer[3];
        for (int i = 0; i < hostile.length; i++) {
            hostile[i] = startAll(HONEST + 1 + i, 30);
        }
        gate.countDown();
        awaitNothingRuns();
        assertThat(count(Counter.REPLY_BYTES_HELD)).isBetween(6L * MIB, mostOfAll + (long) THREADS * REPLY_BYTES);
        TcpPeer honest = peer(HONEST);
        for (int xid = 0; xid < 5; xid++) {
            honest.send(Rpc.call(xid, EchoProgram.BULK, MIB));
            Rpc.success(xid, honest.receive());
        }
        for (TcpPeer peer : hostile) {
            takeReplies(peer, 30);
        }
    }
}
