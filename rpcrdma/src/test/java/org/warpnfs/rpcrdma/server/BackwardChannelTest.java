package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * Calls of the responder to its requester (RFC 8167), made by oncrpc4j's RpcCall on the transport of a received call.
 */
class BackwardChannelTest {
    private final SimulatedResponder responder = new SimulatedResponder(ResponderOptions.DEFAULT);
    private RpcRdmaRequester requester;

    @BeforeEach
    void connect() {
        requester = responder.requester(
                RequesterOptions.DEFAULT, BackwardCalls.answeredBy(BackwardChannelTest::procedurePlusOne));
        Rpc.success(1, forward(1).message());
    }

    @AfterEach
    void close() {
        responder.close();
    }

    private RequesterReply forward(int xid) {
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.call(xid, EchoProgram.NULL), ChunkOffer.NONE);
        responder.settle();
        return reply.join();
    }

    private static ByteBuffer procedurePlusOne(ByteBuffer call) {
        int xid = call.getInt();
        int procedure = call.getInt(call.position() + 16);
        return ByteBuffer.allocate(28)
                .putInt(xid)
                .putInt(1)
                .putInt(0)
                .putLong(0)
                .putInt(0)
                .putInt(procedure + 1)
                .flip();
    }

    private CompletableFuture<Integer> backward(int procedure, byte[] argument) throws Exception {
        return backward(responder.program.transports.getFirst(), procedure, argument);
    }

    private static CompletableFuture<Integer> backward(RpcTransport transport, int procedure, byte[] argument)
            throws Exception {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        RpcCall call = new RpcCall(0x4000_0000, 1, new RpcAuthTypeNone(), transport);
        call.call(
                procedure,
                (EchoProgram.Encoded) xdr -> xdr.xdrEncodeDynamicOpaque(argument),
                new CompletionHandler<RpcReply, RpcTransport>() {
                    @Override
                    public void completed(RpcReply reply, RpcTransport transport) {
                        try {
                            reply.getReplyResult((EchoProgram.Decoded) xdr -> result.complete(xdr.xdrDecodeInt()));
                        } catch (IOException e) {
                            result.completeExceptionally(e);
                        }
                    }

                    @Override
                    public void failed(Throwable e, RpcTransport transport) {
                        result.completeExceptionally(e);
                    }
                });
        return result;
    }

    @Test
    void backwardCalls_moreThanCredits_areAllAnswered() throws Exception {
        List<CompletableFuture<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            results.add(backward(i, new byte[0]));
        }
        responder.settle();
        for (int i = 0; i < 20; i++) {
            assertThat(results.get(i)).isCompletedWithValue(i + 1);
        }
        assertThat(responder.count(Counter.BACKWARD_CALLS_SENT)).isEqualTo(20);
        Rpc.success(2, forward(2).message());
    }

    /** The limit is the requester's grant or the number of our buffers, whichever is less. */
    @ParameterizedTest
    @CsvSource({"1, 4, 1", "2, 4, 2", "3, 4, 3", "4, 4, 4", "100, 4, 4", "0, 4, 1", "1, 2, 1", "16, 2, 2", "16, 1, 1"})
    void backwardCalls_requesterGrants_neverMoreAreOutstanding(int granted, int limit, int outstanding)
            throws Exception {
        SimulatedResponder limited = new SimulatedResponder(
                ResponderOptions.builder().maxBackwardCalls(limit).build());
        RawRequester raw = limited.connect(0);
        limited.assertStillServes(raw);
        raw.received.clear();
        RpcTransport transport = limited.program.transports.getFirst();
        List<CompletableFuture<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            results.add(backward(transport, i, new byte[0]));
        }
        limited.settle();
        assertThat(raw.received).as("before the first grant").hasSize(1);
        for (int answered = 0; answered < 12; answered++) {
            ByteBuffer asked = raw.received.get(answered).duplicate();
            int xid = asked.getInt(0);
            assertThat(asked.getInt(8)).as("credits asked for").isEqualTo(limit);
            ByteBuffer reply = procedurePlusOne(asked.position(28).slice());
            raw.send(SimulatedResponder.message(
                    new RdmaMsg(Integer.toUnsignedLong(xid), granted, ChunkLists.NONE), reply));
            limited.settle();
            assertThat(raw.received)
                    .as("outstanding after reply %s", answered)
                    .hasSize(Math.min(12, answered + 1 + outstanding));
        }
        for (int i = 0; i < 12; i++) {
            assertThat(results.get(i)).isCompletedWithValue(i + 1);
        }
        limited.assertStillServes(raw);
        limited.close();
    }

    @Test
    void backwardCall_thatDoesNotFitInline_fails() throws Exception {
        CompletableFuture<Integer> result = backward(1, new byte[5000]);
        responder.settle();
        assertThat(result).isCompletedExceptionally();
    }

    /**
     * A reply in the backward direction has no chunks (RFC 8167, section 5.3), so a message with chunks is not such a
     * reply.
     */
    @Test
    void messageWithChunks_thatLooksLikeTheReply_isNotTakenForIt() throws Exception {
        RawRequester raw = responder.connect(0);
        responder.assertStillServes(raw);
        CompletableFuture<Integer> result = backward(responder.program.transports.getLast(), 8, new byte[0]);
        responder.settle();
        ByteBuffer asked = SimulatedResponder.last(raw);
        long xid = Integer.toUnsignedLong(asked.getInt(0));
        ByteBuffer reply = procedurePlusOne(asked.position(28).slice());
        WriteChunk chunk = new WriteChunk(List.of(new RdmaSegment(1, 8, 0)));
        ChunkLists lists = new ChunkLists(List.of(), List.of(chunk), Optional.empty());
        raw.send(SimulatedResponder.message(new RdmaMsg(xid, 1, lists), reply.duplicate()));
        responder.settle();
        assertThat(result).isNotDone();
        raw.send(SimulatedResponder.message(new RdmaMsg(xid, 1, ChunkLists.NONE), reply));
        responder.settle();
        assertThat(result).isCompletedWithValue(9);
    }

    /** The replies of two calls with one XID could not be told apart. */
    @Test
    void backwardCall_ofAnXidThatIsOutstandingOrWaits_isRefused() {
        List<String> told = new ArrayList<>();
        BackwardChannel channel = new BackwardChannel(1, Duration.ofSeconds(30), (header, message) -> {});
        channel.call(Rpc.call(1, 0), 4096, told::add);
        channel.call(Rpc.call(2, 0), 4096, told::add);
        assertThat(told).containsExactly((String) null);
        channel.call(Rpc.call(1, 0), 4096, told::add);
        channel.call(Rpc.call(2, 0), 4096, told::add);
        assertThat(told.subList(1, told.size())).hasSize(2).allMatch(refusal -> refusal.endsWith("is not over yet"));
        assertThat(channel.replied(1, 1)).isTrue();
        assertThat(channel.replied(2, 1)).isTrue();
        assertThat(channel.replied(2, 1)).isFalse();
    }

    @Test
    void backwardCallOutstanding_connectionEnds_fails() throws Exception {
        CompletableFuture<Integer> result = backward(1, new byte[0]);
        responder.simulation.resetAll();
        responder.settle();
        assertThat(result).isCompletedExceptionally();
        CompletableFuture<Integer> late = backward(2, new byte[0]);
        responder.settle();
        assertThat(late).isCompletedExceptionally();
    }

    /** A requester that receives our calls and does not answer the first in time. */
    @Test
    void backwardCall_answerIsLost_callerHearsAndTheNextOneGoes() throws Exception {
        List<Consumer<ByteBuffer>> unanswered = new ArrayList<>();
        List<ByteBuffer> asked = new ArrayList<>();
        RpcRdmaRequester silent = responder.requester(RequesterOptions.DEFAULT, (call, reply) -> {
            asked.add(call);
            unanswered.add(reply);
        });
        CompletableFuture<RequesterReply> forward = silent.call(Rpc.call(9, EchoProgram.NULL), ChunkOffer.NONE);
        responder.settle();
        Rpc.success(9, forward.join().message());
        responder.program.transports.removeFirst();

        CompletableFuture<Integer> lost = backward(1, new byte[0]);
        CompletableFuture<Integer> next = backward(5, new byte[0]);
        responder.settle();
        assertThat(asked).as("one credit before the first answer").hasSize(1);
        long limitNanos = PeerDeadlines.DEFAULT.backwardReply().toNanos();
        look(0);
        look(limitNanos);
        assertThat(lost).isNotDone();
        look(limitNanos - 1);
        CompletableFuture<Integer> third = backward(7, new byte[0]);
        look(limitNanos + 1);
        assertThat(lost).isCompletedExceptionally();
        assertThat(next).as("waited as long, and was never sent").isCompletedExceptionally();
        assertThat(responder.count(Counter.BACKWARD_CALLS_LOST)).isEqualTo(1);
        assertThat(asked).as("the place is free").hasSize(2);

        unanswered.get(0).accept(procedurePlusOne(asked.get(0)));
        unanswered.get(1).accept(procedurePlusOne(asked.get(1)));
        responder.settle();
        assertThat(third).isCompletedWithValue(8);
        assertThat(responder.count(Counter.BACKWARD_REPLIES_RECEIVED)).isEqualTo(1);
        assertThat(responder.count(Counter.MESSAGES_IGNORED))
                .as("the late answer")
                .isEqualTo(1);
    }

    private void look(long nowNanos) {
        responder.service.endStalled(nowNanos);
        responder.settle();
    }

    /** If too many calls wait, a further one is refused, and its caller is told at once. */
    @Test
    void backwardCalls_beyondTheLimitOfThoseThatWait_areRefused() throws Exception {
        RpcRdmaRequester silent = responder.requester(RequesterOptions.DEFAULT, (call, reply) -> {});
        CompletableFuture<RequesterReply> forward = silent.call(Rpc.call(9, EchoProgram.NULL), ChunkOffer.NONE);
        responder.settle();
        Rpc.success(9, forward.join().message());
        responder.program.transports.removeFirst();
        List<CompletableFuture<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 1 + BackwardChannel.MAX_WAITING; i++) {
            results.add(backward(i, new byte[0]));
        }
        responder.settle();
        assertThat(results).noneMatch(CompletableFuture::isDone);
        CompletableFuture<Integer> beyond = backward(0, new byte[0]);
        responder.settle();
        assertThat(beyond).isCompletedExceptionally();
        assertThat(results).noneMatch(CompletableFuture::isDone);
    }
}
