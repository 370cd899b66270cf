package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.header;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.last;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.qp.QueuePairLimits;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/** What one client address may hold, and what is left for the others. */
class ClientLimitsTest {
    private static final String HOG = "192.0.2.1";
    private static final String HONEST = "192.0.2.2";
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long IDLE_NANOS =
            PeerDeadlines.DEFAULT.idleBeforeEviction().toNanos();

    private SimulatedResponder responder;

    private void start(ClientLimits limits) {
        responder = new SimulatedResponder(
                ResponderOptions.builder().clients(limits).messagesInUse(1).build());
    }

    @AfterEach
    void close() {
        responder.close();
    }

    private RawRequester used(String host) throws Exception {
        RawRequester raw = responder.connectFrom(host);
        responder.assertStillServes(raw);
        return raw;
    }

    private void look(long nowNanos) {
        responder.service.endStalled(nowNanos);
        responder.settle();
    }

    @Test
    void connections_atTheLimitOfAClient_othersGetIn() throws Exception {
        start(ClientLimits.DEFAULT.withConnections(8, 3));
        for (int i = 0; i < 3; i++) {
            used(HOG);
        }
        assertThat(responder.connectFrom(HOG).open()).isFalse();
        assertThat(responder.count(Counter.CONNECTIONS_REFUSED)).isEqualTo(1);
        used(HONEST);
    }

    @Test
    void connections_ofOneIpv6Network_areOneClient() throws Exception {
        start(ClientLimits.DEFAULT.withConnections(8, 2));
        used("2001:db8::1");
        used("2001:db8::2");
        assertThat(responder.connectFrom("2001:db8::3").open()).isFalse();
        used("2001:db8:0:1::1");
    }

    @Test
    void connections_atTheLimit_theOneIdleForLongestMakesRoom() throws Exception {
        start(ClientLimits.DEFAULT.withConnections(3, 3));
        RawRequester busy = used(HOG);
        busy.send(inline(Rpc.call(1, EchoProgram.PARK)));
        responder.settle();
        RawRequester longest = used(HOG);
        look(0);
        look(SECOND);
        RawRequester later = used(HOG);
        look(2 * SECOND);
        look(3 * SECOND);
        look(SECOND + IDLE_NANOS - 1);
        assertThat(responder.connectFrom(HONEST).open())
                .as("none is idle for long enough")
                .isFalse();
        look(3 * SECOND + IDLE_NANOS);
        used(HONEST);
        assertThat(longest.open()).isFalse();
        assertThat(later.open()).isTrue();
        assertThat(responder.count(Counter.CONNECTIONS_EVICTED)).isEqualTo(1);
        responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
        responder.settle();
        assertThat(busy.received).hasSize(2);
    }

    @Test
    void connections_atTheLimitOfAClient_oneOfItsOwnMakesRoom() throws Exception {
        start(ClientLimits.DEFAULT.withConnections(8, 2));
        RawRequester other = used(HONEST);
        look(0);
        look(SECOND);
        RawRequester first = used(HOG);
        RawRequester second = used(HOG);
        look(2 * SECOND);
        look(3 * SECOND);
        look(3 * SECOND + IDLE_NANOS);
        used(HOG);
        assertThat(other.open()).as("idle for longer, but not in its way").isTrue();
        assertThat(List.of(first.open(), second.open())).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void receiveBuffers_atTheLimitOfAClient_othersGetThem() throws Exception {
        int silent = ResponderOptions.FIRST_CREDITS + 2;
        int busy = 64 + 2;
        start(ClientLimits.DEFAULT.withConnections(64, 64).withReceiveBuffers(1000, busy));
        for (int i = 0; i < busy / silent; i++) {
            assertThat(responder.connectFrom(HOG).open()).isTrue();
            assertThat(responder.count(Counter.RECEIVE_BUFFERS_HELD))
                    .as("who says nothing holds little")
                    .isEqualTo((i + 1L) * silent);
        }
        assertThat(responder.connectFrom(HOG).open())
                .as("with the few that are left")
                .isTrue();
        assertThat(responder.connectFrom(HOG).open()).isFalse();
        RawRequester honest = used(HONEST);
        assertThat(header(last(honest)).credits()).isEqualTo(32);
        assertThat(responder.count(Counter.RECEIVE_BUFFERS_HELD)).isEqualTo(2L * busy);
    }

    @Test
    void busyConnections_takeReceiveBuffers_leaveAFirstSetForEachThatMayStillCome() throws Exception {
        int connections = 40;
        int first = ResponderOptions.FIRST_CREDITS + 2;
        start(ClientLimits.DEFAULT
                .withConnections(connections, connections)
                .withReceiveBuffers(connections * first + 100, 1000));
        List<RawRequester> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            all.add(used("192.0.2." + i));
        }
        assertThat(header(last(all.getFirst())).credits())
                .as("as long as there are more than those")
                .isEqualTo(32);
        assertThat(header(last(all.getLast())).credits())
                .as("the last one has no fewer than each had at first")
                .isGreaterThanOrEqualTo(ResponderOptions.FIRST_CREDITS);
        for (RawRequester one : all) {
            responder.assertStillServes(one);
        }
    }

