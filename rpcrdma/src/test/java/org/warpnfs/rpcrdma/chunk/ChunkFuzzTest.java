package org.warpnfs.rpcrdma.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/** Arbitrary chunk lists: a call is refused or assembled, and a reply is refused or sent where there is room for it. */
class ChunkFuzzTest {
    private static final HeaderLimits LIMITS = new HeaderLimits(8, 4, 8, 1 << 16);
    private static final int INLINE_LIMIT_BYTES = 1024;

    /**
     * A whole message. Its header determines the positions of the chunks, and the bytes after it are decoded in every
     * way.
     */
    @FuzzTest
    void anyCall_laidOut_isRefusedOrPutTogether(byte[] input) {
        ByteBuffer message = ByteBuffer.wrap(input);
        try {
            RpcRdmaHeader header = RpcRdmaHeader.parse(message, LIMITS);
            CallLayout layout =
                    switch (header) {
                        case RdmaMsg msg ->
                            CallLayout.ofInline(msg.xid(), msg.lists().readList(), message.remaining());
                        case RdmaNomsg nomsg ->
                            CallLayout.ofLong(nomsg.xid(), nomsg.lists().readList());
                        case RdmaMsgp msgp -> CallLayout.ofPadded(msgp, message.remaining());
                        case RdmaDone done -> null;
                        case RdmaErrorVers error -> null;
                        case RdmaErrorChunk error -> null;
                    };
            if (layout != null) {
                checkAssembled(layout, message);
            }
        } catch (RpcRdmaViolation violation) {
            assertThat(violation.answer()).isNotNull();
        }
    }

    private static void checkAssembled(CallLayout layout, ByteBuffer inline) {
        List<ByteBuffer> pulled = new ArrayList<>();
        long lengthBytes = layout.longCall() ? 0 : inline.remaining();
        for (ReadChunk chunk : layout.chunks()) {
            ByteBuffer bytes = ByteBuffer.allocate(chunk.lengthBytes());
            for (int i = 0; i < bytes.capacity(); i++) {
                bytes.put(i, (byte) (i % 5 == 0 ? i : 0));
            }
            pulled.add(bytes);
            lengthBytes += layout.longCall() && chunk.position() == 0
                    ? chunk.lengthBytes()
                    : XdrStream.roundUp(chunk.lengthBytes());
        }
        XdrStream stream = layout.assemble(inline, pulled);
        assertThat(stream.lengthBytes()).isEqualTo(lengthBytes);
        byte[] all = new byte[stream.remainingBytes()];
        stream.read(all, 0, all.length);
        assertThat(stream.remainingBytes()).isZero();
        stream.rewind();
        while (stream.remainingBytes() >= 8) {
            int before = stream.remainingBytes();
            int count = stream.readInt();
            if (count < 0 || !stream.beginCounted(count)) {
                continue;
            }
            int left = stream.remainingBytes();
            if (count <= left && XdrStream.roundUp(count) <= left) {
                assertThat(stream.counted(count).remaining()).isEqualTo(count);
            }
            assertThat(stream.remainingBytes()).isLessThan(before);
            assertThat(stream.position()).isBetween(0, all.length);
        }
    }

    /** The lists of a call, and a reply whose size and payloads are determined by the XID and the credits. */
    @FuzzTest
    void anyOffer_replied_isRefusedOrKeptTo(byte[] input) {
        ChunkLists offered;
        RpcMessage reply;
        try {
            RpcRdmaHeader header = RpcRdmaHeader.parse(ByteBuffer.wrap(input), LIMITS);
            if (!(header instanceof RdmaMsg msg)) {
                return;
            }
            offered = msg.lists();
            reply = reply((int) msg.xid(), (int) msg.credits());
        } catch (RpcRdmaViolation violation) {
            return;
        }
        switch (ReplyPlan.of(reply, offered, INLINE_LIMIT_BYTES)) {
            case ReplyPlan.Fits fits -> {
                checkWrites(fits.writes(), offered, fits.lists());
                int headerBytes = 16 + fits.lists().encodedLengthBytes();
                assertThat(headerBytes + fits.inlineBytes()).isLessThanOrEqualTo(INLINE_LIMIT_BYTES);
            }
            case ReplyPlan.TooBig tooBig ->
                ReadReplyPlan.of(reply, offered, INLINE_LIMIT_BYTES).ifPresent(plan -> {
                    checkWrites(plan.writes(), offered, plan.lists());
                    long inlineBytes = plan.inline().stream()
                            .mapToLong(ByteBuffer::remaining)
                            .sum();
                    long headerBytes = 16
                            + plan.lists().encodedLengthBytes()
                            + 24L * plan.readable().size();
                    assertThat(headerBytes + inlineBytes).isLessThanOrEqualTo(INLINE_LIMIT_BYTES);
                    assertThat(plan.readable()).isNotEmpty();
                });
        }
    }

    private static RpcMessage reply(int sizes, int payloads) {
        int xdrBytes = 24 + (sizes & 0x7fc);
        List<RpcMessage.Item> items = new ArrayList<>();
        int count = payloads & 3;
        for (int i = 0; i < count; i++) {
            int lengthBytes = (payloads >>> (4 + 8 * i)) & 0xfff;
            int offset = 24 + (xdrBytes - 24) / count * i & ~3;
            items.add(new RpcMessage.Item(offset, Payload.unpooled(ByteBuffer.allocate(lengthBytes))));
        }
        return new RpcMessage(ByteBuffer.allocate(xdrBytes), items);
    }

    private static void checkWrites(List<SinkWrite> writes, ChunkLists offered, ChunkLists answered) {
        assertThat(answered.writeList()).hasSameSizeAs(offered.writeList());
        List<RdmaSegment> room = new ArrayList<>();
        offered.writeList().forEach(chunk -> room.addAll(chunk.segments()));
        offered.replyChunk().ifPresent(chunk -> room.addAll(chunk.segments()));
        List<RdmaSegment> used = new ArrayList<>();
        answered.writeList().forEach(chunk -> used.addAll(chunk.segments()));
        answered.replyChunk().map(WriteChunk::segments).ifPresent(used::addAll);
        assertThat(used).hasSameSizeAs(room);
        List<SinkWrite> expected = new ArrayList<>();
        for (int i = 0; i < used.size(); i++) {
            RdmaSegment segment = used.get(i);
            assertThat(segment.handle()).isEqualTo(room.get(i).handle());
            assertThat(segment.offset()).isEqualTo(room.get(i).offset());
            assertThat(segment.lengthBytes()).isLessThanOrEqualTo(room.get(i).lengthBytes());
            if (segment.lengthBytes() > 0) {
                expected.add(new SinkWrite.OfMemory(
                        List.of(), new RemoteMemory(segment.handle(), segment.offset()), (int) segment.lengthBytes()));
            }
        }
        assertThat(writes).hasSameSizeAs(expected);
        for (int i = 0; i < writes.size(); i++) {
            assertThat(writes.get(i).sink()).isEqualTo(expected.get(i).sink());
            assertThat(writes.get(i).lengthBytes()).isEqualTo(expected.get(i).lengthBytes());
            assertThat(((SinkWrite.OfMemory) writes.get(i))
                            .source().stream().mapToLong(ByteBuffer::remaining).sum())
                    .isEqualTo(writes.get(i).lengthBytes());
        }
    }
}
