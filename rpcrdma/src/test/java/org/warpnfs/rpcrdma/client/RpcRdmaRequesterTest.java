package org.warpnfs.rpcrdma.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.Failures.failure;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.RequestException.Failure;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawResponder;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.testkit.Seeds;

/** The requester against a responder that breaks the rules. */
class RpcRdmaRequesterTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_049);

    private final Simulation simulation = new Simulation(3);
    private final RawResponder responder = new RawResponder();
    private RpcRdmaRequester requester;

    private void connect(RequesterOptions options, BackwardCalls backwardCalls) {
        simulation.listen(SERVER, responder);
        CompletableFuture<RpcRdmaRequester> connecting =
                RpcRdmaRequester.connect(simulation.connector(), SERVER, options, backwardCalls);
        simulation.run();
        requester = connecting.join();
    }

    private void connect() {
        connect(RequesterOptions.DEFAULT, BackwardCalls.NONE);
    }

    private List<CompletableFuture<RequesterReply>> nullCalls(int first, int count) {
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        for (int xid = first; xid < first + count; xid++) {
            replies.add(requester.call(Rpc.call(xid, EchoProgram.NULL), ChunkOffer.NONE));
        }
        simulation.run();
        return replies;
    }

    private void reply(ByteBuffer message) {
        responder.send(message);
        simulation.run();
    }

    @AfterEach
    void nothingBroke() {
        assertThat(simulation.internalErrors()).isEmpty();
    }

    @Test
    void grants_rise_neverMoreCallsOutstandingThanGranted() {
        connect();
        List<CompletableFuture<RequesterReply>> replies = nullCalls(1, 40);
        assertThat(responder.received).as("before the first grant").hasSize(1);
        reply(RawResponder.success(responder.xid(0), 5));
        assertThat(responder.received).hasSize(6);
        reply(RawResponder.success(responder.xid(1), 3));
        assertThat(responder.received).as("four are outstanding already").hasSize(6);
        reply(RawResponder.success(responder.xid(2), 0));
        assertThat(responder.received).as("a grant of 0 counts as 1").hasSize(6);
        for (int answered = 3; answered < 40; answered++) {
            reply(RawResponder.success(responder.xid(answered), 1000));
        }
        assertThat(replies).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void unknownAndDuplicateReplies_arrive_changeNothing() {
        connect();
        List<CompletableFuture<RequesterReply>> replies = nullCalls(1, 3);
        reply(RawResponder.success(77, 100));
        assertThat(responder.received).hasSize(1);
        reply(RawResponder.success(1, 1));
        reply(RawResponder.success(1, 100));
        assertThat(responder.received).hasSize(2);
        assertThat(replies.get(0)).isCompleted();
        assertThat(replies.get(1)).isNotDone();
        reply(RawResponder.success(2, 1));
        reply(RawResponder.success(3, 1));
        assertThat(replies).allMatch(CompletableFuture::isDone);
        assertThat(requester.open()).isTrue();
    }

    @Test
    void errors_arrive_failTheirCallAlone() {
        connect();
        nullCalls(1, 1);
        reply(RawResponder.success(1, 10));
        List<CompletableFuture<RequesterReply>> replies = nullCalls(2, 3);
        reply(RawResponder.words(3, 1, 10, 4, 2));
        reply(RawResponder.words(4, 1, 10, 4, 1, 1, 1));
        reply(RawResponder.success(2, 10));
        assertThat(failure(replies.get(1))).isEqualTo(Failure.ERR_CHUNK);
        assertThat(failure(replies.get(2))).isEqualTo(Failure.ERR_VERS);
        assertThat(replies.get(0)).isCompleted();
        assertThat(requester.open()).isTrue();
    }

    static List<ByteBuffer> nonsense() {
        return List.of(
                ByteBuffer.allocate(0),
                ByteBuffer.allocate(3),
                RawResponder.words(1, 1, 1),
                RawResponder.words(1, 2, 1, 0, 0, 0, 0),
                RawResponder.words(1, 1, 1, 0, 0, 0),
                RawResponder.words(1, 1, 1, 0, 7, 0, 0),
                RawResponder.words(1, 1, 1, 0, 0, 1, -1),
                RawResponder.words(1, 1, 1, 2, 0, 0, 0, 0, 0),
                RawResponder.words(1, 1, 1, 9, 0, 0, 0),
                RawResponder.words(1, 1, 1, 4, 9),
                // A Read list in a reply.
                RawResponder.words(1, 1, 1, 0, 1, 4, 1, 1, 0, 0, 0, 0, 0),
                // A Write chunk and a Reply chunk that were not offered, and a long reply without a chunk.
                RawResponder.words(1, 1, 1, 0, 0, 1, 1, 1, 4, 0, 0, 0, 0),
                RawResponder.words(1, 1, 1, 0, 0, 0, 1, 1, 1, 4, 0, 0),
                RawResponder.words(1, 1, 1, 1, 0, 0, 0));
    }

    @ParameterizedTest
    @MethodSource("nonsense")
    void malformedReply_arrives_endsCallAndConnection(ByteBuffer message) {
        connect();
        List<CompletableFuture<RequesterReply>> replies = nullCalls(1, 2);
        reply(message);
        assertThat(replies).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(requester.open()).isFalse();
        assertThat(responder.ended).isNotNull();
        assertThat(failure(nullCalls(5, 1).getFirst())).isEqualTo(Failure.DISCONNECTED);
    }

    @Test
    void randomBytes_arrive_everyCallEnds() {
        Seeds.each(200, seed -> {
            RpcRdmaRequesterTest test = new RpcRdmaRequesterTest();
            test.connect();
            List<CompletableFuture<RequesterReply>> replies = test.nullCalls(1, 3);
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = RawResponder.success(1, 2).array().clone();
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            test.reply(ByteBuffer.wrap(bytes, 0, random.nextInt(bytes.length + 1)));
            test.requester.close();
            test.simulation.run();
            assertThat(replies).allMatch(CompletableFuture::isDone);
            test.nothingBroke();
        });
    }

    @Test
    void writeChunk_overstated_failsTheCallAndEndsTheConnection() {
        connect();
        CompletableFuture<RequesterReply> read =
                requester.call(Rpc.call(1, EchoProgram.READ, 10), ChunkOffer.write(ByteBuffer.allocate(16)));
        simulation.run();
        int stag = responder.received.getFirst().getInt(28);
        reply(RawResponder.words(1, 1, 1, 0, 0, 1, 1, stag, 17, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0));
        assertThat(failure(read)).isEqualTo(Failure.BAD_REPLY);
        assertThat(requester.open()).isFalse();
    }

    @Test
    void invalidation_ofTheCallsOwnTag_isWelcome() {
        connect();
        CompletableFuture<RequesterReply> read =
                requester.call(Rpc.call(1, EchoProgram.READ, 10), ChunkOffer.write(ByteBuffer.allocate(16)));
        simulation.run();
        ByteBuffer call = responder.received.getFirst();
        int stag = call.getInt(28);
        responder.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), Integer.toUnsignedLong(stag), call.getLong(36));
        responder.send(
                RawResponder.words(1, 1, 1, 0, 0, 1, 1, stag, 3, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0),
                OptionalLong.of(Integer.toUnsignedLong(stag)));
        simulation.run();
        assertThat(read.join().written()).containsExactly(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(requester.open()).isTrue();
    }

    @Test
    void invalidation_ofAnotherCallsTag_endsTheConnection() {
        connect();
        nullCalls(1, 1);
        reply(RawResponder.success(1, 10));
        CompletableFuture<RequesterReply> read =
                requester.call(Rpc.call(2, EchoProgram.READ, 10), ChunkOffer.write(ByteBuffer.allocate(16)));
        List<CompletableFuture<RequesterReply>> other = nullCalls(3, 1);
        int stag = responder.received.get(1).getInt(28);
        responder.send(RawResponder.success(3, 10), OptionalLong.of(Integer.toUnsignedLong(stag)));
        simulation.run();
        assertThat(failure(other.getFirst())).isEqualTo(Failure.BAD_REPLY);
        assertThat(failure(read)).isEqualTo(Failure.DISCONNECTED);
        assertThat(requester.open()).isFalse();
    }

    @Test
    void responderSilent_deadlinePasses_endsCallAndConnection() {
        connect();
        Outcome outcome = new Outcome();
        requester.call(Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE, 1000, outcome);
        simulation.run();
        requester.endOverdue(1000);
        simulation.run();
        assertThat(outcome.failure).isNull();
        requester.endOverdue(1001);
        simulation.run();
        assertThat(outcome.failure).isEqualTo(Failure.TIMED_OUT);
        assertThat(requester.open()).isFalse();
    }

    @Test
    void oneCallSlow_deadlinePasses_losesItsMemoryAndKeepsItsCredit() {
        connect();
        nullCalls(1, 1);
        reply(RawResponder.success(1, 2));
        Outcome outcome = new Outcome();
        ByteBuffer sink = ByteBuffer.allocate(16);
        requester.call(Rpc.call(2, EchoProgram.READ, 10), ChunkOffer.write(sink), 1000, outcome);
        nullCalls(3, 1);
        reply(RawResponder.success(3, 2));
        requester.endOverdue(1001);
        simulation.run();
        assertThat(outcome.failure).isEqualTo(Failure.TIMED_OUT);
        assertThat(requester.open()).isTrue();
        nullCalls(4, 2);
        assertThat(responder.received)
                .as("one credit is still held by the slow call")
                .hasSize(4);
        ByteBuffer call = responder.received.get(1);
        responder.write(ByteBuffer.wrap(new byte[] {9}), Integer.toUnsignedLong(call.getInt(28)), call.getLong(36));
        simulation.run();
        assertThat(sink.get(0)).isZero();
        assertThat(requester.open())
                .as("a Write to memory that was taken back ends the stream")
                .isFalse();
    }

    @Test
    void slowCall_repliedAfterItsDeadline_givesItsCreditBack() {
        connect();
        nullCalls(1, 1);
        reply(RawResponder.success(1, 2));
        Outcome outcome = new Outcome();
        requester.call(Rpc.call(2, EchoProgram.NULL), ChunkOffer.NONE, 1000, outcome);
        nullCalls(3, 1);
        reply(RawResponder.success(3, 2));
        requester.endOverdue(1001);
        simulation.run();
        nullCalls(4, 2);
        assertThat(responder.received).hasSize(4);
        reply(RawResponder.success(2, 2));
        assertThat(responder.received).hasSize(5);
        assertThat(outcome.calls).isEqualTo(1);
    }

    @Test
    void xidOutstanding_usedAgain_isRefused() {
        connect();
        nullCalls(1, 1);
        reply(RawResponder.success(1, 10));
        List<CompletableFuture<RequesterReply>> first = nullCalls(2, 1);
        List<CompletableFuture<RequesterReply>> second = nullCalls(2, 1);
        assertThat(failure(second.getFirst())).isEqualTo(Failure.REFUSED);
        assertThat(first.getFirst()).isNotDone();
    }

    @Test
    void backwardCall_arrives_isAnsweredWithItsXidAndAGrant() {
        connect(RequesterOptions.DEFAULT, BackwardCalls.answeredBy(call -> {
            assertThat(call.remaining()).isEqualTo(12);
            return RawResponder.words(call.getInt(0), 1, 0, 42);
        }));
        nullCalls(1, 1);
        reply(RawResponder.words(55, 1, 3, 0, 0, 0, 0, 55, 0, 2));
        assertThat(responder.received.getLast()).isEqualTo(RawResponder.words(55, 1, 16, 0, 0, 0, 0, 55, 1, 0, 42));
        assertThat(requester.open()).isTrue();
    }

    @Test
    void backwardCalls_moreThanGranted_endTheConnection() {
        connect(new RequesterOptions(4096, 4096, 8, 2, 8, true, 0), BackwardCalls.NONE);
        nullCalls(1, 1);
        for (int xid = 50; xid < 52; xid++) {
            reply(RawResponder.words(xid, 1, 3, 0, 0, 0, 0, xid, 0, 2));
        }
        assertThat(requester.open()).isTrue();
        reply(RawResponder.words(60, 1, 3, 0, 0, 0, 0, 60, 0, 2));
        assertThat(requester.open()).isFalse();
    }

    @Test
    void payload_offeredInAReadChunk_comesBackWhenTheConnectionEnds() {
        connect();
        int[] released = new int[1];
        ByteBuffer data = ByteBuffer.allocateDirect(100_000);
        Payload payload = new Payload() {
            @Override
            public ByteBuffer buffer() {
                return data;
            }

            @Override
            public void release() {
                released[0]++;
            }
        };
        RpcMessage write = Rpc.write(1, new byte[0]);
        RpcMessage message = new RpcMessage(
                write.xdr(),
                List.of(new RpcMessage.Item(write.items().getFirst().offsetBytes(), payload)));
        CompletableFuture<RequesterReply> reply = requester.call(message, ChunkOffer.NONE);
        simulation.run();
        ByteBuffer call = responder.received.getFirst();
        assertThat(new int[] {call.getInt(12), call.getInt(16), call.getInt(20), call.getInt(28)})
                .as("RDMA_MSG, one Read segment, after 48 bytes, of 100000")
                .containsExactly(0, 1, 48, 100_000);
        assertThat(released[0]).isZero();
        responder.abort();
        simulation.run();
        assertThat(failure(reply)).isEqualTo(Failure.DISCONNECTED);
        assertThat(released[0]).isEqualTo(1);
    }

    /** Records what a handler was told. */
    private static final class Outcome implements ReplyHandler {
        private Failure failure;
        private int calls;

        @Override
        public void replied(XdrStream message, List<ByteBuffer> written) {
            calls++;
        }

        @Override
        public void failed(RequestException why) {
            calls++;
            failure = why.failure();
        }
    }

    @Test
    void noDeadline_watched_neverEnds() {
        connect();
        Outcome outcome = new Outcome();
        requester.call(Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE, Requester.NO_DEADLINE, outcome);
        simulation.run();
        requester.endOverdue(Long.MAX_VALUE);
        requester.endOverdue(Long.MIN_VALUE);
        simulation.run();
        assertThat(outcome.calls).isZero();
    }
}
