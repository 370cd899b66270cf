package org.warpnfs.rpcrdma.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.RawResponder.words;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawResponder;
import org.warpnfs.rpcrdma.testing.Rpc;

/**
 * What our requester sends, and which memory it exposes, seen from a responder that checks every byte and tries to
 * access more.
 */
class RequesterChunksTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_049);
    private static final int INLINE_BYTES = 4096;
    private static final int RDMA_MSG = 0;
    private static final int RDMA_NOMSG = 1;
    /** Offsets in a header with one Read segment. */
    private static final int READ_STAG_AT = 24;

    private static final int READ_LENGTH_AT = 28;
    private static final int READ_OFFSET_AT = 32;

    private final Simulation simulation = new Simulation(3);
    private final RawResponder responder = new RawResponder();
    private RpcRdmaRequester requester;
    private int requests;

    private void connect(RequesterOptions options) {
        simulation.listen(SERVER, responder);
        CompletableFuture<RpcRdmaRequester> connecting =
                RpcRdmaRequester.connect(simulation.connector(), SERVER, options, BackwardCalls.NONE);
        simulation.run();
        requester = connecting.join();
    }

    private CompletableFuture<RequesterReply> call(RpcMessage message, ChunkOffer offer) {
        CompletableFuture<RequesterReply> reply = requester.call(message, offer);
        simulation.run();
        requests++;
        return reply;
    }

    private ByteBuffer received() {
        return responder.received.getLast();
    }

    private void reply(ByteBuffer message) {
        responder.send(message);
        simulation.run();
    }

    /** A WRITE whose data lies in the middle of memory that belongs to others. */
    private static RpcMessage write(int xid, int count) {
        byte[] memory = EchoProgram.pattern(count + 64, 0);
        ByteBuffer data = ByteBuffer.wrap(memory).position(32).limit(32 + count);
        RpcMessage empty = Rpc.write(xid, new byte[count]);
        return new RpcMessage(
                empty.xdr(),
                List.of(new RpcMessage.Item(empty.items().getFirst().offsetBytes(), Payload.unpooled(data.slice()))));
    }

    @AfterEach
    void nothingBroke() {
        assertThat(simulation.internalErrors()).isEmpty();
    }

    /** A WRITE has 80 bytes besides its data: 28 of the transport's header, 40 of RPC's, 12 of arguments. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4000, 4013, 4016, 4017, 4018, 4020, 4021, 4030, 4040, 4041, 4044, 4045, 4096, 65_536})
    void write_aroundTheInlineLimit_noSendExceedsIt(int count) {
        connect(RequesterOptions.DEFAULT);
        CompletableFuture<RequesterReply> reply = call(write(1, count), ChunkOffer.NONE);
        assertThat(responder.received).hasSize(1);
        assertThat(received().remaining()).isLessThanOrEqualTo(INLINE_BYTES);
        assertThat(received().getInt(12)).isEqualTo(RDMA_MSG);
        if (count <= 4016) {
            assertThat(received().getInt(16)).as("no Read list").isZero();
            assertThat(received().slice(28 + 48, count)).isEqualTo(pattern(count));
        } else {
            assertThat(received().remaining())
                    .as("a Read segment, and all but the data")
                    .isEqualTo(80 + 24);
            assertThat(received().getInt(READ_LENGTH_AT)).isEqualTo(count);
            assertThat(read(count)).isEqualTo(pattern(count));
        }
        reply(RawResponder.success(1, 1));
        assertThat(reply).isCompleted();
    }

    /** The same for calls without a part that could be sent separately. */
    @Test
    void longCall_aroundTheInlineLimit_noSendExceedsIt() {
        connect(RequesterOptions.DEFAULT);
        for (int bytes = INLINE_BYTES - 64; bytes < INLINE_BYTES + 64; bytes += 4) {
            RpcMessage message = RpcMessage.of(ByteBuffer.allocate(bytes).putInt(0, bytes));
            CompletableFuture<RequesterReply> reply = call(message, ChunkOffer.NONE);
            assertThat(received().remaining()).isLessThanOrEqualTo(INLINE_BYTES);
            assertThat(received().getInt(12)).isEqualTo(bytes + 28 <= INLINE_BYTES ? RDMA_MSG : RDMA_NOMSG);
            reply(RawResponder.success(bytes, 1));
            assertThat(reply).isCompleted();
        }
        assertThat(responder.received).hasSize(requests);
    }

    private static ByteBuffer pattern(int count) {
        return ByteBuffer.wrap(EchoProgram.pattern(count, 32));
    }

    private ByteBuffer read(int lengthBytes) {
        long stag = Integer.toUnsignedLong(received().getInt(READ_STAG_AT));
        ByteBuffer sink = responder.read(stag, received().getLong(READ_OFFSET_AT), lengthBytes);
        simulation.run();
        return sink;
    }

    @ParameterizedTest
    @ValueSource(ints = {5001, 5002, 5003, 5004, 65_537})
    void payloadInAReadChunk_responderReadsOnIntoThePad_getsNothing(int count) {
        connect(RequesterOptions.DEFAULT);
        assertThat(call(write(1, count), ChunkOffer.NONE)).isNotDone();
        assertThat(received().getInt(READ_LENGTH_AT)).as("without roundup").isEqualTo(count);
        assertThat(read(count)).isEqualTo(pattern(count));
        assertThat(responder.reads).containsExactly(CompletionStatus.SUCCESS);
        ByteBuffer beyond = read(count + 1);
        assertThat(beyond).as("not a byte of it").isEqualTo(ByteBuffer.allocate(count + 1));
        assertThat(responder.reads).hasSize(2).last().isNotEqualTo(CompletionStatus.SUCCESS);
        assertThat(requester.open()).isFalse();
    }

    @Test
    void payloadInAReadChunk_responderReadsBefore_getsNothing() {
        connect(RequesterOptions.DEFAULT);
        assertThat(call(write(1, 5001), ChunkOffer.NONE)).isNotDone();
        long stag = Integer.toUnsignedLong(received().getInt(READ_STAG_AT));
        ByteBuffer before = responder.read(stag, received().getLong(READ_OFFSET_AT) - 1, 4);
        simulation.run();
        assertThat(before).isEqualTo(ByteBuffer.allocate(4));
        assertThat(responder.reads).doesNotContain(CompletionStatus.SUCCESS);
    }

    @Test
    void sinkOfOddLength_responderWritesThePadToo_changesNothingBeyond() {
        connect(RequesterOptions.DEFAULT);
        byte[] memory = new byte[16];
        ByteBuffer sink = ByteBuffer.wrap(memory).position(4).limit(9).slice();
        assertThat(call(Rpc.call(1, EchoProgram.READ, 5), ChunkOffer.write(sink)))
                .isNotDone();
        assertThat(received().getInt(32)).as("the length offered").isEqualTo(5);
        long stag = Integer.toUnsignedLong(received().getInt(28));
        responder.write(
                ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}),
                stag,
                received().getLong(36));
        simulation.run();
        assertThat(new byte[] {memory[9], memory[10], memory[11]}).containsOnly(0);
        assertThat(requester.open()).isFalse();
    }

    /**
     * RDMA_DONE is for chunks that a responder exposes (RFC 5666, sections 3.8 and 5.2), and none of these chunks is
     * exposed. It is not sent either by a requester that would send it for exposed replies.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1 << 20})
    void chunksOfEveryKindOfOurs_replied_noDoneIsSent(int maxReadReplyBytes) {
        connect(RequesterOptions.DEFAULT.withMaxReadReplyBytes(maxReadReplyBytes));
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        // A Read chunk of the call.
        replies.add(call(write(1, 70_000), ChunkOffer.NONE));
        assertThat(read(70_000)).isEqualTo(pattern(70_000));
        reply(RawResponder.success(1, 4));
        // A long call.
        replies.add(call(RpcMessage.of(ByteBuffer.allocate(8000).putInt(0, 2)), ChunkOffer.NONE));
        assertThat(received().getInt(12)).isEqualTo(RDMA_NOMSG);
        reply(RawResponder.success(2, 4));
        // A Write chunk.
        replies.add(call(Rpc.call(3, EchoProgram.READ, 8), ChunkOffer.write(ByteBuffer.allocate(8))));
        int stag = received().getInt(28);
        long offset = received().getLong(36);
        responder.write(ByteBuffer.wrap(new byte[8]), Integer.toUnsignedLong(stag), offset);
        int offsetLow = (int) offset;
        int offsetHigh = (int) (offset >>> 32);
        reply(words(3, 1, 4, 0, 0, 1, 1, stag, 8, offsetHigh, offsetLow, 0, 0, 3, 1, 0, 0, 0, 0));
        // A Reply chunk that holds the whole reply.
        replies.add(call(Rpc.call(4, EchoProgram.BULK, 8), ChunkOffer.reply(ByteBuffer.allocate(100))));
        stag = received().getInt(32);
        offset = received().getLong(40);
        responder.write(words(4, 1, 0, 0, 0, 0, 8, 1, 2), Integer.toUnsignedLong(stag), offset);
        reply(words(4, 1, 4, 1, 0, 0, 1, 1, stag, 36, (int) (offset >>> 32), (int) offset));
        // A Reply chunk that was not needed.
        replies.add(call(Rpc.call(5, EchoProgram.BULK, 8), ChunkOffer.reply(ByteBuffer.allocate(100))));
        reply(RawResponder.success(5, 4));
        replies.add(call(Rpc.call(6, EchoProgram.NULL), ChunkOffer.NONE));
        reply(RawResponder.success(6, 4));

        assertThat(replies).allSatisfy(each -> assertThat(each).isCompleted());
        requester.close();
        simulation.run();
        assertThat(responder.received).as("the calls and nothing else").hasSize(requests);
        for (int i = 0; i < requests; i++) {
            assertThat(responder.received.get(i).getInt(12))
                    .as("RDMA_MSG or RDMA_NOMSG")
                    .isIn(RDMA_MSG, RDMA_NOMSG);
            assertThat(responder.xid(i)).isEqualTo(i + 1);
        }
    }
}
