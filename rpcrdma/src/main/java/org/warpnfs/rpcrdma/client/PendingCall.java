package org.warpnfs.rpcrdma.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.chunk.CallLayout;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.FixedHeader;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * One call of the requester.
 *
 * <h2>Operation</h2>
 *
 * {@link #marshal} chooses as a Linux client does: the whole message inline if it fits, else the payloads as Read
 * chunks, else the whole message as a Position-Zero Read chunk.
 *
 * <h2>Buffers</h2>
 *
 * Memory stays registered until {@link #complete} or {@link #fail}, which also release the payloads.
 *
 * <h2>Errors</h2>
 *
 * {@link #complete} fails the call if the responder claims to have written more than there was room for. For the owner
 * thread only.
 */
final class PendingCall {
    /** The content of one Send. */
    record Marshalled(RpcRdmaHeader header, List<ByteBuffer> inline) {}

    private static final String ANSWER_NO_OFFER = "chunk lists that answer no offer";

    private final RpcMessage message;
    private final long xid;
    private final ChunkOffer offer;
    private final long deadlineNanos;
    private final ReplyHandler handler;
    private final List<MemoryRegion> regions = new ArrayList<>(2);
    private long sendId = -1;
    private boolean ended;

    PendingCall(RpcMessage message, ChunkOffer offer, long deadlineNanos, ReplyHandler handler) {
        this.message = message;
        this.xid = message.xid();
        this.offer = offer;
        this.deadlineNanos = deadlineNanos;
        this.handler = handler;
    }

    long xid() {
        return xid;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** The id of the work request that carries the call; -1 until it is posted. */
    long sendId() {
        return sendId;
    }

    void setSendId(long id) {
        sendId = id;
    }

    Marshalled marshal(QueuePair queuePair, long credits, int inlineLimitBytes) {
        List<WriteChunk> writeList = new ArrayList<>(offer.writeSinks().size());
        for (ByteBuffer sink : offer.writeSinks()) {
            writeList.add(writeChunk(queuePair, sink));
        }
        Optional<WriteChunk> replyChunk = offer.replySink().map(sink -> writeChunk(queuePair, sink));
        ChunkLists noReads = new ChunkLists(List.of(), writeList, replyChunk);
        int room = inlineLimitBytes - FixedHeader.ENCODED_BYTES - noReads.encodedLengthBytes();
        if (message.lengthBytes() <= room) {
            return new Marshalled(new RdmaMsg(xid(), credits, noReads), message.gather());
        }
        long readListBytes = message.items().size() * (4L + ReadSegment.ENCODED_BYTES);
        if (!message.items().isEmpty() && message.xdr().remaining() <= room - readListBytes) {
            ChunkLists lists = new ChunkLists(readList(queuePair), writeList, replyChunk);
            return new Marshalled(new RdmaMsg(xid(), credits, lists), List.of(message.xdr()));
        }
        ByteBuffer flat = ByteBuffer.allocateDirect(Math.toIntExact(message.lengthBytes()));
        message.gather().forEach(piece -> flat.put(piece.duplicate()));
        ReadSegment whole = new ReadSegment(0, readable(queuePair, flat.flip()));
        ChunkLists lists = new ChunkLists(List.of(whole), writeList, replyChunk);
        return new Marshalled(new RdmaNomsg(xid(), credits, lists), List.of());
    }

    private List<ReadSegment> readList(QueuePair queuePair) {
        List<ReadSegment> entries = new ArrayList<>(message.items().size());
        long before = 0;
        for (RpcMessage.Item item : message.items()) {
            ByteBuffer data = item.payload().bytes();
            if (data.hasRemaining()) {
                entries.add(new ReadSegment(item.offsetBytes() + before, readable(queuePair, data)));
                before += XdrStream.roundUp(data.remaining());
            }
        }
        return entries;
    }

    private RdmaSegment readable(QueuePair queuePair, ByteBuffer data) {
        return segment(queuePair.register(data, Set.of(AccessRight.REMOTE_READ)));
    }

    private WriteChunk writeChunk(QueuePair queuePair, ByteBuffer sink) {
        return new WriteChunk(List.of(segment(queuePair.register(sink, Set.of(AccessRight.REMOTE_WRITE)))));
    }

    private RdmaSegment segment(MemoryRegion region) {
        regions.add(region);
        return new RdmaSegment(region.stag(), region.lengthBytes(), region.taggedOffset());
    }

    /** Whether the call offered memory under this steering tag. */
    boolean owns(long stag) {
        for (MemoryRegion region : regions) {
            if (region.stag() == stag) {
                return true;
            }
        }
        return false;
    }

    /**
     * A reply that reports success has arrived.
     *
     * @param inline the bytes after the header; read before this returns
     * @return null, or a fault of the reply, with which the call has failed
     */
    @Nullable
    String complete(RpcRdmaHeader header, ChunkLists lists, ByteBuffer inline) {
        end();
        List<ByteBuffer> written = written(lists);
        if (written == null || !lists.readList().isEmpty()) {
            return bad(ANSWER_NO_OFFER);
        }
        long replyBytes = lists.replyChunk().map(WriteChunk::lengthBytes).orElse(0L);
        if (!(header instanceof RdmaNomsg)) {
            return replyBytes == 0
                    ? inline(header, inline, written)
                    : bad("an inline reply that says the Reply chunk has " + replyBytes + " bytes");
        }
        ByteBuffer sink = offer.replySink().orElse(null);
        if (sink == null || replyBytes == 0 || replyBytes > sink.remaining()) {
            return bad("a long reply of " + replyBytes + " bytes that does not fit what was offered");
        }
        return good(XdrStream.of(sink.slice(sink.position(), (int) replyBytes)), written);
    }

    private @Nullable String inline(RpcRdmaHeader header, ByteBuffer inline, List<ByteBuffer> written) {
        if (!(header instanceof RdmaMsgp msgp)) {
            return good(XdrStream.of(inline), written);
        }
        CallLayout layout;
        try {
            layout = CallLayout.ofPadded(msgp, inline.remaining());
        } catch (RpcRdmaViolation violation) {
            return bad(String.valueOf(violation.getMessage()));
        }
        return good(layout.assemble(inline, List.of()), written);
    }

    /**
     * A reply with a Read list has been read.
     *
     * @return null, or a fault of the reply, with which the call has failed
     */
    @Nullable
    String completeRead(ChunkLists lists, XdrStream reply) {
        end();
        List<ByteBuffer> written = written(lists);
        if (written == null || lists.replyChunk().map(WriteChunk::lengthBytes).orElse(0L) > 0) {
            return bad(ANSWER_NO_OFFER);
        }
        handler.replied(reply, written);
        return null;
    }

    /** The data written into each sink; null if the responder claims to have written what it was not offered. */
    private @Nullable List<ByteBuffer> written(ChunkLists lists) {
        if (lists.writeList().size() > offer.writeSinks().size()) {
            return null;
        }
        List<ByteBuffer> written = new ArrayList<>(lists.writeList().size());
        for (int i = 0; i < lists.writeList().size(); i++) {
            ByteBuffer sink = offer.writeSinks().get(i);
            long bytes = lists.writeList().get(i).lengthBytes();
            if (bytes > sink.remaining()) {
                return null;
            }
            written.add(sink.slice(sink.position(), (int) bytes));
        }
        return written;
    }

    private @Nullable String good(XdrStream reply, List<ByteBuffer> written) {
        handler.replied(reply, written);
        return null;
    }

    /** Fails the call because its reply is not valid. */
    String bad(String detail) {
        end();
        handler.failed(new RequestException(RequestException.Failure.BAD_REPLY, detail));
        return detail;
    }

    void fail(RequestException.Failure failure, String detail) {
        end();
        handler.failed(new RequestException(failure, detail));
    }

    /** Invalidates the memory that the responder could access. */
    private void end() {
        if (!ended) {
            ended = true;
            regions.forEach(MemoryRegion::invalidate);
            message.release();
        }
    }
}
