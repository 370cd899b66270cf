package org.warpnfs.rpcrdma.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.server.Rfc5666Options;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;

/** Replies that our requester reads from our responder's memory (RFC 5666, section 3.8). */
class ReplyPullerTest {
    private static final int LIMIT_BYTES = 70_000;

    private final SimulatedResponder responder = new SimulatedResponder(ResponderOptions.builder()
            .messagesInUse(1)
            .rfc5666(new Rfc5666Options(true, 8, 1 << 20, 1 << 20, Duration.ofSeconds(60), true))
            .build());

    private RpcRdmaRequester requester;

    @AfterEach
    void close() {
        responder.close();
    }

    private CompletableFuture<RequesterReply> ask(int xid, int procedure, int count) {
        if (requester == null) {
            requester = responder.requester(
                    RequesterOptions.DEFAULT.withMaxReadReplyBytes(LIMIT_BYTES), BackwardCalls.NONE);
        }
        return requester.call(Rpc.call(xid, procedure, count), ChunkOffer.NONE);
    }

    private void learnTheGrant() {
        CompletableFuture<RequesterReply> reply = ask(1, EchoProgram.NULL, 0);
        responder.settle();
        assertThat(reply).isCompleted();
    }

    private static void assertPattern(int xid, int count, CompletableFuture<RequesterReply> reply, boolean payload) {
        ByteBuffer results = Rpc.success(xid, reply.join().message());
        if (payload) {
            assertThat(results.getInt()).isEqualTo(0x11111111);
        }
        assertThat(results.getInt()).isEqualTo(count);
        byte[] bytes = new byte[count];
        results.get(bytes);
        assertThat(bytes).isEqualTo(EchoProgram.pattern(count, 0));
        results.position(results.position() + (-count & 3));
        if (payload) {
            assertThat(results.getInt()).isEqualTo(0x22222222);
        }
        assertThat(results.hasRemaining()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {4093, 4096, 65_537, LIMIT_BYTES})
    void payloadExposed_reply_isWholeAndFreed(int count) {
        CompletableFuture<RequesterReply> reply = ask(5, EchoProgram.READ, count);
        responder.settle();
        assertPattern(5, count, reply, true);
        assertThat(responder.count(Counter.EXPOSED_BYTES)).isZero();
        assertThat(responder.count(Counter.DONES_RECEIVED)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {4093, 9001, 65_537})
    void messageExposed_reply_isWholeAndFreed(int count) {
        CompletableFuture<RequesterReply> reply = ask(6, EchoProgram.BULK, count);
        responder.settle();
        assertPattern(6, count, reply, false);
        assertThat(responder.count(Counter.EXPOSED_BYTES)).isZero();
    }

    @Test
    void severalExposed_atOnce_eachIsRead() {
        learnTheGrant();
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            replies.add(ask(10 + i, i % 2 == 0 ? EchoProgram.READ : EchoProgram.BULK, 5000 + i));
        }
        responder.settle();
        for (int i = 0; i < 8; i++) {
            assertPattern(10 + i, 5000 + i, replies.get(i), i % 2 == 0);
        }
        assertThat(responder.count(Counter.DONES_RECEIVED)).isEqualTo(8);
    }

    @Test
    void longerThanAllowed_reply_failsTheCallAndEndsTheConnection() {
        CompletableFuture<RequesterReply> reply = ask(7, EchoProgram.READ, LIMIT_BYTES + 1);
        responder.settle();
        assertThatThrownBy(reply::join)
                .hasRootCauseInstanceOf(RequestException.class)
                .hasMessageContaining("70001 bytes to be read");
        assertThat(requester.open()).isFalse();
    }

    @Test
    void connectionLost_whileReading_failsTheCalls() {
        List<CompletableFuture<RequesterReply>> replies = exposeTwoAndStop();
        responder.simulation.resetAll();
        responder.settle();
        for (CompletableFuture<RequesterReply> reply : replies) {
            assertThatThrownBy(reply::join).hasRootCauseInstanceOf(RequestException.class);
        }
    }

    /** RFC 5666, section 3.8: each RDMA_DONE that is owed counts as a credit in use. */
    @Test
    void replyBeingRead_calls_leaveACreditForItsDone() {
        List<CompletableFuture<RequesterReply>> replies = exposeTwoAndStop();
        List<CompletableFuture<RequesterReply>> parked = new ArrayList<>();
        // 64 are granted; two are owed.
        for (int i = 0; i < 70; i++) {
            parked.add(ask(100 + i, EchoProgram.PARK, 0));
        }
        long most = 0;
        while (responder.count(Counter.DONES_RECEIVED) == 0) {
            assertThat(responder.simulation.step()).as("under way").isTrue();
            most = Math.max(most, responder.count(Counter.CALLS_RUNNING));
        }
        assertThat(most).isEqualTo(62);
        responder.settle();
        assertThat(replies).allMatch(reply -> reply.isDone() && !reply.isCompletedExceptionally());
        assertThat(parked).noneMatch(CompletableFuture::isDone);
        while (!responder.program.parked.isEmpty()) {
            responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
            responder.settle();
        }
        assertThat(parked).allMatch(reply -> reply.isDone() && !reply.isCompletedExceptionally());
    }

    /** Two replies have arrived, and no byte of the exposed data has been read. */
    private List<CompletableFuture<RequesterReply>> exposeTwoAndStop() {
        learnTheGrant();
        List<CompletableFuture<RequesterReply>> replies =
                List.of(ask(2, EchoProgram.READ, 60_000), ask(3, EchoProgram.READ, 60_000));
        responder.simulation.run();
        assertThat(responder.operations).hasSize(2);
        responder.operations.forEach(Runnable::run);
        responder.operations.clear();
        while (responder.count(Counter.EXPOSED_BYTES) < 120_000) {
            assertThat(responder.simulation.step()).as("under way").isTrue();
        }
        assertThat(replies).noneMatch(CompletableFuture::isDone);
        return replies;
    }
}
