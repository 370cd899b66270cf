package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.header;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.last;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/** Single rules of RFC 5666 and RFC 8166, seen from a requester that writes its messages octet by octet. */
class WireRulesTest {
    private SimulatedResponder responder =
            new SimulatedResponder(ResponderOptions.builder().messagesInUse(1).build());

    @AfterEach
    void close() {
        responder.close();
    }

    private static RdmaSegment segment(RawRequester raw, ByteBuffer memory, AccessRight right) {
        MemoryRegion region = raw.register(memory, right);
        return new RdmaSegment(region.stag(), region.lengthBytes(), region.taggedOffset());
    }

    private ByteBuffer answer(RawRequester raw, ByteBuffer message) {
        int before = raw.received.size();
        raw.send(message);
        responder.settle();
        assertThat(raw.received).hasSize(before + 1);
        return last(raw);
    }

    private static ByteBuffer hex(String words) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(words.replace(" ", "")));
    }

    /** The octets of a short call and its reply (RFC 5666, section 3.1). */
    @Test
    void shortCall_answered_isOneSendOf28OctetsAndTheMessage() {
        RawRequester raw = responder.connect(0);
        String rpcCall = "0000000b 00000000 00000002 20000099 00000003 00000000 0000000000000000 0000000000000000";
        ByteBuffer reply = answer(raw, hex("0000000b 00000001 00000020 00000000 000000000000000000000000" + rpcCall));
        assertThat(reply)
                .isEqualTo(hex("0000000b 00000001 00000020 00000000 000000000000000000000000"
                        + "0000000b 00000001 00000000 0000000000000000 00000000"));
    }

    @Test
    void firstMessage_of1024Octets_isServed() throws Exception {
        RawRequester raw = responder.connect(0);
        RpcMessage call = RpcMessage.of(
                Rpc.write(1, EchoProgram.pattern(1024 - 28 - 52, 0)).flatten());
        ByteBuffer message = inline(call);
        assertThat(message.remaining()).isEqualTo(1024);
        assertThat(header(answer(raw, message))).isInstanceOf(RdmaMsg.class);
        assertThat(responder.program.writes).isEqualTo(1);
    }

    @Test
    void message_asLongAsTheReceiveBuffer_isServed() throws Exception {
        RawRequester raw = responder.connect(0);
        ByteBuffer message = inline(RpcMessage.of(
                Rpc.write(1, EchoProgram.pattern(4096 - 28 - 52, 0)).flatten()));
        assertThat(message.remaining()).isEqualTo(4096);
        assertThat(header(answer(raw, message))).isInstanceOf(RdmaMsg.class);
        assertThat(responder.program.writes).isEqualTo(1);
    }

    /** XIDs say nothing of the order, and no other test of this module looks at it. */
    @Test
    void calls_sentAtOnce_areTakenInTheOrderOfTheirSends() throws Exception {
        RawRequester raw = responder.connect(0);
        List<Integer> xids = List.of(9, 3, 11, 1, 14, 2, 8, 13, 5, 12, 4, 10, 7, 6, 15);
        for (int xid : xids) {
            raw.send(inline(RpcMessage.of(
                    Rpc.write(xid, EchoProgram.pattern(100 * xid, xid)).flatten())));
        }
        responder.settle();
        assertThat(raw.received).extracting(reply -> reply.getInt(0)).containsExactlyElementsOf(xids);
        assertThat(responder.program.writes).isEqualTo(xids.size());
    }

    @Test
    void message_longerThanTheReceiveBuffer_endsItsConnectionAlone() throws Exception {
        RawRequester bystander = responder.connect(0);
        RawRequester raw = responder.connect(0);
        raw.send(inline(RpcMessage.of(
                Rpc.write(1, EchoProgram.pattern(4096 - 28 - 52 + 4, 0)).flatten())));
        responder.settle();
        assertThat(raw.open()).isFalse();
        assertThat(responder.count(Counter.TERMINATES_SENT)).isEqualTo(1);
        assertThat(responder.program.writes).isZero();
        responder.assertStillServes(bystander);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 2, 0xffffffffL})
    void otherVersion_isErrVersOfThatVersionWithOurRange(long version) throws Exception {
        RawRequester raw = responder.connect(0);
        // After the fixed words anything may follow. Another version has only these words in common with ours.
        ByteBuffer message = ByteBuffer.allocate(40)
                .putInt(9)
                .putInt((int) version)
                .putInt(7)
                .putInt(99)
                .clear();
        message.position(16).put(new byte[24]).rewind();
        ByteBuffer reply = answer(raw, message);
        assertThat(reply.remaining()).isEqualTo(28);
        assertThat(header(reply)).isEqualTo(new RdmaErrorVers(9, version, 1, 1, 1));
        responder.assertStillServes(raw);
    }

    @Test
    void creditsWanted_changeFromCallToCall_grantFollowsWithinBounds() throws Exception {
        RawRequester raw = responder.connect(0);
        int buffers = ResponderOptions.DEFAULT.credits();
        long[] wanted = {1, 1000, 4, 0, 0xffffffffL, 64};
        long[] granted = {1, buffers, 4, 1, buffers, buffers};
        for (int i = 0; i < wanted.length; i++) {
            ByteBuffer call = message(
                    new RdmaMsg(i, wanted[i], ChunkLists.NONE),
                    Rpc.call(i, EchoProgram.NULL).xdr());
            assertThat(header(answer(raw, call)).credits())
                    .as("wanted %d", wanted[i])
                    .isEqualTo(granted[i]);
        }
    }

    @Test
    void connection_isNotInUse_keepsItsFirstBuffersUntilManyMessagesCome() throws Exception {
        responder.close();
        responder = new SimulatedResponder(ResponderOptions.DEFAULT);
        RawRequester raw = responder.connect(0);
        int first = ResponderOptions.FIRST_CREDITS;
        long held = responder.count(Counter.RECEIVE_BUFFERS_HELD);
        for (int xid = 1; xid < ResponderOptions.MESSAGES_IN_USE; xid++) {
            assertThat(header(answer(raw, inline(Rpc.call(xid, EchoProgram.NULL))))
                            .credits())
                    .isEqualTo(first);
        }
        // A look begins the count anew.
        responder.service.endStalled(1);
        responder.settle();
        for (int xid = 1; xid < ResponderOptions.MESSAGES_IN_USE; xid++) {
            answer(raw, inline(Rpc.call(xid, EchoProgram.NULL)));
        }
        assertThat(responder.count(Counter.RECEIVE_BUFFERS_HELD)).isEqualTo(held);
        assertThat(header(answer(raw, inline(Rpc.call(99, EchoProgram.NULL)))).credits())
                .isEqualTo(32);
        assertThat(responder.count(Counter.RECEIVE_BUFFERS_HELD))
                .isEqualTo(held + ResponderOptions.DEFAULT.credits() - first);
    }

    @Test
    void failedReplies_ofEveryKind_giveTheirCreditBack() throws Exception {
        responder.close();
        responder =
                new SimulatedResponder(ResponderOptions.builder().credits(1, 1).build());
        RawRequester raw = responder.connect(0);
        for (int i = 0; i < 50; i++) {
            for (int procedure : new int[] {EchoProgram.FAIL, EchoProgram.HALF, 99}) {
                answer(raw, inline(Rpc.call(i, procedure)));
            }
            assertThat(header(answer(raw, inline(Rpc.call(i, EchoProgram.BULK, 8000)))))
                    .isInstanceOf(RdmaErrorChunk.class);
            answer(raw, inline(Rpc.call(i, EchoProgram.WRITE, 1)));
            assertThat(header(answer(raw, hex("00000009 00000001 00000001 00000001 000000000000000000000000")))
                            .credits())
                    .isEqualTo(1);
        }
        assertThat(responder.count(Counter.CREDITS_IN_USE)).isZero();
    }

    @Test
    void memoryShort_grant_shrinksToWhatIsInFlightAndGrowsAgain() throws Exception {
        RawRequester raw = responder.connect(0);
        assertThat(header(answer(raw, inline(Rpc.call(1, EchoProgram.NULL)))).credits())
                .isEqualTo(32);
        List<Payload> others = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            others.add(responder.pool.tryAcquire(2 << 20));
        }
        ReadSegment entry = new ReadSegment(48, segment(raw, ByteBuffer.allocate(9000), AccessRight.REMOTE_READ));
        raw.send(message(
                new RdmaMsg(2, 32, new ChunkLists(List.of(entry), List.of(), Optional.empty())),
                Rpc.call(2, EchoProgram.WRITE, 7, 9000, 9).xdr()));
        responder.settle();
        assertThat(header(answer(raw, inline(Rpc.call(3, EchoProgram.NULL)))).credits())
                .as("while a call waits for memory")
                .isEqualTo(1);
        others.forEach(Payload::release);
        responder.settle();
        assertThat(header(last(raw)).xid()).isEqualTo(2);
        assertThat(header(answer(raw, inline(Rpc.call(4, EchoProgram.NULL)))).credits())
                .isEqualTo(32);
    }

    /** One credit each for any number of idle clients, whatever the others hold (RFC 5666, section 3.3). */
    @Test
    void manyIdleRequesters_callAllAtOnce_eachIsServed() {
        responder.close();
        ResponderOptions few = ResponderOptions.builder()
                .credits(64, 64)
                // The limit of all is more than twice as large, because one client never gets more than it leaves to
                // others.
                .clients(ClientLimits.DEFAULT.withReceiveBuffers(3 * (4 * 10 + 3), 4 * 10 + 3))
                .maxHeldBytes(1 << 20)
                .build();
        responder = new SimulatedResponder(few);
        List<RawRequester> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(responder.connect(0));
        }
        RawRequester refused = responder.connect(0);
        all.forEach(raw -> raw.send(inline(Rpc.call(1, EchoProgram.NULL))));
        responder.settle();
        assertThat(all).allSatisfy(raw -> {
            assertThat(raw.open()).isTrue();
            assertThat(raw.received).hasSize(1);
        });
        assertThat(refused.open()).as("one for whom no buffer was left").isFalse();
    }

    @Test
    void repliesOutOfOrder_areSentAsTheyCome() throws Exception {
        RawRequester raw = responder.connect(0);
        for (int xid = 0; xid < 4; xid++) {
            raw.send(inline(Rpc.call(xid, EchoProgram.PARK)));
        }
        responder.settle();
        for (int xid : new int[] {2, 0, 3, 1}) {
            responder.program.parked.get(xid).reply(XdrVoid.XDR_VOID);
            responder.settle();
            assertThat(header(last(raw)).xid()).isEqualTo(xid);
        }
    }

    /**
     * Lengths at the end of a file: without their roundup, with it, and with it in a segment of its own (RFC 5666,
     * section 3.7).
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 4093, 4094, 4095, 4096, 4097, 4098, 4099})
    void oddWrite_inReadChunk_takesRoundupAnyWay(int count) throws Exception {
        RawRequester raw = responder.connect(0);
        byte[] data = EchoProgram.pattern(count, 5);
        ByteBuffer rpc = Rpc.call(1, EchoProgram.WRITE, 7, count, 9).xdr();
        int padBytes = -count & 3;
        for (int roundup = 0; roundup < 3; roundup++) {
            ByteBuffer source = ByteBuffer.allocate(count + (roundup == 1 ? padBytes : 0));
            source.put(data).rewind();
            List<ReadSegment> reads = new ArrayList<>();
            reads.add(new ReadSegment(48, segment(raw, source, AccessRight.REMOTE_READ)));
            if (roundup == 2 && padBytes > 0) {
                // Arbitrary octets, because they are no data.
                ByteBuffer pad = ByteBuffer.wrap(new byte[] {-1, -1, -1}, 0, padBytes);
                reads.add(new ReadSegment(48, segment(raw, pad, AccessRight.REMOTE_READ)));
            }
            ByteBuffer reply =
                    answer(raw, message(new RdmaMsg(1, 32, new ChunkLists(reads, List.of(), Optional.empty())), rpc));
            header(reply);
            ByteBuffer results = Rpc.success(1, reply.slice());
            assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                    .as("roundup %d", roundup)
                    .containsExactly(7, count, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
        }
    }

    /** A call that offers everything at once. */
    @Test
    void readChunkWriteListAndReplyChunk_inOneCall_allServeTheirPurpose() throws Exception {
        RawRequester raw = responder.connect(0);
        byte[] data = EchoProgram.pattern(6001, 2);
        ByteBuffer sink = ByteBuffer.allocate(8000);
        ByteBuffer source = ByteBuffer.wrap(data);
        RdmaSegment whole = segment(raw, source, AccessRight.REMOTE_READ);
        List<ReadSegment> reads = new ArrayList<>();
        for (int at = 0; at < 6001; at += 1000) {
            int length = Math.min(1000, 6001 - at);
            reads.add(new ReadSegment(44, new RdmaSegment(whole.handle(), length, whole.offset() + at)));
        }
        RdmaSegment room = segment(raw, sink, AccessRight.REMOTE_WRITE);
        WriteChunk write = new WriteChunk(List.of(
                new RdmaSegment(room.handle(), 4096, room.offset()),
                new RdmaSegment(room.handle(), 3904, room.offset() + 4096)));
        WriteChunk spare = new WriteChunk(List.of(segment(raw, ByteBuffer.allocate(64), AccessRight.REMOTE_WRITE)));
        ChunkLists lists = new ChunkLists(reads, List.of(write, spare), Optional.of(spare));
        ByteBuffer reply = answer(
                raw,
                message(
                        new RdmaMsg(4, 32, lists),
                        Rpc.call(4, EchoProgram.COPY, 6001).xdr()));
        ChunkLists answered = ((RdmaMsg) header(reply)).lists();
        assertThat(answered.readList()).isEmpty();
        assertThat(answered.writeList())
                .containsExactly(
                        new WriteChunk(List.of(
                                write.segments().get(0), write.segments().get(1).withLength(1905))),
                        new WriteChunk(List.of(spare.segments().getFirst().withLength(0))));
        assertThat(answered.replyChunk().orElseThrow().lengthBytes()).isZero();
        ByteBuffer results = Rpc.success(4, reply.slice());
        assertThat(results.getInt()).isEqualTo(6001);
        assertThat(results.hasRemaining()).as("the data, or a pad of theirs").isFalse();
        assertThat(sink.slice(0, 6001)).isEqualTo(ByteBuffer.wrap(data));
    }

    @Test
    void longReply_isWrittenBeforeItsSendOf48Octets() throws Exception {
        RawRequester raw = responder.connect(0);
        ByteBuffer sink = ByteBuffer.allocate(20_000);
        WriteChunk chunk = new WriteChunk(List.of(segment(raw, sink, AccessRight.REMOTE_WRITE)));
        ByteBuffer reply = answer(
                raw,
                message(
                        new RdmaMsg(0xcafe, 32, new ChunkLists(List.of(), List.of(), Optional.of(chunk))),
                        Rpc.call(0xcafe, EchoProgram.BULK, 9000).xdr()));
        assertThat(reply.remaining()).isEqualTo(48);
        RdmaNomsg header = (RdmaNomsg) header(reply);
        assertThat(header.lists().replyChunk().orElseThrow().segments())
                .containsExactly(chunk.segments().getFirst().withLength(24 + 4 + 9000));
        assertThat(sink.getInt(0)).as("the XID is the first word written").isEqualTo(0xcafe);
    }

    @Test
    void longCallAndLongReply_inOne_work() throws Exception {
        RawRequester raw = responder.connect(0);
        byte[] data = EchoProgram.pattern(70_001, 3);
        ByteBuffer body = Rpc.header(5, EchoProgram.COPY, 4 + 70_004)
                .putInt(70_001)
                .put(data)
                .put(new byte[3])
                .flip();
        ByteBuffer sink = ByteBuffer.allocate(80_000);
        RdmaSegment source = segment(raw, body, AccessRight.REMOTE_READ);
        List<ReadSegment> reads = new ArrayList<>();
        for (int at = 0; at < body.limit(); at += 30_000) {
            int length = Math.min(30_000, body.limit() - at);
            reads.add(new ReadSegment(0, new RdmaSegment(source.handle(), length, source.offset() + at)));
        }
        WriteChunk chunk = new WriteChunk(List.of(segment(raw, sink, AccessRight.REMOTE_WRITE)));
        ByteBuffer reply =
                answer(raw, new RdmaNomsg(5, 32, new ChunkLists(reads, List.of(), Optional.of(chunk))).encoded());
        assertThat(header(reply)).isInstanceOf(RdmaNomsg.class);
        ByteBuffer results = Rpc.success(5, sink);
        assertThat(results.getInt()).isEqualTo(70_001);
        assertThat(results.slice(results.position(), 70_001)).isEqualTo(ByteBuffer.wrap(data));
    }

    @Test
    void longCall_beyondOurLimit_isErrChunk() throws Exception {
        RawRequester raw = responder.connect(0);
        int limit = responder.pool.maxLengthBytes();
        ReadSegment tooMuch = new ReadSegment(0, new RdmaSegment(1, limit + 1L, 0));
        ChunkLists lists = new ChunkLists(List.of(tooMuch), List.of(), Optional.empty());
        assertThat(header(answer(raw, new RdmaNomsg(6, 32, lists).encoded()))).isInstanceOf(RdmaErrorChunk.class);
        assertThat(responder.pool.lentBytes()).isZero();
        responder.assertStillServes(raw);
    }

    /**
     * Each chunk begins on a page of the sink. So chunks within the header's limit may still need more memory than
     * there is.
     */
    @Test
    void longCall_ofChunksThatTakeMoreRoomThanTheirLengths_isErrChunk() throws Exception {
        RawRequester raw = responder.connect(0);
        int half = responder.pool.maxLengthBytes() / 2;
        List<ReadSegment> chunks = List.of(
                new ReadSegment(0, new RdmaSegment(1, half + 4, 0)),
                new ReadSegment(48, new RdmaSegment(1, half - 4, 0)));
        ChunkLists lists = new ChunkLists(chunks, List.of(), Optional.empty());
        assertThat(header(answer(raw, new RdmaNomsg(6, 32, lists).encoded()))).isInstanceOf(RdmaErrorChunk.class);
        assertThat(responder.pool.lentBytes()).isZero();
        responder.assertStillServes(raw);
    }

    @Test
    void procedureWithoutAMeaning_isErrChunkOf20Octets() throws Exception {
        RawRequester raw = responder.connect(0);
        for (String procedure : new String[] {"00000005", "ffffffff"}) {
            ByteBuffer reply = answer(raw, hex("0000abcd 00000001 00000020 " + procedure));
            assertThat(reply.remaining()).isEqualTo(20);
            assertThat(reply).isEqualTo(hex("0000abcd 00000001 00000001 00000004 00000002"));
        }
    }

    /**
     * Invalidated is a tag of that very call, with its reply, and never with an error, after which the requester keeps
     * all (RFC 8797, section 3.2).
     */
    @Test
    void remoteInvalidation_isOfTheCallsOwnTagAndNotWithErrors() throws Exception {
        RawRequester raw = responder.connect(0);
        RdmaSegment first = segment(raw, ByteBuffer.allocate(9000), AccessRight.REMOTE_WRITE);
        RdmaSegment other = segment(raw, ByteBuffer.allocate(9000), AccessRight.REMOTE_WRITE);
        read(raw, 1, 5000, first);
        assertThat(raw.invalidated).containsExactly(first.handle());
        RpcRdmaHeader error = read(raw, 2, 9001, other);
        assertThat(error).isInstanceOf(RdmaErrorChunk.class);
        assertThat(raw.invalidated).hasSize(1);
        RdmaSegment pad = segment(raw, ByteBuffer.allocate(4), AccessRight.REMOTE_WRITE);
        read(raw, 3, 4093, new RdmaSegment(other.handle(), 4093, other.offset()), pad);
        assertThat(raw.invalidated).as("with a pad segment beside it").hasSize(1);
        read(raw, 4, 4093, other);
        assertThat(raw.invalidated).containsExactly(first.handle(), other.handle());
    }

    private RpcRdmaHeader read(RawRequester raw, int xid, int count, RdmaSegment... segments) throws Exception {
        ChunkLists lists = new ChunkLists(List.of(), List.of(new WriteChunk(List.of(segments))), Optional.empty());
        return header(answer(
                raw,
                message(
                        new RdmaMsg(xid, 32, lists),
                        Rpc.call(xid, EchoProgram.READ, count).xdr())));
    }
}
