package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.header;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.last;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/** Calls that come at the wrong time or twice, and what is counted of the others. */
class CallLifeTest {
    private final SimulatedResponder responder =
            new SimulatedResponder(ResponderOptions.builder().credits(4, 4).build());

    @AfterEach
    void close() {
        responder.close();
    }

    private static ChunkLists reads(ReadSegment... entries) {
        return new ChunkLists(List.of(entries), List.of(), Optional.empty());
    }

    private static RdmaSegment segment(RawRequester raw, ByteBuffer memory, AccessRight right) {
        MemoryRegion region = raw.register(memory, right);
        return new RdmaSegment(region.stag(), region.lengthBytes(), region.taggedOffset());
    }

    @Test
    void draining_manyCalls_costNoReceiveBuffer() throws Exception {
        RawRequester raw = responder.connect(0);
        raw.send(inline(Rpc.call(1, EchoProgram.PARK)));
        responder.settle();
        responder.service.drain(Duration.ZERO);
        responder.settle();
        for (int xid = 2; xid < 50; xid++) {
            raw.send(inline(Rpc.call(xid, EchoProgram.NULL)));
            responder.settle();
        }
        assertThat(raw.open())
                .as("a call still runs, and every message found a buffer")
                .isTrue();
        assertThat(responder.count(Counter.CALLS_DROPPED)).isEqualTo(48);
        responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
        responder.settle();
        assertThat(raw.received).hasSize(1);
        Rpc.success(1, rpc(raw));
        assertThat(raw.open()).isFalse();
    }

    @Test
    void draining_connectionBeingMade_endsAsSoonAsItIsMade() {
        RawRequester raw = RawRequester.connect(responder.simulation.connector(), SimulatedResponder.ADDRESS);
        while (responder.count(Counter.CONNECTIONS_ACCEPTED) == 0) {
            assertThat(responder.simulation.step()).isTrue();
        }
        assertThat(raw.open()).as("half made").isFalse();
        responder.service.drain(Duration.ZERO);
        responder.settle();
        if (raw.open()) {
            // For a responder a connection is established when the first message arrives.
            raw.send(inline(Rpc.call(1, EchoProgram.NULL)));
            responder.settle();
        }
        assertThat(raw.open()).isFalse();
        assertThat(responder.service.drain(Duration.ZERO)).as("nothing is left").isTrue();
    }

    private static ByteBuffer rpc(RawRequester raw) throws Exception {
        ByteBuffer reply = last(raw);
        header(reply);
        return reply.slice();
    }

    @Test
    void xidInFlight_sentAgain_isRunOnceAndAnsweredOnce() throws Exception {
        RawRequester raw = responder.connect(0);
        for (int i = 0; i < 20; i++) {
            raw.send(inline(Rpc.call(7, EchoProgram.PARK)));
            responder.settle();
        }
        assertThat(responder.program.parked).hasSize(1);
        assertThat(responder.count(Counter.DUPLICATE_XIDS)).isEqualTo(19);
        responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
        responder.settle();
        assertThat(raw.received).hasSize(1);
        raw.send(inline(Rpc.call(7, EchoProgram.NULL)));
        responder.settle();
        assertThat(raw.received).as("answered, so its XID is free").hasSize(2);
    }

    @Test
    void longCallOfAnotherXid_pulled_isErrChunkAndDoesNotRun() throws Exception {
        RawRequester raw = responder.connect(0);
        for (int i = 0; i < 10; i++) {
            ByteBuffer body =
                    RpcMessage.of(Rpc.write(9, new byte[100]).flatten()).xdr();
            ReadSegment whole = new ReadSegment(0, segment(raw, body, AccessRight.REMOTE_READ));
            raw.send(new RdmaNomsg(8, 32, reads(whole)).encoded());
            responder.settle();
            assertThat(header(last(raw))).isInstanceOf(RdmaErrorChunk.class);
            assertThat(header(last(raw)).xid()).isEqualTo(8);
        }
        assertThat(responder.program.writes).isZero();
        assertThat(responder.pool.lentBytes()).isZero();
        responder.assertStillServes(raw);
    }