    @Test
    void connectionsThatComeAndGo_takeNoMoreSlabsThanOneOfThem() throws Exception {
        start(ClientLimits.DEFAULT);
        for (int i = 0; i < 3000; i++) {
            RawRequester raw = responder.connectFrom(HOG);
            if (i % 10 == 0) {
                responder.assertStillServes(raw);
            }
            responder.simulation.resetAll();
            responder.simulation.run();
            assertThat(responder.count(Counter.RECEIVE_BUFFERS_HELD)).isZero();
        }
        assertThat(responder.count(Counter.RECEIVE_SLABS)).isEqualTo(2);
    }

    @Test
    void callRuns_connectionEnds_itsReceiveBufferStaysUntilTheCallIsDone() throws Exception {
        start(ClientLimits.DEFAULT);
        RawRequester raw = used(HOG);
        raw.send(inline(Rpc.call(1, EchoProgram.PARK)));
        responder.settle();
        responder.simulation.resetAll();
        responder.settle();
        assertThat(responder.count(Counter.RECEIVE_BUFFERS_HELD)).isEqualTo(1);
        responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
        responder.settle();
        assertThat(responder.count(Counter.RECEIVE_BUFFERS_HELD)).isZero();
    }

    private void bulk(RawRequester raw, int xid, int count) {
        longReply(raw, Rpc.call(xid, EchoProgram.BULK, count), count);
    }

    /** Sends a call with a Reply chunk, and returns the chunk's length. */
    private static long longReply(RawRequester raw, RpcMessage call, int count) {
        MemoryRegion region = raw.register(ByteBuffer.allocate(count + 100), AccessRight.REMOTE_WRITE);
        WriteChunk reply =
                new WriteChunk(List.of(new RdmaSegment(region.stag(), region.lengthBytes(), region.taggedOffset())));
        raw.send(message(
                new RdmaMsg((int) call.xid(), 32, new ChunkLists(List.of(), List.of(), Optional.of(reply))),
                call.xdr()));
        return region.lengthBytes();
    }

    @Test
    void longReplies_atTheLimitOfAClient_waitAndOthersAreAnswered() throws Exception {
        int count = 100_000;
        start(ClientLimits.DEFAULT.withReplyBytes(1 << 20, 250_000));
        RawRequester first = used(HOG);
        RawRequester second = used(HOG);
        RawRequester honest = used(HONEST);
        for (int i = 0; i < 4; i++) {
            bulk(first, 100 + i, count);
            bulk(second, 100 + i, count);
        }
        responder.simulation.run();
        assertThat(responder.operations).as("calls that run").hasSize(2);
        bulk(honest, 100, count);
        responder.simulation.run();
        assertThat(responder.operations).hasSize(3);
        responder.settle();
        assertThat(first.received).hasSize(5);
        assertThat(second.received).hasSize(5);
        assertThat(honest.received).hasSize(2);
    }

