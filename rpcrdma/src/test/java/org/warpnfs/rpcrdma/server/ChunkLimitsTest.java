package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.header;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.last;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.qp.QueuePairLimits;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * Chunk lists below, at and beyond each limit of a responder. A call is either served or refused under its XID, and
 * never left without an answer.
 */
class ChunkLimitsTest {
    private static final int XID = 0x1234;
    private static final long GIGABYTES_4_LESS_1 = 0xffffffffL;

    private SimulatedResponder responder = new SimulatedResponder(ResponderOptions.DEFAULT);
    private RawRequester raw = responder.connect(0);

    @AfterEach
    void close() throws Exception {
        responder.assertStillServes(raw);
        responder.close();
    }

    /** Sends a call and returns its only answer. */
    private RpcRdmaHeader answer(RpcRdmaHeader header, RpcMessage rpc) throws Exception {
        int before = raw.received.size();
        raw.send(message(header, rpc.xdr()));
        responder.settle();
        assertThat(raw.received).as("one answer").hasSize(before + 1);
        RpcRdmaHeader answer = header(last(raw));
        assertThat(answer.xid()).isEqualTo(XID);
        assertThat(answer.credits()).isPositive();
        return answer;
    }

    private static RdmaMsg call(List<ReadSegment> reads, List<WriteChunk> writes, WriteChunk reply) {
        return new RdmaMsg(XID, 32, new ChunkLists(reads, writes, Optional.ofNullable(reply)));
    }

    /** Registers memory in contiguous pieces of these lengths. */
    private List<RdmaSegment> pieces(ByteBuffer memory, AccessRight right, List<Integer> lengths) {
        MemoryRegion region = raw.register(memory, right);
        List<RdmaSegment> pieces = new ArrayList<>();
        long at = region.taggedOffset();
        for (int length : lengths) {
            pieces.add(new RdmaSegment(region.stag(), length, at));
            at += length;
        }
        return pieces;
    }

    private static List<Integer> equal(int count, int length) {
        return Collections.nCopies(count, length);
    }

