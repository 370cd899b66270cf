package org.warpnfs.rpcrdma.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.LentBytes;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;
import org.warpnfs.testkit.Seeds;

class ReplyPlanTest {
    private static final int LIMIT = 4096;

    private static RpcMessage reply(int headBytes, int... payloads) {
        List<RpcMessage.Item> items = new ArrayList<>();
        for (int i = 0; i < payloads.length; i++) {
            items.add(new RpcMessage.Item(
                    headBytes * (i + 1) / (payloads.length + 1) & ~3,
                    Payload.unpooled(ByteBuffer.allocate(payloads[i]))));
        }
        return new RpcMessage(ByteBuffer.allocate(headBytes), items);
    }

    private static WriteChunk chunk(long... lengths) {
        List<RdmaSegment> segments = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            segments.add(new RdmaSegment(100 + i, lengths[i], 0x1000L * i));
        }
        return new WriteChunk(segments);
    }

    private static ChunkLists offer(WriteChunk replyChunk, WriteChunk... writeList) {
        return new ChunkLists(List.of(), List.of(writeList), Optional.ofNullable(replyChunk));
    }

    private static ReplyPlan.Fits fits(RpcMessage reply, ChunkLists offered) {
        ReplyPlan plan = ReplyPlan.of(reply, offered, LIMIT);
        assertThat(plan).isInstanceOf(ReplyPlan.Fits.class);
        return (ReplyPlan.Fits) plan;
    }

    private static List<Long> lengths(WriteChunk chunk) {
        return chunk.segments().stream().map(RdmaSegment::lengthBytes).toList();
    }

    /** The offer of Linux for a READ of odd length: the pages, and 4 separate bytes for the pad. */
    @Test
    void oddPayload_padSegmentOffered_comesBackEmpty() {
        ReplyPlan.Fits plan = fits(reply(120, 4093), offer(null, chunk(4093, 4)));
        assertThat(lengths(plan.lists().writeList().getFirst())).containsExactly(4093L, 0L);
        assertThat(plan.writes()).hasSize(1);
        assertThat(plan.inlineBytes()).isEqualTo(120);
    }

    @Test
    void payloadOverSegments_filled_oneAfterTheOther() {
        ReplyPlan.Fits plan = fits(reply(120, 5000), offer(null, chunk(4096, 4096, 4096)));
        assertThat(lengths(plan.lists().writeList().getFirst())).containsExactly(4096L, 904L, 0L);
        assertThat(plan.writes())
                .extracting(SinkWrite::sink)
                .containsExactly(new RemoteMemory(100, 0), new RemoteMemory(101, 0x1000));
    }

    private record Range(int lengthBytes) implements FileRange {
        @Override
        public Object store() {
            return this;
        }

        @Override
        public boolean isCached(int from, int partBytes) {
            return true;
        }

        @Override
        public int read(int from, ByteBuffer sink) {
            throw new AssertionError("a plan reads nothing");
        }

        @Override
        public int sendTo(int socket, int from, int partBytes) {
            throw new AssertionError("a plan sends nothing");
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }

    @Test
    void fileRangeOverSegments_filled_oneAfterTheOther() {
        Range range = new Range(5001);
        RpcMessage reply = new RpcMessage(ByteBuffer.allocate(120), List.of(new RpcMessage.Item(100, range)));
        ReplyPlan.Fits plan = fits(reply, offer(null, chunk(4096, 4096, 4)));
        assertThat(lengths(plan.lists().writeList().getFirst())).containsExactly(4096L, 905L, 0L);
        assertThat(plan.inlineBytes()).isEqualTo(120);
        assertThat(plan.writes())
                .containsExactly(
                        new SinkWrite.OfFile(range, 0, new RemoteMemory(100, 0), 4096),
                        new SinkWrite.OfFile(range, 4096, new RemoteMemory(101, 0x1000), 905));
    }

    /** Bytes of two buffers that somebody lends. */
    private record Lent(List<ByteBuffer> buffers) implements LentBytes {
        @Override
        public int lengthBytes() {
            return buffers.stream().mapToInt(ByteBuffer::remaining).sum();
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }

    private static ByteBuffer counting(int first, int lengthBytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(lengthBytes);
        for (int i = 0; i < lengthBytes; i++) {
            buffer.put((byte) (first + i));
        }
        return buffer.flip().asReadOnlyBuffer();
    }

    private static byte[] bytesOf(List<ByteBuffer> buffers) {
        ByteBuffer all = ByteBuffer.allocate(
                buffers.stream().mapToInt(ByteBuffer::remaining).sum());
        buffers.forEach(buffer -> all.put(buffer.duplicate()));
        return all.array();
    }

    @Test
    void lentBuffersOverSegments_written_fromWhereTheyLie() {
        Lent lent = new Lent(List.of(counting(0, 3000), counting(3000, 2001)));
        RpcMessage reply = new RpcMessage(ByteBuffer.allocate(120), List.of(new RpcMessage.Item(100, lent)));
        ReplyPlan.Fits plan = fits(reply, offer(null, chunk(4096, 4096, 4)));
        assertThat(lengths(plan.lists().writeList().getFirst())).containsExactly(4096L, 905L, 0L);
        assertThat(plan.writes()).hasSize(2);
        SinkWrite.OfMemory first = (SinkWrite.OfMemory) plan.writes().get(0);
        SinkWrite.OfMemory second = (SinkWrite.OfMemory) plan.writes().get(1);
        assertThat(first.source()).extracting(ByteBuffer::isDirect).containsExactly(true, true);
        assertThat(bytesOf(first.source())).isEqualTo(bytesOf(List.of(counting(0, 4096))));
        assertThat(bytesOf(second.source())).isEqualTo(bytesOf(List.of(counting(4096, 905))));
        assertThat(lent.buffers().getFirst().position()).isZero();
    }

    @Test
    void lentBuffers_inTheMessage_areGatheredWithTheirPadAndCopiedForAKeptReply() {
        Lent lent = new Lent(List.of(counting(0, 30), counting(30, 31)));
        RpcMessage reply = new RpcMessage(ByteBuffer.allocate(8), List.of(new RpcMessage.Item(4, lent)));
        assertThat(reply.lengthBytes()).isEqualTo(8 + 64);
        byte[] expected = new byte[72];
        System.arraycopy(bytesOf(List.of(counting(0, 61))), 0, expected, 4, 61);
        assertThat(bytesOf(reply.gather())).isEqualTo(expected);
        assertThat(lent.bytes()).isEqualTo(counting(0, 61));
    }

    @Test
    void emptyWriteChunk_payload_goesInline() {
        ReplyPlan.Fits plan = fits(reply(120, 401), offer(null, chunk(), chunk(8)));
        assertThat(plan.writes()).isEmpty();
        assertThat(plan.inlineBytes()).isEqualTo(120 + 404);
        assertThat(plan.lists().writeList()).containsExactly(chunk(), chunk(0));
    }

    @Test
    void noPayload_writeChunk_comesBackUnused() {
        ReplyPlan.Fits plan = fits(reply(120), offer(null, chunk(4096)));
        assertThat(plan.lists().writeList()).containsExactly(chunk(0));
    }

    @Test
    void messageOfTheLimit_fitsInline_andOneWordMoreDoesNot() {
        ReplyPlan.Fits plan = fits(reply(LIMIT - 28), ChunkLists.NONE);
        assertThat(plan.longReply()).isFalse();
        assertThat(ReplyPlan.of(reply(LIMIT - 24), ChunkLists.NONE, LIMIT)).isInstanceOf(ReplyPlan.TooBig.class);
        ReplyPlan.Fits longReply = fits(reply(LIMIT - 24), offer(chunk(104, 65_448, 4)));
        assertThat(longReply.longReply()).isTrue();
        assertThat(longReply.inline()).isEmpty();
        assertThat(lengths(longReply.lists().replyChunk().orElseThrow())).containsExactly(104L, 3968L, 0L);
    }

    @Test
    void replyChunkTooSmallByOneByte_isTooBig() {
        assertThat(fits(reply(5000), offer(chunk(5000))).longReply()).isTrue();
        assertThat(ReplyPlan.of(reply(5000), offer(chunk(4999)), LIMIT)).isInstanceOf(ReplyPlan.TooBig.class);
    }

    @Test
    void writeChunkTooSmall_isTooBig_evenWithRoomInTheReplyChunk() {
        assertThat(ReplyPlan.of(reply(100, 5000), offer(chunk(9000), chunk(4999)), LIMIT))
                .isInstanceOf(ReplyPlan.TooBig.class);
    }

    @Test
    void hugeSegments_payload_doesNotOverflow() {
        ReplyPlan.Fits plan = fits(reply(100, 5000), offer(null, chunk(0xffffffffL, 0xffffffffL, 0xffffffffL)));
        assertThat(lengths(plan.lists().writeList().getFirst())).containsExactly(5000L, 0L, 0L);
    }

    /** Carries plans out on memory of the test, and assembles the reply as a requester does. */
    @Test
    void randomReplies_carriedOut_arriveWholeAndInBounds() {
        Seeds.each(3_000, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            int[] payloads = new int[random.nextInt(0, 4)];
            for (int i = 0; i < payloads.length; i++) {
                payloads[i] = random.nextInt(0, 1 << random.nextInt(1, 14));
            }
            RpcMessage reply = reply(4 * random.nextInt(6, 2000), payloads);
            random.nextBytes(reply.xdr().array());
            reply.items()
                    .forEach(item -> random.nextBytes(item.payload().bytes().array()));
            Map<RemoteMemory, ByteBuffer> memory = new HashMap<>();
            List<WriteChunk> writeList = new ArrayList<>();
            int chunks = random.nextInt(0, 4);
            for (int i = 0; i < chunks; i++) {
                writeList.add(randomChunk(random, memory, 5000));
            }
            WriteChunk replyChunk = random.nextBoolean() ? randomChunk(random, memory, 20_000) : null;
            ChunkLists offered = new ChunkLists(List.of(), writeList, Optional.ofNullable(replyChunk));
            switch (ReplyPlan.of(reply, offered, LIMIT)) {
                case ReplyPlan.Fits plan -> checkCarriedOut(reply, offered, plan, memory);
                case ReplyPlan.TooBig tooBig -> assertThat(tooBig.detail()).isNotBlank();
            }
        });
    }

    private static WriteChunk randomChunk(SplittableRandom random, Map<RemoteMemory, ByteBuffer> memory, int bound) {
        List<RdmaSegment> segments = new ArrayList<>();
        int count = random.nextInt(0, 4);
        for (int i = 0; i < count; i++) {
            RdmaSegment segment = new RdmaSegment(memory.size() + 1, random.nextInt(0, bound), random.nextLong());
            segments.add(segment);
            memory.put(new RemoteMemory(segment.handle(), segment.offset()), ByteBuffer.allocate((int)
                    segment.lengthBytes()));
        }
        return new WriteChunk(segments);
    }

    private static void checkCarriedOut(
            RpcMessage reply, ChunkLists offered, ReplyPlan.Fits plan, Map<RemoteMemory, ByteBuffer> memory) {
        for (SinkWrite write : plan.writes()) {
            ByteBuffer sink = memory.get(write.sink());
            ((SinkWrite.OfMemory) write).source().forEach(piece -> sink.put(piece.duplicate()));
        }
        assertThat(plan.lists().writeList()).hasSameSizeAs(offered.writeList());
        int headerBytes = 16 + plan.lists().encodedLengthBytes();
        assertThat(headerBytes + plan.inlineBytes()).isLessThanOrEqualTo(LIMIT);
        List<ByteBuffer> body =
                plan.longReply() ? gather(plan.lists().replyChunk().orElseThrow(), memory) : plan.inline();
        ByteBuffer stream = ByteBuffer.allocate(1 << 17);
        body.forEach(piece -> stream.put(piece.duplicate()));
        stream.flip();
        ByteBuffer unreduced = ByteBuffer.allocate(1 << 17);
        int xdrTaken = 0;
        for (int i = 0; i < reply.items().size(); i++) {
            RpcMessage.Item item = reply.items().get(i);
            copy(stream, unreduced, item.offsetBytes() - xdrTaken);
            xdrTaken = item.offsetBytes();
            int dataBytes = item.payload().lengthBytes();
            boolean reduced =
                    i < offered.writeList().size() && offered.writeList().get(i).lengthBytes() > 0;
            if (reduced) {
                WriteChunk filled = plan.lists().writeList().get(i);
                assertThat(filled.lengthBytes()).isEqualTo(dataBytes);
                gather(filled, memory).forEach(unreduced::put);
                unreduced.put(new byte[-dataBytes & 3]);
            } else {
                copy(stream, unreduced, dataBytes + (-dataBytes & 3));
            }
        }
        copy(stream, unreduced, stream.remaining());
        assertThat(unreduced.flip()).isEqualTo(reply.flatten());
    }

    private static List<ByteBuffer> gather(WriteChunk filled, Map<RemoteMemory, ByteBuffer> memory) {
        List<ByteBuffer> pieces = new ArrayList<>();
        for (RdmaSegment segment : filled.segments()) {
            ByteBuffer sink = memory.get(new RemoteMemory(segment.handle(), segment.offset()));
            pieces.add(sink.slice(0, (int) segment.lengthBytes()));
        }
        return pieces;
    }

    private static void copy(ByteBuffer from, ByteBuffer to, int bytes) {
        to.put(from.slice(from.position(), bytes));
        from.position(from.position() + bytes);
    }

    @Test
    void oneHandleInAllLists_invalidation_isThatOne() {
        ReadSegment read = new ReadSegment(40, new RdmaSegment(100, 1, 2));
        ChunkLists lists = new ChunkLists(List.of(read), List.of(chunk(5)), Optional.of(chunk(7)));
        assertThat(Invalidation.candidate(lists)).isEqualTo(OptionalLong.of(100));
        assertThat(Invalidation.candidate(offer(null, chunk(5, 4)))).isEmpty();
        assertThat(Invalidation.candidate(ChunkLists.NONE)).isEmpty();
        assertThat(Invalidation.candidate(offer(null, chunk(0))))
                .as("a segment without a byte may name no memory")
                .isEmpty();
    }
}