    /** A connection with a backlog does not take the room that its own calls leave before another one that waits. */
    @Test
    void longReplies_ofAConnectionWithABacklog_leaveOtherConnectionsOfTheClientTheirTurn() throws Exception {
        int count = 100_000;
        start(ClientLimits.DEFAULT.withReplyBytes(1 << 20, 110_000));
        RawRequester busy = used(HOG);
        RawRequester waits = used(HOG);
        for (int i = 0; i < 3; i++) {
            longReply(busy, Rpc.call(100 + i, EchoProgram.PARK), count);
        }
        responder.settle();
        bulk(waits, 100, count);
        responder.settle();
        assertThat(responder.program.parked).hasSize(1);
        for (int i = 0; i < 2; i++) {
            responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
            responder.settle();
        }
        assertThat(waits.received).hasSize(2);
        responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
        responder.settle();
        assertThat(busy.received).hasSize(4);
    }

    /**
     * A COMPOUND that has listed a directory and waits for a thread holds no more than was reserved when it was passed
     * up.
     */
    @Test
    void callsThatLeaveTheirThread_holdNoMoreThanTheirRequesterHasRoomFor() throws Exception {
        int count = 100_000;
        start(ClientLimits.DEFAULT);
        RawRequester raw = used(HOG);
        raw.send(inline(Rpc.call(7, EchoProgram.PARK)));
        long reply = longReply(raw, Rpc.call(8, EchoProgram.PARK), count);
        responder.settle();
        CallLanes withoutChunk = (CallLanes) responder.program.parked.get(0).getXdr();
        CallLanes withChunk = (CallLanes) responder.program.parked.get(1).getXdr();
        assertThat(withoutChunk.holds(4096)).isTrue();
        assertThat(withoutChunk.holds(4097)).isFalse();
        assertThat(withChunk.holds(reply + 4096)).isTrue();
        assertThat(withChunk.holds(reply + 4097)).isFalse();
        for (RpcCall call : responder.program.parked) {
            call.reply(XdrVoid.XDR_VOID);
        }
        responder.program.parked.clear();
        responder.settle();
        assertThat(raw.received).hasSize(3);
    }