    @Test
    void eachKindOfChunk_isCountedAsItself() throws Exception {
        RawRequester raw = responder.connect(0);
        ByteBuffer data = ByteBuffer.wrap(EchoProgram.pattern(1001, 0));
        ByteBuffer body = Rpc.call(1, EchoProgram.WRITE, 7, 1001, 9).xdr();
        int bodyBytes = body.remaining();
        raw.send(new RdmaNomsg(
                        1,
                        32,
                        reads(
                                new ReadSegment(0, segment(raw, body, AccessRight.REMOTE_READ)),
                                new ReadSegment(48, segment(raw, data, AccessRight.REMOTE_READ))))
                .encoded());
        responder.settle();
        assertThat(responder.count(Counter.LONG_CALLS)).isEqualTo(1);
        assertThat(responder.count(Counter.READ_CHUNKS)).isEqualTo(1);
        assertThat(responder.count(Counter.RDMA_READS)).isEqualTo(2);
        assertThat(responder.count(Counter.RDMA_READ_BYTES)).isEqualTo(bodyBytes + 1001);

        WriteChunk write = new WriteChunk(List.of(
                segment(raw, ByteBuffer.allocate(1000), AccessRight.REMOTE_WRITE),
                segment(raw, ByteBuffer.allocate(9000), AccessRight.REMOTE_WRITE)));
        WriteChunk reply = new WriteChunk(List.of(segment(raw, ByteBuffer.allocate(9000), AccessRight.REMOTE_WRITE)));
        raw.send(message(
                new RdmaMsg(2, 32, new ChunkLists(List.of(), List.of(write), Optional.of(reply))),
                Rpc.call(2, EchoProgram.READ, 5000).xdr()));
        responder.settle();
        assertThat(responder.count(Counter.WRITE_CHUNKS)).isEqualTo(1);
        assertThat(responder.count(Counter.RDMA_WRITES)).isEqualTo(2);
        assertThat(responder.count(Counter.WRITE_CHUNK_BYTES)).isEqualTo(5000);
        assertThat(responder.count(Counter.REPLY_CHUNKS_OFFERED)).isEqualTo(1);
        assertThat(responder.count(Counter.REPLY_CHUNK_BYTES)).isZero();

        raw.send(message(
                new RdmaMsg(
                        3,
                        32,
                        new ChunkLists(
                                List.of(),
                                List.of(),
                                Optional.of(new WriteChunk(
                                        List.of(segment(raw, ByteBuffer.allocate(9000), AccessRight.REMOTE_WRITE)))))),
                Rpc.call(3, EchoProgram.BULK, 6000).xdr()));
        responder.settle();
        assertThat(responder.count(Counter.LONG_REPLIES)).isEqualTo(1);
        assertThat(responder.count(Counter.REPLY_CHUNK_BYTES)).isEqualTo(24 + 4 + 6000);
    }

    @Test
    void credits_inUse_areTheCallsThatHaveNotEnded() throws Exception {
        RawRequester raw = responder.connect(0);
        for (int xid = 0; xid < 3; xid++) {
            raw.send(inline(Rpc.call(xid, EchoProgram.PARK)));
        }
        responder.settle();
        assertThat(responder.count(Counter.CREDITS_IN_USE)).isEqualTo(3);
        assertThat(responder.count(Counter.CREDITS_GRANTED))
                .as("before the first reply")
                .isEqualTo(1);
        responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
        responder.settle();
        assertThat(responder.count(Counter.CREDITS_IN_USE)).isEqualTo(2);
        assertThat(responder.count(Counter.CREDITS_GRANTED)).isEqualTo(4);
        responder.simulation.resetAll();
        responder.settle();
        assertThat(responder.count(Counter.CREDITS_GRANTED)).isZero();
        responder.program.parked.forEach(call -> call.reply(XdrVoid.XDR_VOID));
    }

    @Test
    void connectionsThatEnd_areCountedByCause() throws Exception {
        RawRequester lost = responder.connect(0);
        responder.assertStillServes(lost);
        responder.simulation.resetAll();
        responder.settle();
        assertThat(responder.count(Counter.CONNECTIONS_LOST)).isEqualTo(1);

        RawRequester foreign = responder.connect(0);
        ReadSegment bogus = new ReadSegment(48, new RdmaSegment(0xdeadbeefL, 100, 0));
        foreign.send(message(
                new RdmaMsg(1, 32, reads(bogus)),
                Rpc.call(1, EchoProgram.WRITE, 1, 100, 2).xdr()));
        responder.settle();
        assertThat(responder.count(Counter.TERMINATES_RECEIVED)).isEqualTo(1);

        RawRequester tooLong = responder.connect(0);
        tooLong.send(ByteBuffer.allocate(4097));
        responder.settle();
        assertThat(tooLong.open()).isFalse();
        assertThat(responder.count(Counter.TERMINATES_SENT)).isEqualTo(1);
    }
}
