package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * Sends captured calls of a Linux client, with its own memory in their chunks. It checks each reply by the rules of the
 * Linux client ({@code rpcrdma_decode_msg}, {@code rpcrdma_decode_nomsg} in net/sunrpc/xprtrdma/rpc_rdma.c), which
 * fails a call with EIO if the reply breaks them.
 */
final class CapturedRequester implements QueuePairHandler {
    private static final int RECEIVES = 40;
    private static final int INLINE_BYTES = 4096;

    private final List<ByteBuffer> received = new ArrayList<>();
    private ByteBuffer replyMemory = ByteBuffer.allocate(0);
    private QueuePair queuePair;

    CapturedRequester(Connector connector, InetSocketAddress server) {
        ByteBuffer privateData = new PrivateData(true, INLINE_BYTES, INLINE_BYTES).encoded();
        connector.connect(server, new ConnectOptions(privateData, 128, 0), this);
    }

    /** Sends a call without chunks. */
    ByteBuffer call(Class<RdmaMsg> kind, ByteBuffer rpc, Runnable settle) throws Exception {
        assertThat(kind).isEqualTo(RdmaMsg.class);
        long xid = Integer.toUnsignedLong(rpc.getInt(0));
        return call(new RdmaMsg(xid, 128, ChunkLists.NONE), rpc, settle);
    }

    /**
     * Sends a call with the chunks that it has in the capture.
     *
     * @return the whole RPC reply, except the data in Write chunks
     */
    ByteBuffer call(RdmaMsg captured, Translation.Call translated, Runnable settle) throws Exception {
        List<ReadSegment> reads = new ArrayList<>();
        for (ReadSegment entry : captured.lists().readList()) {
            reads.add(new ReadSegment(
                    translated.position(entry.position()), mine(entry.segment(), AccessRight.REMOTE_READ)));
        }
        List<WriteChunk> writes =
                captured.lists().writeList().stream().map(this::mine).toList();
        Optional<WriteChunk> reply = captured.lists().replyChunk().map(this::mine);
        ChunkLists lists = new ChunkLists(reads, writes, reply);
        return call(new RdmaMsg(captured.xid(), captured.credits(), lists), translated.rpc(), settle);
    }

    private WriteChunk mine(WriteChunk chunk) {
        int lengthBytes = (int) chunk.lengthBytes();
        replyMemory = ByteBuffer.allocate(lengthBytes);
        List<RdmaSegment> segments = new ArrayList<>();
        int at = 0;
        for (RdmaSegment segment : chunk.segments()) {
            int step = (int) segment.lengthBytes();
            MemoryRegion region = queuePair.register(replyMemory.slice(at, step), Set.of(AccessRight.REMOTE_WRITE));
            segments.add(new RdmaSegment(region.stag(), step, region.taggedOffset()));
            at += step;
        }
        return new WriteChunk(segments);
    }

    private RdmaSegment mine(RdmaSegment segment, AccessRight right) {
        MemoryRegion region = queuePair.register(ByteBuffer.allocate((int) segment.lengthBytes()), Set.of(right));
        return new RdmaSegment(region.stag(), segment.lengthBytes(), region.taggedOffset());
    }

    private ByteBuffer call(RdmaMsg call, ByteBuffer rpc, Runnable settle) throws Exception {
        received.clear();
        queuePair.post(WorkRequest.Send.of(0, call.encoded(), rpc));
        queuePair.flush();
        settle.run();
        List<ByteBuffer> replies =
                received.stream().filter(CapturedRequester::isReply).toList();
        assertThat(replies).as("replies to %s", call).hasSize(1);
        return accept(call, replies.getFirst().duplicate());
    }

    /** Returns false for a call of the server, which has no chunks and 0 as the second word of its RPC message. */
    private static boolean isReply(ByteBuffer message) {
        return message.getInt(12) != 0
                || message.getLong(16) != 0
                || message.getInt(24) != 0
                || message.getInt(32) == 1;
    }

    private ByteBuffer accept(RdmaMsg call, ByteBuffer message) throws Exception {
        RpcRdmaHeader header = RpcRdmaHeader.parse(message, HeaderLimits.DEFAULT);
        assertThat(header.xid()).isEqualTo(call.xid());
        assertThat(header.credits()).isBetween(1L, 128L);
        ByteBuffer rpc =
                switch (header) {
                    case RdmaMsg msg -> {
                        acceptLists(call.lists(), msg.lists());
                        assertThat(msg.lists()
                                        .replyChunk()
                                        .map(WriteChunk::lengthBytes)
                                        .orElse(0L))
                                .as("a Reply chunk with an inline reply")
                                .isZero();
                        yield message.slice();
                    }
                    case RdmaNomsg nomsg -> {
                        acceptLists(call.lists(), nomsg.lists());
                        long writtenBytes = nomsg.lists().writeList().stream()
                                .mapToLong(WriteChunk::lengthBytes)
                                .sum();
                        assertThat(writtenBytes)
                                .as("Write chunks of a long reply")
                                .isZero();
                        long lengthBytes =
                                nomsg.lists().replyChunk().orElseThrow().lengthBytes();
                        assertThat(lengthBytes).isPositive();
                        assertThat(message.hasRemaining()).isFalse();
                        yield replyMemory.slice(0, (int) lengthBytes);
                    }
                    case RdmaMsgp _, RdmaDone _, RdmaErrorVers _, RdmaErrorChunk _ ->
                        throw new AssertionError(header + " answers " + call);
                };
        assertThat(Integer.toUnsignedLong(rpc.getInt(0))).isEqualTo(call.xid());
        assertThat(new int[] {rpc.getInt(4), rpc.getInt(8), rpc.getInt(12), rpc.getInt(16)})
                .as("REPLY, accepted, an empty AUTH_NONE verifier")
                .containsExactly(1, 0, 0, 0);
        assertThat(rpc.getInt(20)).as("SUCCESS").isZero();
        return rpc;
    }

    private static void acceptLists(ChunkLists offered, ChunkLists answered) {
        assertThat(answered.readList()).isEmpty();
        assertThat(answered.writeList()).hasSizeLessThanOrEqualTo(1);
        for (int i = 0; i < answered.writeList().size(); i++) {
            List<RdmaSegment> room = offered.writeList().get(i).segments();
            List<RdmaSegment> used = answered.writeList().get(i).segments();
            assertThat(used).hasSameSizeAs(room);
            for (int j = 0; j < used.size(); j++) {
                assertThat(used.get(j).handle()).isEqualTo(room.get(j).handle());
                assertThat(used.get(j).lengthBytes())
                        .isLessThanOrEqualTo(room.get(j).lengthBytes());
            }
        }
    }

    @Override
    public void created(QueuePair qp) {
        queuePair = qp;
        for (int i = 0; i < RECEIVES; i++) {
            qp.postReceive(i, ByteBuffer.allocate(INLINE_BYTES));
        }
    }

    @Override
    public void established(QueuePair qp) {
        // Nothing to do: for the server, the connection is established by the first call.
    }

    @Override
    public void completed(QueuePair qp, Completion completion) {
        if (completion instanceof Completion.Received message && message.status() == CompletionStatus.SUCCESS) {
            received.add(message.buffer());
            qp.postReceive(0, ByteBuffer.allocate(INLINE_BYTES));
        }
    }

    @Override
    public void disconnected(QueuePair qp, DisconnectReason reason) {
        // Nothing to do: a call without an answer fails the test.
    }
}
