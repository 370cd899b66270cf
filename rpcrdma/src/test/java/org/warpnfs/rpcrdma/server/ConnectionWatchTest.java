package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;

/** Requesters that owe something, and send a message now and then so that they seem to be alive. */
class ConnectionWatchTest {
    private static final PeerDeadlines DEADLINES = PeerDeadlines.DEFAULT;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

    private final SimulatedResponder responder = new SimulatedResponder(ResponderOptions.DEFAULT);

    @AfterEach
    void close() {
        responder.close();
    }

    /** Checks the deadlines, and runs all events, while nothing leaves the responder. */
    private void look(long nowNanos) {
        responder.service.endStalled(nowNanos);
        go();
    }

    private void go() {
        responder.simulation.runFor(SECOND / 1000);
        List<Runnable> now = List.copyOf(responder.operations);
        responder.operations.clear();
        now.forEach(Runnable::run);
        responder.simulation.runFor(SECOND / 1000);
    }

    /** Sends a message that is ignored. */
    private void sayNothing(RawRequester raw) {
        raw.send(RdmaErrorChunk.of(1, 1).encoded());
    }

    private RawRequester connect() throws Exception {
        RawRequester raw = responder.connect(0);
        responder.assertStillServes(raw);
        return raw;
    }

    private void callWithReadChunk(RawRequester raw, int xid, int count) {
        MemoryRegion region = raw.register(ByteBuffer.allocate(count), AccessRight.REMOTE_READ);
        ReadSegment read = new ReadSegment(48, new RdmaSegment(region.stag(), count, region.taggedOffset()));
        raw.send(message(
                new RdmaMsg(xid, 32, new ChunkLists(List.of(read), List.of(), Optional.empty())),
                Rpc.call(xid, EchoProgram.WRITE, 7, count, 9).xdr()));
    }

    @Test
    void readsUnanswered_messagesComeAllTheWhile_endsAtTheDeadline() throws Exception {
        RawRequester raw = connect();
        responder.simulation.stall(false, HOUR_NANOS);
        callWithReadChunk(raw, 2, 100_000);
        go();
        assertThat(responder.pool.lentBytes()).isPositive();
        long deadlineNanos = DEADLINES.stallLimit().toNanos() + 4 * SECOND;
        for (long now = 0; now < DEADLINES.stallLimit().toNanos(); now += 5 * SECOND) {
            sayNothing(raw);
            look(now);
            assertThat(responder.count(Counter.READS_OVERDUE)).isZero();
        }
        sayNothing(raw);
        look(deadlineNanos);
        assertThat(responder.count(Counter.READS_OVERDUE)).isEqualTo(1);
        responder.settle();
        assertThat(responder.pool.lentBytes()).as("the sink is back").isZero();
        assertThat(raw.open()).isFalse();
    }

