package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.header;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.last;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;

/** Replies that the requester reads itself, and RDMA_DONE (RFC 5666, section 3.8). */
class ExposedReplyTest {
    private static final Rfc5666Options TIGHT =
            new Rfc5666Options(true, 3, 100_000, 150_000, Duration.ofSeconds(60), true);

    private SimulatedResponder responder;

    private RawRequester connect(Rfc5666Options options, int ord) {
        if (responder == null) {
            responder = new SimulatedResponder(
                    ResponderOptions.builder().credits(2, 2).rfc5666(options).build());
        }
        return responder.connect(ord);
    }

    @AfterEach
    void close() {
        responder.close();
    }

    private RpcRdmaHeader ask(RawRequester raw, int xid, int procedure, int count) throws Exception {
        raw.send(inline(Rpc.call(xid, procedure, count)));
        responder.settle();
        return header(last(raw));
    }

    private void done(RawRequester raw, int xid) {
        raw.send(new RdmaDone(xid, 32).encoded());
        responder.settle();
    }

    @Test
    void payloadFitsNowhere_reply_isReadAtItsPositionAndFreedByDone() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        RdmaMsg msg = (RdmaMsg) ask(raw, 5, EchoProgram.READ, 8001);
        ReadSegment entry = msg.lists().readList().getFirst();
        assertThat(entry.position()).as("reply header, word and count").isEqualTo(24 + 8);
        ByteBuffer data = raw.read(entry.segment());
        responder.settle();
        assertThat(raw.reads).containsExactly(CompletionStatus.SUCCESS);
        assertThat(data).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(8001, 0)));
        ByteBuffer reply = last(raw);
        header(reply);
        ByteBuffer results = Rpc.success(5, reply.slice());
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(0x11111111, 8001, 0x22222222);
        assertThat(responder.count(Counter.EXPOSED_BYTES)).isEqualTo(8001);
        done(raw, 5);
        assertThat(responder.count(Counter.EXPOSED_BYTES)).isZero();
        responder.assertStillServes(raw);
    }

    @Test
    void messageFitsNowhere_reply_isReadWhole() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        RdmaNomsg nomsg = (RdmaNomsg) ask(raw, 6, EchoProgram.BULK, 9000);
        ReadSegment entry = nomsg.lists().readList().getFirst();
        assertThat(entry.position()).isZero();
        ByteBuffer message = raw.read(entry.segment());
        responder.settle();
        ByteBuffer results = Rpc.success(6, message);
        assertThat(results.getInt()).isEqualTo(9000);
        assertThat(results.slice()).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(9000, 0)));
        done(raw, 6);
    }

    @Test
    void readAfterDone_endsTheConnectionOfTheReader() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        ReadSegment entry = ((RdmaMsg) ask(raw, 7, EchoProgram.READ, 8000))
                .lists()
                .readList()
                .getFirst();
        done(raw, 7);
        ByteBuffer data = raw.read(entry.segment());
        responder.settle();
        assertThat(raw.open()).isFalse();
        assertThat(raw.ended.cause()).isEqualTo(DisconnectReason.Cause.PEER_TERMINATE);
        assertThat(data).as("not a byte").isEqualTo(ByteBuffer.allocate(8000));
        assertThat(responder.count(Counter.TERMINATES_SENT)).isEqualTo(1);
    }

    @Test
    void tooManyUnread_reply_isErrChunk() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        for (int xid = 0; xid < 3; xid++) {
            RpcRdmaHeader header = ask(raw, xid, EchoProgram.READ, 8000);
            assertThat(header).isInstanceOf(RdmaMsg.class);
            assertThat(header.credits()).as("room for each RDMA_DONE").isGreaterThan(xid);
        }
        assertThat(ask(raw, 3, EchoProgram.READ, 8000)).isInstanceOf(RdmaErrorChunk.class);
        done(raw, 1);
        assertThat(ask(raw, 4, EchoProgram.READ, 8000)).isInstanceOf(RdmaMsg.class);
    }

    @Test
    void manySilentRequesters_theirReplies_stayWithinTheBudget() throws Exception {
        int exposed = 0;
        for (int i = 0; i < 10; i++) {
            RawRequester raw = connect(TIGHT, 4);
            if (ask(raw, 1, EchoProgram.READ, 40_000) instanceof RdmaMsg) {
                exposed++;
            }
            responder.assertStillServes(raw);
        }
        assertThat(exposed).as("one client leaves as much to others").isEqualTo(2);
        assertThat(responder.count(Counter.EXPOSED_BYTES)).isEqualTo(80_000);
    }

    @Test
    void oneRequester_itsReplies_stayWithinItsShare() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        assertThat(ask(raw, 1, EchoProgram.READ, 60_000)).isInstanceOf(RdmaMsg.class);
        assertThat(ask(raw, 2, EchoProgram.READ, 60_000)).isInstanceOf(RdmaErrorChunk.class);
    }

    private void look(long seconds) {
        responder.service.endStalled(Duration.ofSeconds(seconds).toNanos());
        responder.settle();
    }

    @Test
    void noDone_limitPasses_memoryIsTakenBackAndTheSecondTimeTheConnectionEnds() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        ask(raw, 1, EchoProgram.READ, 8000);
        look(0);
        look(60);
        assertThat(responder.count(Counter.EXPOSED_BYTES)).isEqualTo(8000);
        look(61);
        assertThat(responder.count(Counter.EXPOSED_BYTES)).isZero();
        assertThat(responder.count(Counter.DONES_MISSED)).isEqualTo(1);
        responder.assertStillServes(raw);
        ask(raw, 2, EchoProgram.READ, 8000);
        look(100);
        look(161);
        assertThat(raw.open()).isFalse();
    }

    @Test
    void connectionEnds_unreadReply_isFreed() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        ask(raw, 1, EchoProgram.READ, 8000);
        responder.simulation.resetAll();
        responder.settle();
        assertThat(raw.open()).isFalse();
        assertThat(responder.count(Counter.EXPOSED_BYTES)).isZero();
    }

    @Test
    void xidUsedAgain_replies_replaceEachOther() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        for (int i = 0; i < 10; i++) {
            assertThat(ask(raw, 1, EchoProgram.READ, 8000)).isInstanceOf(RdmaMsg.class);
            assertThat(responder.count(Counter.EXPOSED_BYTES)).isEqualTo(8000);
        }
    }

    @Test
    void switchedOff_reply_isErrChunk() throws Exception {
        RawRequester raw = connect(Rfc5666Options.DEFAULT, 4);
        assertThat(ask(raw, 1, EchoProgram.READ, 8000)).isInstanceOf(RdmaErrorChunk.class);
    }

    /** A Linux client: its ORD is 0. */
    @Test
    void requesterThatReadsNothing_reply_isErrChunk() throws Exception {
        RawRequester raw = connect(TIGHT, 0);
        assertThat(ask(raw, 1, EchoProgram.READ, 8000)).isInstanceOf(RdmaErrorChunk.class);
    }

    @Test
    void doneOfNothing_arrives_costsNothing() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        for (int i = 0; i < 100; i++) {
            done(raw, i);
        }
        assertThat(responder.count(Counter.DONES_RECEIVED)).isEqualTo(100);
        responder.assertStillServes(raw);
    }

    @Test
    void doneAndCallsAtTheGrant_arrive_findBuffers() throws Exception {
        RawRequester raw = connect(TIGHT, 4);
        long grant = 1;
        for (int xid = 0; xid < 3; xid++) {
            grant = ask(raw, xid, EchoProgram.READ, 8000).credits();
        }
        assertThat(grant).isGreaterThanOrEqualTo(4);
        List.of(0, 1, 2).forEach(xid -> raw.send(new RdmaDone(xid, 32).encoded()));
        raw.send(inline(Rpc.call(9, EchoProgram.NULL)));
        responder.settle();
        assertThat(raw.open()).isTrue();
        assertThat(responder.count(Counter.EXPOSED_BYTES)).isZero();
    }
}
