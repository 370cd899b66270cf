package org.warpnfs.rpcrdma.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.Failures.failure;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.sim.LinkFaults;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.RequestException.Failure;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawResponder;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.testkit.Seeds;

/** Calls that survive the end of their connections. */
class ReconnectingRequesterTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_049);
    private static final RetryPolicy POLICY = new RetryPolicy(4, Duration.ofMillis(100), Duration.ofMillis(300), 100);

    private static ReconnectingRequester over(Simulation simulation, RetryPolicy policy) {
        return new ReconnectingRequester(
                () -> RpcRdmaRequester.connect(
                        simulation.connector(), SERVER, RequesterOptions.DEFAULT, BackwardCalls.NONE),
                policy,
                simulation::schedule);
    }

    @Test
    void connectionReset_inMidCall_isSentAgainWithTheSameXidAndData() {
        Simulation simulation = new Simulation(1);
        RawResponder responder = new RawResponder();
        simulation.listen(SERVER, responder);
        Requester requester = over(simulation, POLICY);
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.write(7, new byte[] {1, 2, 3}), ChunkOffer.NONE);
        simulation.run();
        responder.abort();
        simulation.run();
        assertThat(responder.connections).isEqualTo(2);
        assertThat(responder.received).hasSize(2);
        assertThat(responder.received.get(1)).isEqualTo(responder.received.get(0));
        responder.send(RawResponder.success(7, 3));
        simulation.run();
        assertThat(Rpc.success(7, reply.join().message()).hasRemaining()).isFalse();
    }

    @Test
    void nobodyListens_called_failsAfterItsAttempts() {
        Simulation simulation = new Simulation(1);
        Requester requester = over(simulation, POLICY);
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        simulation.run();
        assertThat(failure(reply)).isEqualTo(Failure.DISCONNECTED);
        assertThat(Duration.ofNanos(simulation.nowNanos()).toMillis())
                .as("three pauses, each twice the one before, up to the longest")
                .isEqualTo(100 + 200 + 300);
        RawResponder responder = new RawResponder();
        simulation.listen(SERVER, responder);
        var _ = requester.call(Rpc.call(2, EchoProgram.NULL), ChunkOffer.NONE);
        simulation.run();
        assertThat(responder.received).as("a later call tries anew").hasSize(1);
    }

    @Test
    void responder_thatEndsEveryConnection_isNotTriedForEver() {
        Simulation simulation = new Simulation(1);
        int[] connections = new int[1];
        RawResponder responder = new RawResponder();
        simulation.listen(SERVER, request -> {
            connections[0]++;
            responder.connectionRequested(request);
            simulation.schedule(1000, responder::abort);
        });
        Requester requester = over(simulation, POLICY);
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        simulation.run();
        assertThat(failure(reply)).isEqualTo(Failure.DISCONNECTED);
        assertThat(connections[0]).isEqualTo(4);
    }

    @Test
    void serverComesBack_whileCallsWait_answersThem() {
        Simulation simulation = new Simulation(1);
        Requester requester = over(simulation, POLICY);
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        RawResponder responder = new RawResponder();
        simulation.schedule(Duration.ofMillis(150).toNanos(), () -> simulation.listen(SERVER, responder));
        simulation.run();
        responder.send(RawResponder.success(1, 1));
        simulation.run();
        assertThat(reply).isCompletedWithValueMatching(r -> r.written().isEmpty());
    }

    @Test
    void deadline_passesWhileNothingIsConnected_endsTheCall() {
        Simulation simulation = new Simulation(1);
        ReconnectingRequester requester = over(simulation, POLICY);
        List<Failure> heard = new ArrayList<>();
        requester.call(Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE, 50, new ReplyHandler() {
            @Override
            public void replied(XdrStream message, List<ByteBuffer> written) {
                throw new AssertionError();
            }

            @Override
            public void failed(RequestException why) {
                heard.add(why.failure());
            }
        });
        requester.endOverdue(51);
        assertThat(heard).containsExactly(Failure.TIMED_OUT);
        simulation.run();
        assertThat(heard).hasSize(1);
    }

    @Test
    void tooManyCalls_wait_isRefused() {
        Simulation simulation = new Simulation(1);
        Requester requester = over(simulation, new RetryPolicy(2, Duration.ZERO, Duration.ZERO, 3));
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        for (int xid = 0; xid < 4; xid++) {
            replies.add(requester.call(Rpc.call(xid, EchoProgram.NULL), ChunkOffer.NONE));
        }
        assertThat(failure(replies.get(3))).isEqualTo(Failure.REFUSED);
        simulation.run();
        assertThat(replies).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void closed_whileCallsWait_endsThemAndTakesNoMore() {
        Simulation simulation = new Simulation(1);
        RawResponder responder = new RawResponder();
        simulation.listen(SERVER, responder);
        Requester requester = over(simulation, POLICY);
        CompletableFuture<RequesterReply> sent = requester.call(Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        simulation.run();
        CompletableFuture<RequesterReply> waiting = requester.call(Rpc.call(2, EchoProgram.NULL), ChunkOffer.NONE);
        requester.close();
        simulation.run();
        assertThat(failure(sent)).isEqualTo(Failure.DISCONNECTED);
        assertThat(failure(waiting)).isEqualTo(Failure.DISCONNECTED);
        assertThat(failure(requester.call(Rpc.call(3, EchoProgram.NULL), ChunkOffer.NONE)))
                .isEqualTo(Failure.REFUSED);
        assertThat(responder.connections).isEqualTo(1);
    }

    @Test
    void connectionEndsWhileIdle_nextCall_connectsAgain() {
        Simulation simulation = new Simulation(1);
        RawResponder responder = new RawResponder();
        simulation.listen(SERVER, responder);
        Requester requester = over(simulation, RetryPolicy.NONE);
        var _ = requester.call(Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        simulation.run();
        responder.send(RawResponder.success(1, 1));
        simulation.run();
        responder.abort();
        simulation.run();
        CompletableFuture<RequesterReply> second = requester.call(Rpc.call(2, EchoProgram.NULL), ChunkOffer.NONE);
        simulation.run();
        responder.send(RawResponder.success(2, 1));
        simulation.run();
        assertThat(second).isCompleted();
    }

    @Test
    void linksThatReset_manyCalls_areAllAnsweredRightly() {
        Seeds.each(25, ReconnectingRequesterTest::callOverBreakingLinks);
    }

    private static void callOverBreakingLinks(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Simulation simulation = new Simulation(
                seed, QueuePairConfig.defaults(), LinkFaults.cuts().withResets(0.0005));
        PayloadPool pool = new PayloadPool(64 << 20, 1 << 20);
        Queue<Runnable> operations = new ArrayDeque<>();
        RpcRdmaService service = RpcRdmaService.unwatched(
                Map.of(EchoProgram.PROGRAM, new EchoProgram(pool)),
                operations::add,
                pool,
                ResponderOptions.DEFAULT,
                transport -> {});
        Listener listener = simulation.listen(SERVER, service);
        Requester requester = over(simulation, new RetryPolicy(1000, Duration.ofMillis(1), Duration.ofMillis(1), 1000));
        PayloadPool sources = new PayloadPool(16 << 20, 1 << 20);
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        for (int xid = 0; xid < 40; xid++) {
            replies.add(randomCall(requester, sources, random, xid));
            settle(simulation, operations, random, random.nextInt(200));
        }
        settle(simulation, operations, random, Integer.MAX_VALUE);
        assertThat(replies).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(sources.lentBytes()).isZero();
        listener.close();
        service.close();
        requester.close();
        settle(simulation, operations, random, Integer.MAX_VALUE);
        assertThat(simulation.internalErrors()).isEmpty();
        assertThat(pool.lentBytes()).isZero();
    }

    private static CompletableFuture<RequesterReply> randomCall(
            Requester requester, PayloadPool sources, SplittableRandom random, int xid) {
        int count = random.nextInt(1 << random.nextInt(1, 17));
        if (random.nextBoolean()) {
            byte[] data = EchoProgram.pattern(count, xid);
            Payload payload = sources.tryAcquire(count);
            payload.buffer().put(0, data);
            RpcMessage template = Rpc.write(xid, data);
            RpcMessage call = new RpcMessage(
                    template.xdr(),
                    List.of(new RpcMessage.Item(template.items().getFirst().offsetBytes(), payload)));
            return requester.call(call, ChunkOffer.NONE).thenApply(reply -> {
                ByteBuffer results = Rpc.success(xid, reply.message());
                assertThat(new int[] {results.getInt(), results.getInt(), results.getInt()})
                        .containsExactly(7, count, EchoProgram.checksum(ByteBuffer.wrap(data)));
                return reply;
            });
        }
        return requester
                .call(Rpc.call(xid, EchoProgram.READ, count), ChunkOffer.write(ByteBuffer.allocate(count + 4)))
                .thenApply(reply -> {
                    assertThat(reply.written().getFirst()).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(count, 0)));
                    return reply;
                });
    }

    /** Runs network and operations in an order that the seed determines. */
    private static void settle(
            Simulation simulation, Queue<Runnable> operations, SplittableRandom random, int maxSteps) {
        boolean more = true;
        for (int step = 0; step < maxSteps && (more || !operations.isEmpty()); step++) {
            if (!operations.isEmpty() && random.nextInt(8) == 0) {
                operations.remove().run();
            }
            more = simulation.step();
            if (!more && !operations.isEmpty()) {
                operations.remove().run();
                more = true;
            }
        }
    }
}
