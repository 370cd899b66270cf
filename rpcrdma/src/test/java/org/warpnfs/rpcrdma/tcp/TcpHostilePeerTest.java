package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.oncrpc.OncRpcDispatcher;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** Each limit at it and above it: one peer does its worst, and an honest one beside it is served. */
@Timeout(120)
class TcpHostilePeerTest {
    private static final int HOSTILE = 2;
    private static final int HONEST = 3;
    private static final int MIB = 1 << 20;

    private final PayloadPool pool = new PayloadPool(256 << 20, MIB);
    private final EchoProgram program = new EchoProgram(pool);
    private final OperationThreads threads = new OperationThreads(2);
    private final Deque<TcpPeer> peers = new ArrayDeque<>();
    private TcpRpcService service;

    private void start(TcpOptions.Builder options) throws IOException {
        service = TcpRpcService.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.of(EchoProgram.PROGRAM, program),
                threads,
                options.eventLoopThreads(1).build(),
                transport -> {});
    }

    private TcpPeer peer(int host) throws IOException {
        TcpPeer peer = new TcpPeer(host, service.localAddress());
        peers.add(peer);
        return peer;
    }

    @AfterEach
    void everythingIsBack() throws Exception {
        for (TcpPeer peer : peers) {
            peer.close();
        }
        service.close();
        synchronized (program) {
            program.parked.forEach(call -> call.reply(XdrVoid.XDR_VOID));
        }
        threads.drain(Duration.ofSeconds(10));
        assertThat(pool.lentBytes()).isZero();
        for (Counter counter : Counter.values()) {
            if (counter.kind() == Counter.Kind.LEVEL) {
                assertThat(count(counter)).as("%s", counter).isZero();
            }
        }
        assertThat(count(Counter.DEFECTS)).isZero();
    }

    private long count(Counter counter) {
        return service.statistics().get(counter);
    }

    /** Waits for what must come; the test's own time limit is the end of it. */
    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private void answerParked() {
        synchronized (program) {
            program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
        }
    }

    // Memory for records

    /** What a call's record took is there again when the call is done with it, not when the peer has taken the reply. */
    @Test
    void repliesNeverTaken_recordMemory_isBackAllTheSame() throws Exception {
        start(TcpOptions.builder().maxUnsentBytes(64 * MIB, 64 * MIB));
        TcpPeer hostile = peer(HOSTILE);
        for (int xid = 0; xid < 32; xid++) {
            hostile.send(Rpc.call(xid, EchoProgram.READ, MIB));
        }
        await(() -> count(Counter.REPLIES_SENT) == 32);
        await(() -> count(Counter.RECORD_MEMORY_BYTES) == 0);
        assertThat(count(Counter.UNSENT_BYTES)).isGreaterThan(16 * MIB);
    }

    @Test
    void partialRecords_holdTheirShare_honestRecordComesThrough() throws Exception {
        start(TcpOptions.builder().maxRecordMemoryBytes(8 * MIB, 8 * MIB));
        for (int i = 0; i < 16; i++) {
            peer(HOSTILE).beginRecord(MIB, 34 << 10);
        }
        await(() -> count(Counter.MEMORY_WAITS) == 12);
        assertThat(count(Counter.RECORD_MEMORY_BYTES)).as("half of all").isEqualTo(4 * MIB);
        TcpPeer honest = peer(HONEST);
        for (int xid = 0; xid < 20; xid++) {
            byte[] data = EchoProgram.pattern(MIB, xid);
            honest.send(Rpc.write(xid, data));
            Rpc.success(xid, honest.receive());
        }
        assertThat(count(Counter.RECORD_MEMORY_BYTES)).isEqualTo(4 * MIB);
    }

    @Test
    void partialRecordsWaitForMemory_holderEnds_nextIsRead() throws Exception {
        start(TcpOptions.builder().maxRecordMemoryBytes(2 * MIB, 2 * MIB));
        TcpPeer holder = peer(HOSTILE);
        holder.beginRecord(MIB, 100);
        await(() -> count(Counter.RECORD_MEMORY_BYTES) == MIB);
        TcpPeer next = peer(HOSTILE);
        byte[] data = EchoProgram.pattern(MIB - 100, 1);
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                next.send(Rpc.write(7, data));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        await(() -> count(Counter.MEMORY_WAITS) == 1);
        holder.close();
        Rpc.success(7, next.receive());
        sender.join();
    }

    /** Memory is one budget; what stands in its way must be seen by the one that waits, even if it ends without a call. */
    @Test
    void connectionAtItsRecordLimit_callEnds_nextRecordIsRead() throws Exception {
        start(TcpOptions.builder().maxRecordMemoryBytes(64 * MIB, 100));
        TcpPeer peer = peer(HONEST);
        for (int xid = 0; xid < 5; xid++) {
            peer.send(Rpc.call(xid, EchoProgram.PARK));
        }
        for (int answered = 0; answered < 5; answered++) {
            await(() -> program.parkedCount() > 0);
            assertThat(count(Counter.RECORD_MEMORY_BYTES)).isLessThanOrEqualTo(100);
            assertThat(program.parkedCount()).isLessThanOrEqualTo(2);
            answerParked();
            peer.receive();
        }
    }

    @Test
    void recordTooSlow_leastRate_connectionIsClosedAndHonestGoesOn() throws Exception {
        start(TcpOptions.builder().leastRate(64 << 10, Duration.ofMillis(1500)));
        TcpPeer hostile = peer(HOSTILE);
        hostile.beginRecord(MIB, 34 << 10);
        TcpPeer honest = peer(HONEST);
        for (int xid = 0; count(Counter.RECORDS_TOO_SLOW) == 0; xid++) {
            honest.ping(xid);
            try {
                hostile.sendBytes(ByteBuffer.allocate(1));
            } catch (IOException e) {
                break;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        hostile.awaitClosed();
        await(() -> count(Counter.RECORD_MEMORY_BYTES) == 0);
        honest.ping(-1);
        assertThat(count(Counter.RECORDS_TOO_SLOW)).isEqualTo(1);
    }

    // Replies

    @Test
    void repliesTakenTooSlowly_leastRate_connectionIsClosedAndTheirMemoryIsBack() throws Exception {
        start(TcpOptions.builder().leastRate(64 << 10, Duration.ofMillis(1500)));
        TcpPeer hostile = peer(HOSTILE);
        for (int xid = 0; xid < 16; xid++) {
            hostile.send(Rpc.call(xid, EchoProgram.READ, MIB));
        }
        TcpPeer honest = peer(HONEST);
        await(() -> pool.lentBytes() > 0);
        for (int xid = 0; count(Counter.REPLIES_TOO_SLOW) == 0; xid++) {
            honest.ping(xid);
            TimeUnit.MILLISECONDS.sleep(20);
        }
        await(() -> pool.lentBytes() == 0);
        honest.ping(-1);
        assertThat(count(Counter.CONNECTIONS_OPEN)).isEqualTo(1);
    }

    @Test
    void repliesNotTaken_connectionMark_startsNoMoreCalls() throws Exception {
        start(TcpOptions.builder().maxCalls(2, 64).maxUnsentBytes(8 * MIB, 64 * MIB));
        TcpPeer hostile = peer(HOSTILE);
        sendAside(hostile, 64);
        await(() -> count(Counter.UNSENT_WAITS) > 0 || count(Counter.CALLS_RUNNING) == 0);
        TcpPeer honest = peer(HONEST);
        for (int xid = 0; xid < 50; xid++) {
            honest.ping(xid);
        }
        assertThat(count(Counter.UNSENT_BYTES)).isLessThan(8 * MIB + 3L * MIB);
        takeReplies(hostile, 64);
    }

    @Test
    void repliesNotTaken_clientMark_stopsAllItsConnectionsAndNoOther() throws Exception {
        start(TcpOptions.builder().maxCalls(4, 256).maxUnsentBytes(64 * MIB, 6 * MIB));
        TcpPeer[] hostile = new TcpPeer[8];
        for (int i = 0; i < hostile.length; i++) {
            hostile[i] = peer(HOSTILE);
            hostile[i].ping(0);
        }
        for (int i = 0; i < hostile.length; i++) {
            for (int xid = 0; xid < 8; xid++) {
                hostile[i].send(Rpc.call(xid, EchoProgram.READ, MIB));
            }
            int now = i;
            // One after the other: calls that have been started are not taken back.
            await(() -> count(Counter.CALLS_RUNNING) == 0
                    && (count(Counter.REPLIES_SENT) >= 8 + 4 * (now + 1) || count(Counter.CLIENT_WAITS) > 0));
        }
        await(() -> count(Counter.CLIENT_WAITS) > 0 && count(Counter.CALLS_RUNNING) == 0);
        assertThat(count(Counter.UNSENT_BYTES))
                .as("the mark, what had been started below it, and one call for each connection")
                .isLessThan((6 + 4 + 8) * (long) MIB);
        TcpPeer honest = peer(HONEST);
        honest.send(Rpc.call(1, EchoProgram.READ, MIB));
        Rpc.success(1, honest.receive());
        for (TcpPeer peer : hostile) {
            takeReplies(peer, 8);
        }
    }

    private static void sendAside(TcpPeer peer, int calls) {
        Thread.ofVirtual().start(() -> {
            try {
                for (int xid = 0; xid < calls; xid++) {
                    peer.send(Rpc.call(xid, EchoProgram.READ, MIB));
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    private static void takeReplies(TcpPeer peer, int calls) throws IOException {
        for (int i = 0; i < calls; i++) {
            assertThat(peer.receive().remaining()).isGreaterThan(MIB);
        }
    }

    // Calls

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

    /** What makes no sense is no call, and takes no call's place. */
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

    /** A connection that ends while it waits for its client's calls leaves the line. */
    @Test
    void connectionsThatWaitForRoom_end_nothingIsLeftOfThem() throws Exception {
        ClientAccount account = new ClientAccount(
                org.warpnfs.limits.ClientAddress.NONE,
                TcpOptions.builder().maxCalls(64, 1).build());
        assertThat(account.tryStart(true)).isTrue();
        List<String> told = new java.util.ArrayList<>();
        Runnable first = () -> told.add("first");
        account.awaitRoom(first);
        account.awaitRoom(() -> told.add("second"));
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

    /** Ending the connection and coming back does not start the count of what runs anew. */
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

    // Records that are no calls

    @Test
    void repliesToNothing_flood_endsTheConnectionAndCopiesNothing() throws Exception {
        start(TcpOptions.builder().backwardReplies(4096, 8));
        TcpPeer hostile = peer(HOSTILE);
        hostile.ping(0);
        for (int i = 0; i < 8; i++) {
            hostile.send(TcpPeer.replyTo(i, 4096));
        }
        hostile.ping(1);
        assertThat(count(Counter.BACKWARD_REPLIES_UNEXPECTED)).isEqualTo(8);
        hostile.send(TcpPeer.replyTo(8, 4096));
        hostile.awaitClosed();
        peer(HONEST).ping(1);
        assertThat(count(Counter.BACKWARD_REPLIES_RECEIVED)).isZero();
        assertThat(count(Counter.RECORDS_REFUSED)).isEqualTo(1);
    }

    @Test
    void replyAboveTheLimit_one_endsTheConnection() throws Exception {
        start(TcpOptions.builder().backwardReplies(4096, 8));
        TcpPeer hostile = peer(HOSTILE);
        hostile.send(TcpPeer.replyTo(1, 4097));
        hostile.awaitClosed();
        assertThat(count(Counter.RECORDS_REFUSED)).isEqualTo(1);
        assertThat(count(Counter.BACKWARD_REPLIES_UNEXPECTED)).isZero();
    }

    @Test
    void directionNeitherCallNorReply_record_endsTheConnection() throws Exception {
        start(TcpOptions.builder());
        TcpPeer hostile = peer(HOSTILE);
        hostile.sendBytes(ByteBuffer.allocate(12)
                .putInt(TcpPeer.LAST_FRAGMENT | 8)
                .putInt(1)
                .putInt(2)
                .flip());
        hostile.awaitClosed();
        assertThat(count(Counter.RECORDS_REFUSED)).isEqualTo(1);
        assertThat(count(Counter.CALLS_RECEIVED)).isZero();
    }

    @Test
    void badRecords_ofOneClient_areAllCountedAndLoggedOnce() throws Exception {
        start(TcpOptions.builder());
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(TcpConnection.class);
        Level before = log.getLevel();
        log.setLevel(Level.INFO);
        log.addAppender(lines);
        try {
            for (int i = 0; i < 20; i++) {
                TcpPeer hostile = peer(HOSTILE);
                hostile.beginRecord(Integer.MAX_VALUE, 0);
                hostile.awaitClosed();
            }
        } finally {
            log.detachAppender(lines);
            log.setLevel(before);
        }
        assertThat(count(Counter.RECORDS_REFUSED)).isEqualTo(20);
        assertThat(lines.list.stream().filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO)))
                .hasSize(1);
    }

    /** What we send a peer that reads nothing is bounded too, though it is we who send it. */
    @Test
    void backwardCalls_peerTakesNothing_areRefusedAboveTheMark() throws Exception {
        start(TcpOptions.builder().maxUnsentBytes(MIB, 64 * MIB));
        TcpPeer hostile = peer(HOSTILE);
        hostile.ping(0);
        RpcTransport transport;
        synchronized (program) {
            transport = program.transports.getFirst();
        }
        for (int xid = 0; count(Counter.BACKWARD_CALLS_REFUSED) == 0; xid++) {
            Xdr call = new Xdr(64 << 10);
            call.beginEncoding();
            call.xdrEncodeInt(xid);
            call.xdrEncodeOpaque(new byte[60 << 10], 60 << 10);
            call.endEncoding();
            transport.send(call, xid, new CompletionHandler<Integer, Integer>() {
                @Override
                public void completed(Integer lengthBytes, Integer sent) {
                    // It is on its way.
                }

                @Override
                public void failed(Throwable why, Integer sent) {
                    // It was refused, which is counted.
                }
            });
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThat(count(Counter.UNSENT_BYTES)).isLessThanOrEqualTo(MIB);
        peer(HONEST).ping(1);
    }

    // Connections

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

    /** Whoever has many connections does not drive out the one that another has, though that is idle. */
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
                // It was refused, or its place was needed.
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

    /** Descriptors have run out, says the socket; here it is told so. */
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

    // The end

    @Test
    void repliesNotTaken_drain_doesNotWaitForThem() throws Exception {
        start(TcpOptions.builder().drainGrace(Duration.ofMillis(500)));
        TcpPeer hostile = peer(HOSTILE);
        for (int xid = 0; xid < 16; xid++) {
            hostile.send(Rpc.call(xid, EchoProgram.READ, MIB));
        }
        await(() -> count(Counter.REPLIES_SENT) > 4 && count(Counter.CALLS_RUNNING) == 0);
        assertThat(service.drain(Duration.ofSeconds(60))).isTrue();
        assertThat(count(Counter.REPLIES_TOO_SLOW)).isEqualTo(1);
    }

    @Test
    void partialRecord_drain_doesNotWaitForIt() throws Exception {
        start(TcpOptions.builder());
        TcpPeer hostile = peer(HOSTILE);
        hostile.beginRecord(MIB, 100);
        await(() -> count(Counter.RECORD_MEMORY_BYTES) == MIB);
        assertThat(service.drain(Duration.ofSeconds(60))).isTrue();
    }
}