    /**
     * With the parts of three connections, 100,000 bytes have 9 seconds at the least rate, and the grace. Alone they
     * have 3 seconds.
     */
    @Test
    void manyConnectionsOfAClient_oneLine_haveTheTimeOfTheirParts() throws Exception {
        List<RawRequester> raws = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            raws.add(connect());
        }
        RawRequester another = responder.connectFrom("192.0.2.1");
        responder.assertStillServes(another);
        raws.add(another);
        responder.simulation.stall(false, HOUR_NANOS);
        for (RawRequester raw : raws) {
            callWithReadChunk(raw, 2, 100_000);
        }
        go();
        look(0);
        look(SECOND);
        look(34 * SECOND);
        assertThat(responder.count(Counter.READS_OVERDUE)).as("who is alone").isEqualTo(1);
        look(39 * SECOND);
        assertThat(responder.count(Counter.READS_OVERDUE)).isEqualTo(1);
        look(40 * SECOND);
        assertThat(responder.count(Counter.READS_OVERDUE)).isEqualTo(4);
        responder.settle();
        assertThat(responder.pool.lentBytes()).isZero();
    }

    @Test
    void connectionEnds_itsPartOfTheLine_isForgotten() throws Exception {
        responder.simulation.stall(false, 0);
        for (long i = 1; i <= 3; i++) {
            RawRequester raw = connect();
            responder.simulation.stall(false, 40 * SECOND);
            callWithReadChunk(raw, 2, 100_000);
            go();
            look(i * 1000 * SECOND);
            look((i * 1000 + 34) * SECOND);
            assertThat(responder.count(Counter.READS_OVERDUE)).isEqualTo(i);
            responder.simulation.runFor(60 * SECOND);
            responder.settle();
        }
    }

    @Test
    void repliesNotTaken_messagesComeAllTheWhile_endsAtTheDeadline() throws Exception {
        RawRequester raw = connect();
        responder.simulation.stall(false, HOUR_NANOS);
        raw.send(inline(Rpc.call(2, EchoProgram.NULL)));
        go();
        assertThat(responder.count(Counter.REPLY_BYTES_HELD)).isPositive();
        for (long now = 0; now < DEADLINES.stallLimit().toNanos(); now += 5 * SECOND) {
            sayNothing(raw);
            look(now);
            assertThat(responder.count(Counter.REPLIES_NOT_TAKEN)).isZero();
        }
        sayNothing(raw);
        look(DEADLINES.stallLimit().toNanos() + SECOND);
        assertThat(responder.count(Counter.REPLIES_NOT_TAKEN)).isEqualTo(1);
        responder.settle();
        assertThat(responder.count(Counter.REPLY_BYTES_HELD)).isZero();
        assertThat(raw.open()).isFalse();
    }

    @Test
    void noMessage_everComes_endsAtTheDeadline() {
        responder.connect(0);
        long limitNanos = DEADLINES.firstMessage().toNanos();
        look(7);
        look(7 + limitNanos);
        assertThat(responder.count(Counter.FIRST_MESSAGES_MISSED)).isZero();
        look(8 + limitNanos);
        assertThat(responder.count(Counter.FIRST_MESSAGES_MISSED)).isEqualTo(1);
        responder.settle();
        assertThat(responder.service.drain(Duration.ZERO)).as("nothing is left").isTrue();
    }

    private static ConnectionRequest noting(ConnectionRequest request, List<QueuePairHandler> handlers) {
        return (ConnectionRequest) Proxy.newProxyInstance(
                ConnectionRequest.class.getClassLoader(),
                new Class<?>[] {ConnectionRequest.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("accept")) {
                        handlers.add((QueuePairHandler) arguments[1]);
                    }
                    return method.invoke(request, arguments);
                });
    }

    /**
     * The transport below ends idle connections to make room. A connection with a running call is not idle, however
     * long the call takes.
     */
    @Test
    void callRuns_transportAsks_connectionIsNotIdle() throws Exception {
        InetSocketAddress noted = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
        List<QueuePairHandler> handlers = new ArrayList<>();
        responder.simulation.listen(noted, request -> responder.service.connectionRequested(noting(request, handlers)));
        RawRequester raw = RawRequester.connect(responder.simulation.connector(), noted);
        responder.simulation.run();
        QueuePair any = (QueuePair) Proxy.newProxyInstance(
                QueuePair.class.getClassLoader(), new Class<?>[] {QueuePair.class}, (_, method, _) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
        responder.assertStillServes(raw);
        assertThat(handlers).singleElement().matches(connection -> connection.idle(any));
        raw.send(inline(Rpc.call(2, EchoProgram.PARK)));
        responder.settle();
        assertThat(handlers).singleElement().matches(connection -> !connection.idle(any));
        responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
        responder.settle();
        assertThat(handlers).singleElement().matches(connection -> connection.idle(any));
    }

    @Test
    void oneMessage_thenSilence_goesOn() throws Exception {
        RawRequester raw = connect();
        for (int i = 0; i < 100; i++) {
            look(i * 3600L * SECOND);
        }
        responder.assertStillServes(raw);
    }

    @Test
    void programIsSlow_requesterIsNotToBlame() throws Exception {
        RawRequester raw = connect();
        raw.send(inline(Rpc.call(2, EchoProgram.PARK)));
        responder.settle();
        for (int i = 0; i < 100; i++) {
            look(i * 3600L * SECOND);
        }
        responder.program.parked.removeFirst().reply(org.dcache.oncrpc4j.xdr.XdrVoid.XDR_VOID);
        responder.settle();
        assertThat(raw.received).hasSize(2);
    }

    @Test
    void draining_requesterTakesNothing_isNotWaitedFor() throws Exception {
        RawRequester raw = connect();
        responder.simulation.stall(false, HOUR_NANOS);
        raw.send(inline(Rpc.call(2, EchoProgram.NULL)));
        callWithReadChunk(raw, 3, 1000);
        go();
        look(0);
        assertThat(responder.service.drain(Duration.ZERO)).isFalse();
        look(SECOND);
        look(SECOND + DEADLINES.whileDraining().toNanos() + SECOND);
        assertThat(responder.count(Counter.CONNECTIONS_ABORTED)).isEqualTo(1);
        responder.simulation.runFor(10 * SECOND);
        assertThat(responder.service.drain(Duration.ZERO)).as("nothing is left").isTrue();
    }
}