    /** Six connections whose Reads nobody answers, and one that only wants to write. */
    @Test
    void readsUnanswered_byOneClient_leavePoolMemoryForOthers() throws Exception {
        start(ClientLimits.DEFAULT);
        List<RawRequester> silent = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            silent.add(used(HOG));
        }
        RawRequester honest = used(HONEST);
        responder.simulation.stall(false, 10 * SECOND);
        for (RawRequester raw : silent) {
            for (int xid = 100; xid < 108; xid++) {
                write(raw, xid, 1_500_000);
            }
        }
        write(honest, 7, 1_500_000);
        responder.simulation.runFor(SECOND);
        assertThat(responder.pool.lentBytes()).isBetween(1L, responder.pool.budgetBytes());
        assertThat(responder.count(Counter.CALLS_RECEIVED)).isEqualTo(7 + 6 * 8 + 1);
        assertThat(responder.pool.lentBytes(ClientAddress.of(InetAddress.ofLiteral(HONEST))))
                .as("its sink is there though the other has asked for more than there is before")
                .isEqualTo(2 << 20);
        assertThat(responder.pool.lentBytes(ClientAddress.of(InetAddress.ofLiteral(HOG))))
                .isLessThanOrEqualTo(responder.pool.budgetBytes() / 2);
    }

    /** A call that waits for memory does not hold up others after its connection has ended. */
    @Test
    void waitsForASink_connectionEnds_isOutOfTheLine() throws Exception {
        start(ClientLimits.DEFAULT);
        RawRequester raw = used(HOG);
        List<Payload> all = new ArrayList<>();
        for (Payload next = largest(); next != null; next = largest()) {
            all.add(next);
        }
        write(raw, 100, 1_500_000);
        responder.simulation.run();
        assertThat(responder.pool.waitingRequests()).isEqualTo(1);
        responder.simulation.resetAll();
        responder.simulation.run();
        assertThat(responder.pool.waitingRequests()).isZero();
        all.forEach(Payload::release);
    }

    private Payload largest() {
        return responder.pool.tryAcquire(responder.pool.maxLengthBytes());
    }

    /** A lack of receives is no defect: the connection ends, and its buffers are available to others. */
    @Test
    void transportRefusesTheReceives_theirBuffers_areBack() {
        responder = new SimulatedResponder(
                ResponderOptions.DEFAULT,
                QueuePairConfig.builder()
                        .limits(QueuePairLimits.builder().receiveQueueDepth(4).build())
                        .build());
        for (int i = 0; i < 10; i++) {
            ConnectOptions options = new ConnectOptions(ByteBuffer.allocate(0), 4, 0);
            RawRequester raw = RawRequester.connect(
                    responder.simulation.connector(), SimulatedResponder.ADDRESS, options, 2, 4096);
            responder.settle();
            assertThat(raw.open()).isFalse();
        }
        assertThat(responder.simulation.internalErrors()).isEmpty();
        assertThat(responder.count(Counter.CONNECTIONS_REFUSED)).isPositive();
        assertThat(responder.count(Counter.RECEIVE_BUFFERS_HELD)).isZero();
        assertThat(responder.count(Counter.RECEIVE_SLABS)).isEqualTo(1);
    }

    /**
     * A call whose largest reply exceeds its connection's share runs when it is alone. Otherwise it would never run.
     */
    @Test
    void replyBeyondTheShareOfAConnection_callIsAlone_runs() throws Exception {
        responder = new SimulatedResponder(
                ResponderOptions.builder().maxHeldBytes(1000).build());
        RawRequester raw = used(HONEST);
        int before = raw.received.size();
        for (int xid = 100; xid < 103; xid++) {
            // One region for each call, because the reply invalidates it.
            MemoryRegion region = raw.register(ByteBuffer.allocate(8192), AccessRight.REMOTE_WRITE);
            WriteChunk chunk = new WriteChunk(List.of(new RdmaSegment(region.stag(), 8192, region.taggedOffset())));
            ChunkLists lists = new ChunkLists(List.of(), List.of(chunk), Optional.empty());
            raw.send(message(
                    new RdmaMsg(xid, 32, lists), Rpc.call(xid, EchoProgram.NULL).xdr()));
        }
        responder.settle();
        assertThat(raw.received).hasSize(before + 3);
        write(raw, 103, 8192);
        responder.settle();
        assertThat(raw.received).as("the same of what it brings").hasSize(before + 4);
    }

    /**
     * A message that claims to be a reply but has chunks is dropped after parsing, and the memory reserved for its
     * answer is given back.
     */
    @Test
    void callsWithoutAnAnswer_many_giveTheMemoryOfTheirAnswersBack() throws Exception {
        start(ClientLimits.DEFAULT.withReplyBytes(64 << 10, 32 << 10));
        RawRequester raw = used(HOG);
        WriteChunk reply = new WriteChunk(List.of(new RdmaSegment(1, 8192, 0)));
        ChunkLists lists = new ChunkLists(List.of(), List.of(), Optional.of(reply));
        for (int xid = 100; xid < 120; xid++) {
            ByteBuffer noCall = ByteBuffer.allocate(40).putInt(xid).putInt(1).clear();
            raw.send(message(new RdmaMsg(xid, 32, lists), noCall));
            responder.settle();
        }
        assertThat(responder.count(Counter.CALLS_DROPPED)).isEqualTo(20);
        responder.assertStillServes(raw);
    }

    private static void write(RawRequester raw, int xid, int count) {
        MemoryRegion region = raw.register(ByteBuffer.allocate(count), AccessRight.REMOTE_READ);
        ReadSegment read = new ReadSegment(48, new RdmaSegment(region.stag(), count, region.taggedOffset()));
        raw.send(message(
                new RdmaMsg(xid, 32, new ChunkLists(List.of(read), List.of(), Optional.empty())),
                Rpc.call(xid, EchoProgram.WRITE, xid, count, 9).xdr()));
    }

    @Test
    void refusals_many_areCountedAndLoggedOnce() throws Exception {
        start(ClientLimits.DEFAULT.withConnections(1, 1));
        Logger logger = (Logger) LoggerFactory.getLogger(RpcRdmaAcceptor.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        try {
            used(HOG);
            for (int i = 0; i < 50; i++) {
                assertThat(responder.connectFrom(HOG).open()).isFalse();
            }
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }
        assertThat(responder.count(Counter.CONNECTIONS_REFUSED)).isEqualTo(50);
        assertThat(lines.list).hasSize(1);
    }
}
