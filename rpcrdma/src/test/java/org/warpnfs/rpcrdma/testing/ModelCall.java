package org.warpnfs.rpcrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/** A call of {@link ModelRequester} in one of the possible ways, and its expected reply. */
public final class ModelCall {
    /** The ways in which call and reply are sent. */
    public enum Way {
        NULL_INLINE,
        WRITE_INLINE,
        WRITE_PADDED,
        WRITE_READ_CHUNK,
        WRITE_LONG,
        WRITE_LONG_AND_READ_CHUNK,
        READ_INLINE,
        READ_WRITE_CHUNK,
        READ_SPARE_WRITE_CHUNKS,
        BULK_REPLY_CHUNK,
        BULK_TOO_BIG,
        READ_EXPOSED,
        COPY_BOTH_CHUNKS,
        FAIL
    }

    private static final int WORD = 7;
    private static final int PADDING_ALIGNMENT = 512;

    private final int xid;
    private final Way way;
    private final boolean exposing;
    private final byte[] data;
    private ByteBuffer sink = ByteBuffer.allocate(0);
    private ByteBuffer replySink = ByteBuffer.allocate(0);

    /** @param exposing whether the responder exposes replies that fit nowhere else */
    public ModelCall(int xid, Way way, boolean exposing, SplittableRandom random) {
        this.xid = xid;
        this.way = way;
        this.exposing = exposing;
        int most =
                switch (way) {
                    case WRITE_INLINE, READ_INLINE -> 3000;
                    case WRITE_PADDED -> 2000;
                    default -> 1 << random.nextInt(1, 15);
                };
        int least = way == Way.BULK_TOO_BIG || way == Way.READ_EXPOSED ? 5000 : 0;
        data = EchoProgram.pattern(
                random.nextInt(least, least + most), way.name().startsWith("WRITE") ? xid : 0);
    }

    long xid() {
        return Integer.toUnsignedLong(xid);
    }

    private ByteBuffer header(int procedure, int... words) {
        ByteBuffer message = Rpc.header(xid, procedure, 4 * words.length);
        for (int word : words) {
            message.putInt(word);
        }
        return message.flip();
    }

    /** The message of this attempt, with memory registered for it. */
    ByteBuffer marshal(ModelRequester requester) {
        List<ReadSegment> reads = new ArrayList<>();
        List<WriteChunk> writes = new ArrayList<>();
        WriteChunk reply = null;
        boolean noInline = false;
        ByteBuffer body;
        switch (way) {
            case NULL_INLINE -> body = header(EchoProgram.NULL);
            case FAIL -> body = header(EchoProgram.FAIL);
            case WRITE_INLINE -> body = wholeWrite();
            case WRITE_PADDED -> {
                return paddedWrite();
            }
            case WRITE_READ_CHUNK -> {
                body = header(EchoProgram.WRITE, xid, data.length, WORD);
                readChunk(requester, reads, 48, source(requester));
            }
            case WRITE_LONG -> {
                readChunk(requester, reads, 0, wholeWrite());
                body = ByteBuffer.allocate(0);
                noInline = true;
            }
            case WRITE_LONG_AND_READ_CHUNK -> {
                readChunk(requester, reads, 48, source(requester));
                readChunk(requester, reads, 0, header(EchoProgram.WRITE, xid, data.length, WORD));
                body = ByteBuffer.allocate(0);
                noInline = true;
            }
            case READ_INLINE, READ_EXPOSED -> body = header(EchoProgram.READ, data.length);
            case READ_WRITE_CHUNK -> {
                body = header(EchoProgram.READ, data.length);
                writes.add(writeChunk(requester));
            }
            case READ_SPARE_WRITE_CHUNKS -> {
                body = header(EchoProgram.READ, data.length);
                writes.add(writeChunk(requester));
                writes.add(new WriteChunk(List.of()));
                writes.add(new WriteChunk(requester.segments(ByteBuffer.allocate(100), AccessRight.REMOTE_WRITE)));
            }
            case BULK_REPLY_CHUNK -> {
                body = header(EchoProgram.BULK, data.length);
                replySink = ByteBuffer.allocate(data.length + 40);
                reply = new WriteChunk(requester.segments(replySink, AccessRight.REMOTE_WRITE));
            }
            case BULK_TOO_BIG -> {
                body = header(EchoProgram.BULK, data.length);
                if (exposing) {
                    // The chunk is too small, and a result with a chunk of its own cannot be exposed.
                    body = header(EchoProgram.READ, data.length);
                    writes.add(new WriteChunk(requester.segments(ByteBuffer.allocate(64), AccessRight.REMOTE_WRITE)));
                }
            }
            case COPY_BOTH_CHUNKS -> {
                body = header(EchoProgram.COPY, data.length);
                readChunk(requester, reads, 44, source(requester));
                writes.add(writeChunk(requester));
            }
            default -> throw new AssertionError(way);
        }
        ChunkLists lists = new ChunkLists(reads, writes, Optional.ofNullable(reply));
        RpcRdmaHeader header = noInline ? new RdmaNomsg(xid(), 16, lists) : new RdmaMsg(xid(), 16, lists);
        return SimulatedResponder.message(header, body);
    }

    private ByteBuffer wholeWrite() {
        ByteBuffer message = Rpc.header(xid, EchoProgram.WRITE, 12 + data.length + 3)
                .putInt(xid)
                .putInt(data.length)
                .put(data);
        return message.put(new byte[-data.length & 3]).putInt(WORD).flip();
    }

