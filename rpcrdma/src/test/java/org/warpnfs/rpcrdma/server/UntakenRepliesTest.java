package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/** A requester that sends, and takes nothing of what it is sent. */
class UntakenRepliesTest {
    private static final int CREDITS = 4;
    private static final int POSTED = 2;
    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long MILLI_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private SimulatedResponder responder;

    private RawRequester connect(ResponderOptions options) throws Exception {
        responder = new SimulatedResponder(options);
        RawRequester raw = responder.connect(0);
        responder.assertStillServes(raw);
        return raw;
    }

    private static ResponderOptions.Builder options() {
        return ResponderOptions.builder()
                .messagesInUse(1)
                .credits(CREDITS, CREDITS)
                .maxPostedWork(POSTED);
    }

    /** Runs programs and delivers messages, while the requester takes nothing. */
    private void go() {
        for (int i = 0; i < 3; i++) {
            responder.simulation.runFor(MILLI_NANOS);
            List<Runnable> now = List.copyOf(responder.operations);
            responder.operations.clear();
            now.forEach(Runnable::run);
        }
        responder.simulation.runFor(MILLI_NANOS);
    }

    @AfterEach
    void close() {
        responder.close();
    }

    @Test
    void calls_repliesNotTaken_endAtTheCredits() throws Exception {
        RawRequester raw = connect(options().build());
        long before = responder.count(Counter.CALLS_RECEIVED);
        responder.simulation.stall(false, HOUR_NANOS);
        for (int xid = 100; xid < 100 + POSTED + CREDITS; xid++) {
            raw.send(inline(Rpc.call(xid, EchoProgram.NULL)));
            go();
        }
        assertThat(responder.count(Counter.CREDITS_IN_USE))
                .as("replies that wait hold their credits")
                .isEqualTo(CREDITS);
        assertThat(responder.count(Counter.CREDIT_OVERRUNS)).isZero();
        for (int xid = 200; xid < 1200; xid++) {
            raw.send(inline(Rpc.call(xid, EchoProgram.NULL)));
            go();
        }
        assertThat(responder.count(Counter.CALLS_RECEIVED) - before).isEqualTo(POSTED + CREDITS);
        assertThat(responder.count(Counter.CREDIT_OVERRUNS)).isEqualTo(1);
    }

    @Test
    void calls_repliesTakenAgain_allAreAnswered() throws Exception {
        RawRequester raw = connect(options().build());
        responder.simulation.stall(false, TimeUnit.SECONDS.toNanos(1));
        for (int xid = 100; xid < 100 + CREDITS; xid++) {
            raw.send(inline(Rpc.call(xid, EchoProgram.NULL)));
            go();
        }
        responder.settle();
        assertThat(raw.received).hasSize(1 + CREDITS);
        assertThat(responder.count(Counter.CREDITS_IN_USE)).isZero();
        assertThat(responder.count(Counter.REPLY_BYTES_HELD)).isZero();
        responder.assertStillServes(raw);
    }

    @Test
    void malformedHeaders_errorsNotTaken_endAtTheCredits() throws Exception {
        RawRequester raw = connect(options().build());
        responder.simulation.stall(false, HOUR_NANOS);
        for (int i = 0; i < 1000; i++) {
            // RDMA_NOMSG without a Position-Zero chunk, and a version that does not exist.
            String hex = i % 2 == 0
                    ? "0000abcd 00000001 00000020 00000001 00000000 00000000 00000000"
                    : "0000abcd 00000002 00000080 00000000";
            raw.send(ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", ""))));
            go();
        }
        assertThat(responder.count(Counter.ERR_CHUNK_MALFORMED_SENT) + responder.count(Counter.ERR_VERS_SENT))
                .isEqualTo(POSTED + CREDITS);
        assertThat(responder.count(Counter.CREDIT_OVERRUNS)).isEqualTo(1);
    }

    @Test
    void longReplies_notTaken_countWithAllTheirBytes() throws Exception {
        int count = 40_000;
        int maxHeldBytes = 150_000;
        int calls = 16;
        RawRequester raw = connect(ResponderOptions.builder()
                .messagesInUse(1)
                .credits(calls, calls)
                .maxHeldBytes(maxHeldBytes)
                .build());
        int ranBefore = responder.program.transports.size();
        responder.simulation.stall(false, TimeUnit.SECONDS.toNanos(1));
        for (int xid = 100; xid < 100 + calls; xid++) {
            MemoryRegion region = raw.register(ByteBuffer.allocate(count + 100), AccessRight.REMOTE_WRITE);
            WriteChunk reply = new WriteChunk(
                    List.of(new RdmaSegment(region.stag(), region.lengthBytes(), region.taggedOffset())));
            raw.send(message(
                    new RdmaMsg(xid, 32, new ChunkLists(List.of(), List.of(), Optional.of(reply))),
                    Rpc.call(xid, EchoProgram.BULK, count).xdr()));
            go();
        }
        assertThat(responder.program.transports.size() - ranBefore)
                .as("calls that ran")
                .isEqualTo(maxHeldBytes / count);
        assertThat(responder.count(Counter.REPLY_BYTES_HELD)).isBetween((long) count, (long) maxHeldBytes);
        assertThat(responder.count(Counter.REPLY_MEMORY_WAITS)).isPositive();
        responder.settle();
        assertThat(raw.received).as("once they are taken the others run").hasSize(1 + calls);
    }
}