    private void assertWritten(RpcRdmaHeader answer, byte[] data) throws Exception {
        assertThat(answer).isInstanceOf(RdmaMsg.class);
        ByteBuffer reply = last(raw);
        header(reply);
        ByteBuffer results = Rpc.success(XID, reply.slice());
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(7, data.length, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
    }

    private RpcRdmaHeader write(byte[] data, List<Integer> lengths) throws Exception {
        List<ReadSegment> reads = pieces(ByteBuffer.wrap(data), AccessRight.REMOTE_READ, lengths).stream()
                .map(piece -> new ReadSegment(48, piece))
                .toList();
        return answer(call(reads, List.of(), null), Rpc.call(XID, EchoProgram.WRITE, 7, data.length, 9));
    }

    @ParameterizedTest
    @CsvSource({"1, true", "127, true", "128, true", "129, false"})
    void readSegments_asManyAsThat(int count, boolean served) throws Exception {
        assertThat(HeaderLimits.DEFAULT.maxReadSegments()).isEqualTo(128);
        byte[] data = EchoProgram.pattern(8 * count, 0);
        RpcRdmaHeader answer = write(data, equal(count, 8));
        if (served) {
            assertWritten(answer, data);
        } else {
            assertThat(answer).isInstanceOf(RdmaErrorChunk.class);
            assertThat(responder.program.writes).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"2097148, true", "2097152, true", "2097153, false"})
    void readList_asLongAsThat(int lengthBytes, boolean served) throws Exception {
        assertThat(HeaderLimits.DEFAULT.maxReadListBytes()).isEqualTo(2_097_152);
        byte[] data = EchoProgram.pattern(lengthBytes, 1);
        int last = lengthBytes - 2 * 700_000;
        RpcRdmaHeader answer = write(data, List.of(700_000, 700_000, last));
        if (served) {
            assertWritten(answer, data);
        } else {
            assertThat(answer).isInstanceOf(RdmaErrorChunk.class);
        }
        assertThat(responder.pool.lentBytes()).isZero();
    }

    @Test
    void readList_over4Gigabytes_isRefusedBeforeAnythingIsMade() throws Exception {
        for (int segments = 1; segments < 4; segments++) {
            List<ReadSegment> reads =
                    Collections.nCopies(segments, new ReadSegment(48, new RdmaSegment(1, GIGABYTES_4_LESS_1, 0)));
            assertThat(answer(call(reads, List.of(), null), Rpc.call(XID, EchoProgram.WRITE, 7, -1, 9)))
                    .isInstanceOf(RdmaErrorChunk.class);
            assertThat(responder.pool.lentBytes()).isZero();
        }
    }

    @Test
    void readSegmentsWithoutAByte_anywhere_areNoData() throws Exception {
        byte[] data = EchoProgram.pattern(1001, 2);
        assertWritten(write(data, List.of(0, 500, 0, 0, 501, 0)), data);
        assertWritten(write(new byte[0], List.of(0)), new byte[0]);
    }

    /** WRITE takes one chunk. The other chunks lie beyond the end of the message, or overlap the one before. */
    @ParameterizedTest
    @CsvSource({"44, 48", "48, 52", "48, 64", "48, 4294967292"})
    void readChunks_thatOverlapOrLieBeyond_areRefusedInEitherOrder(long first, long second) throws Exception {
        List<RdmaSegment> pieces = pieces(ByteBuffer.allocate(24), AccessRight.REMOTE_READ, equal(2, 12));
        List<ReadSegment> reads = new ArrayList<>();
        reads.add(new ReadSegment(first, pieces.get(0)));
        reads.add(new ReadSegment(second, pieces.get(1)));
        for (int order = 0; order < 2; order++) {
            RpcRdmaHeader answer = answer(call(reads, List.of(), null), Rpc.call(XID, EchoProgram.WRITE, 7, 12));
            assertThat(answer).isInstanceOf(RdmaErrorChunk.class);
            Collections.reverse(reads);
        }
        assertThat(responder.program.writes).isZero();
    }

    private RpcRdmaHeader read(int count, List<WriteChunk> writes, WriteChunk reply) throws Exception {
        return answer(call(List.of(), writes, reply), Rpc.call(XID, EchoProgram.READ, count));
    }

    private static List<Long> lengths(WriteChunk chunk) {
        return chunk.segments().stream().map(RdmaSegment::lengthBytes).toList();
    }

    @ParameterizedTest
    @CsvSource({"1, true", "15, true", "16, true", "17, false"})
    void writeChunks_asManyAsThat(int count, boolean served) throws Exception {
        assertThat(HeaderLimits.DEFAULT.maxWriteChunks()).isEqualTo(16);
        ByteBuffer sink = ByteBuffer.allocate(count * 5000);
        List<WriteChunk> offered = pieces(sink, AccessRight.REMOTE_WRITE, equal(count, 5000)).stream()
                .map(piece -> new WriteChunk(List.of(piece)))
                .toList();
        RpcRdmaHeader answer = read(5000, offered, null);
        if (!served) {
            assertThat(answer).isInstanceOf(RdmaErrorChunk.class);
            return;
        }
        List<WriteChunk> answered = ((RdmaMsg) answer).lists().writeList();
        assertThat(answered).hasSize(count);
        assertThat(lengths(answered.getFirst())).containsExactly(5000L);
        assertThat(answered.subList(1, count))
                .allSatisfy(chunk -> assertThat(lengths(chunk)).containsExactly(0L));
        assertThat(sink.slice(0, 5000)).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(5000, 0)));
        assertThat(sink.slice(5000, sink.capacity() - 5000)).isEqualTo(ByteBuffer.allocate(sink.capacity() - 5000));
    }

    @ParameterizedTest
    @CsvSource({"127, true", "128, true", "129, false"})
    void segmentsOfAChunk_asManyAsThat(int count, boolean served) throws Exception {
        assertThat(HeaderLimits.DEFAULT.maxSegmentsPerChunk()).isEqualTo(128);
        ByteBuffer sink = ByteBuffer.allocate(count * 41);
        WriteChunk chunk = new WriteChunk(pieces(sink, AccessRight.REMOTE_WRITE, equal(count, 41)));
        RpcRdmaHeader write = read(count * 41, List.of(chunk), null);
        assertThat(write).isInstanceOf(served ? RdmaMsg.class : RdmaErrorChunk.class);
        if (served) {
            assertThat(((RdmaMsg) write).lists().writeList()).containsExactly(chunk);
            assertThat(sink).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(count * 41, 0)));
        }
        ByteBuffer whole = ByteBuffer.allocate(count * 41);
        WriteChunk room = new WriteChunk(pieces(whole, AccessRight.REMOTE_WRITE, equal(count, 41)));
        RpcRdmaHeader reply = read(4500, List.of(), room);
        assertThat(reply).isInstanceOf(served ? RdmaNomsg.class : RdmaErrorChunk.class);
        if (served) {
            assertThat(((RdmaNomsg) reply).lists().replyChunk().orElseThrow().lengthBytes())
                    .isEqualTo(24 + 4 + 4 + 4500 + 4);
            assertThat(whole.slice(32, 4500)).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(4500, 0)));
        }
    }

    @Test
    void writeSegmentsWithoutAByte_anywhere_stayEmpty() throws Exception {
        ByteBuffer sink = ByteBuffer.allocate(5000);
        WriteChunk chunk = new WriteChunk(pieces(sink, AccessRight.REMOTE_WRITE, List.of(0, 3000, 0, 2000, 0)));
        RpcRdmaHeader answer = read(4999, List.of(chunk), null);
        assertThat(lengths(((RdmaMsg) answer).lists().writeList().getFirst()))
                .containsExactly(0L, 3000L, 0L, 1999L, 0L);
        assertThat(sink.slice(0, 4999)).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(4999, 0)));
    }

    @Test
    void chunksWithoutAByte_leaveTheDataToTheMessage() throws Exception {
        WriteChunk none = new WriteChunk(List.of());
        WriteChunk empty = new WriteChunk(List.of(new RdmaSegment(1, 0, 0), new RdmaSegment(2, 0, 0)));
        for (WriteChunk chunk : List.of(none, empty)) {
            RpcRdmaHeader inline = read(100, List.of(chunk), chunk);
            assertThat(((RdmaMsg) inline).lists().writeList()).containsExactly(chunk);
            assertThat(((RdmaMsg) inline).lists().replyChunk()).contains(chunk);
            assertThat(read(5000, List.of(chunk), chunk)).isInstanceOf(RdmaErrorChunk.class);
        }
        ByteBuffer whole = ByteBuffer.allocate(6000);
        WriteChunk room = new WriteChunk(pieces(whole, AccessRight.REMOTE_WRITE, List.of(6000)));
        RpcRdmaHeader reply = read(5000, List.of(none), room);
        assertThat(((RdmaNomsg) reply).lists().writeList()).containsExactly(none);
        assertThat(whole.slice(32, 5000)).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(5000, 0)));
    }

    /** Memory that is claimed but does not exist is not accessed. */
    @Test
    void roomOver4Gigabytes_isNoOverflow() throws Exception {
        MemoryRegion region = raw.register(ByteBuffer.allocate(9000), AccessRight.REMOTE_WRITE);
        RdmaSegment huge = new RdmaSegment(region.stag(), GIGABYTES_4_LESS_1, region.taggedOffset());
        WriteChunk chunk = new WriteChunk(List.of(huge, huge, huge));
        RpcRdmaHeader write = read(5000, List.of(chunk), null);
        assertThat(lengths(((RdmaMsg) write).lists().writeList().getFirst())).containsExactly(5000L, 0L, 0L);
        MemoryRegion other = raw.register(ByteBuffer.allocate(9000), AccessRight.REMOTE_WRITE);
        RdmaSegment room = new RdmaSegment(other.stag(), GIGABYTES_4_LESS_1, other.taggedOffset());
        RpcRdmaHeader reply = read(5001, List.of(), new WriteChunk(List.of(room, room)));
        assertThat(lengths(((RdmaNomsg) reply).lists().replyChunk().orElseThrow()))
                .containsExactly(24 + 4 + 4 + 5004 + 4L, 0L);
    }

    /** RFC 5666, section 7: with room for a single region, a region that remained would block the next. */
    @Test
    void sinks_ofManyCalls_areRegisteredForOneEach() throws Exception {
        close();
        QueuePairConfig oneRegion = QueuePairConfig.builder()
                .limits(QueuePairLimits.builder().regions(1).build())
                .build();
        responder = new SimulatedResponder(ResponderOptions.DEFAULT, oneRegion);
        raw = responder.connect(0);
        for (int i = 0; i < 20; i++) {
            byte[] data = EchoProgram.pattern(3000 + i, 0);
            assertWritten(write(data, List.of(1000, 0, 2000 + i)), data);
            assertThat(raw.invalidated).as("the requester's own region").hasSize(i + 1);
        }
    }

    @ParameterizedTest
    @CsvSource({"2, true", "3, true", "4, false"})
    void writesOfOneReply_asManyAsTheSendQueueHolds(int count, boolean served) throws Exception {
        close();
        responder = new SimulatedResponder(
                ResponderOptions.builder().maxPostedWork(4).build());
        raw = responder.connect(0);
        ByteBuffer sink = ByteBuffer.allocate(count * 2000);
        WriteChunk chunk = new WriteChunk(pieces(sink, AccessRight.REMOTE_WRITE, equal(count, 2000)));
        assertThat(read(count * 2000, List.of(chunk), null))
                .isInstanceOf(served ? RdmaMsg.class : RdmaErrorChunk.class);
        if (!served) {
            assertThat(sink).isEqualTo(ByteBuffer.allocate(count * 2000));
        }
    }
}