    private ByteBuffer paddedWrite() {
        RdmaMsgp msgp = new RdmaMsgp(xid(), 16, PADDING_ALIGNMENT, 1, ChunkLists.NONE);
        ByteBuffer send = ByteBuffer.allocate(4096).put(msgp.encoded());
        send.put(header(EchoProgram.WRITE, xid, data.length));
        if (data.length > 0) {
            send.position(send.position() + (-send.position() & PADDING_ALIGNMENT - 1));
        }
        return send.put(data).put(new byte[-data.length & 3]).putInt(WORD).flip();
    }

    /** The data of a Read chunk, without their pad or with it at the end. */
    private ByteBuffer source(ModelRequester requester) {
        int padBytes = requester.random().nextBoolean() ? -data.length & 3 : 0;
        return ByteBuffer.wrap(Arrays.copyOf(data, data.length + padBytes));
    }

    private static void readChunk(ModelRequester requester, List<ReadSegment> reads, int position, ByteBuffer source) {
        for (RdmaSegment segment : requester.segments(source, AccessRight.REMOTE_READ)) {
            reads.add(new ReadSegment(position, segment));
        }
    }

    /** A chunk with room for the data, and sometimes for more, or for the pad as Linux offers it. */
    private WriteChunk writeChunk(ModelRequester requester) {
        int more = requester.random().nextBoolean() ? requester.random().nextInt(1, 100) : 0;
        sink = ByteBuffer.allocate(data.length + more);
        List<RdmaSegment> segments = new ArrayList<>(requester.segments(sink, AccessRight.REMOTE_WRITE));
        if (more == 0 && (data.length & 3) != 0) {
            segments.addAll(requester.segments(ByteBuffer.allocate(4), AccessRight.REMOTE_WRITE));
        }
        return new WriteChunk(segments);
    }

    /** Checks the reply and the data in its chunks. */
    void replied(ModelRequester requester, RpcRdmaHeader header, ByteBuffer inline) {
        switch (way) {
            case NULL_INLINE ->
                assertThat(Rpc.success(xid, inline(header, inline)).hasRemaining())
                        .isFalse();
            case FAIL -> Rpc.accepted(xid, 5, inline(header, inline));
            case WRITE_INLINE, WRITE_PADDED, WRITE_READ_CHUNK, WRITE_LONG, WRITE_LONG_AND_READ_CHUNK -> {
                ByteBuffer results = Rpc.success(xid, inline(header, inline));
                assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                        .as("%s", way)
                        .containsExactly(xid, data.length, EchoProgram.checksum(ByteBuffer.wrap(data)), WORD);
            }
            case READ_INLINE -> {
                ByteBuffer results = Rpc.success(xid, inline(header, inline));
                assertThat(new int[] {results.getInt(), results.getInt()}).containsExactly(0x11111111, data.length);
                assertThat(results.slice(results.position(), data.length)).isEqualTo(ByteBuffer.wrap(data));
            }
            case READ_WRITE_CHUNK, READ_SPARE_WRITE_CHUNKS -> {
                ByteBuffer results = Rpc.success(xid, inline(header, inline));
                if (sink.capacity() == 0) {
                    // A chunk without room asks for the data inline, and there are none.
                    assertThat(data).isEmpty();
                } else {
                    checkSink((RdmaMsg) header);
                }
                assertThat(new int[] {results.getInt(), results.getInt(), results.getInt()})
                        .containsExactly(0x11111111, data.length, 0x22222222);
            }
            case COPY_BOTH_CHUNKS -> {
                Rpc.success(xid, inline(header, inline));
                checkSink((RdmaMsg) header);
            }
            case BULK_REPLY_CHUNK -> checkReplyChunk(header, inline);
            case BULK_TOO_BIG -> assertThat(header).isInstanceOf(RdmaErrorChunk.class);
            case READ_EXPOSED -> {
                if (header instanceof RdmaErrorChunk) {
                    // The limit on exposed data may have been reached.
                    break;
                }
                assertThat(exposing).isTrue();
                ReadSegment exposed = ((RdmaMsg) header).lists().readList().getFirst();
                assertThat(exposed.position()).isEqualTo(32);
                Rpc.success(xid, inline);
                requester.read(xid(), exposed, read -> assertThat(read).isEqualTo(ByteBuffer.wrap(data)));
                return;
            }
            default -> throw new AssertionError(way);
        }
        requester.done();
    }

    private static ByteBuffer inline(RpcRdmaHeader header, ByteBuffer inline) {
        assertThat(header).isInstanceOf(RdmaMsg.class);
        return inline.slice();
    }

    private void checkSink(RdmaMsg header) {
        assertThat(header.lists().writeList().getFirst().lengthBytes()).isEqualTo(data.length);
        assertThat(sink.slice(0, data.length)).isEqualTo(ByteBuffer.wrap(data));
        for (int i = data.length; i < sink.capacity(); i++) {
            assertThat(sink.get(i)).as("behind the data").isZero();
        }
    }

    private void checkReplyChunk(RpcRdmaHeader header, ByteBuffer inline) {
        ByteBuffer message = inline.slice();
        if (header instanceof RdmaNomsg nomsg) {
            int lengthBytes = (int) nomsg.lists().replyChunk().orElseThrow().lengthBytes();
            assertThat(message.hasRemaining()).isFalse();
            message = replySink.slice(0, lengthBytes);
        }
        ByteBuffer results = Rpc.success(xid, message);
        assertThat(results.getInt()).isEqualTo(data.length);
        assertThat(results.slice(results.position(), data.length)).isEqualTo(ByteBuffer.wrap(data));
    }
}
