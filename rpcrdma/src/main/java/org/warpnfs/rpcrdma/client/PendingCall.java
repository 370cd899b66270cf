package org.warpnfs.rpcrdma.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.FixedHeader;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * One call of the requester's.
 *
 * <h2>Operation</h2>
 *
 * {@link #marshal} chooses as a Linux client does: all inline if it fits; else the payloads as Read chunks; else the whole
 * message as a Position-Zero Read chunk.
 *
 * <h2>Buffers</h2>
 *
 * What is registered stays so until {@link #end}. Payloads are released there too.
 *
 * <h2>Errors</h2>
 *
 * {@link #complete} fails the call if the responder says that it wrote more than there was room for. Owner thread only.
 */
final class PendingCall {
    /** What goes in one Send. */
    record Marshalled(RpcRdmaHeader header, List<ByteBuffer> inline) {}

    private final RpcMessage message;
    private final ChunkOffer offer;
    private final CompletableFuture<RequesterReply> result;
    private final List<MemoryRegion> regions = new ArrayList<>(2);
    private boolean ended;

    PendingCall(RpcMessage message, ChunkOffer offer, CompletableFuture<RequesterReply> result) {
        this.message = message;
        this.offer = offer;
        this.result = result;
    }

    long xid() {
        return Integer.toUnsignedLong(message.xdr().getInt(message.xdr().position()));
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
            ByteBuffer data = item.payload().buffer();
            entries.add(new ReadSegment(item.offsetBytes() + before, readable(queuePair, data)));
            before += XdrStream.roundUp(data.remaining());
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

    /** A reply with a header that says success has come; {@code inline} follows the header. */
    void complete(RpcRdmaHeader header, ChunkLists lists, ByteBuffer inline) {
        end();
        List<WriteChunk> writeList = lists.writeList();
        if (!lists.readList().isEmpty() || writeList.size() > offer.writeSinks().size()) {
            fail(RequestException.Failure.BAD_REPLY, "chunk lists that answer no offer");
            return;
        }
        List<ByteBuffer> written = new ArrayList<>(writeList.size());
        for (int i = 0; i < writeList.size(); i++) {
            ByteBuffer sink = offer.writeSinks().get(i);
            long bytes = writeList.get(i).lengthBytes();
            if (bytes > sink.remaining()) {
                fail(RequestException.Failure.BAD_REPLY, "a Write chunk with more in it than fits");
                return;
            }
            written.add(sink.slice(sink.position(), (int) bytes));
        }
        long replyBytes = lists.replyChunk().map(WriteChunk::lengthBytes).orElse(0L);
        boolean longReply = header instanceof RdmaNomsg;
        if (longReply ? offer.replySink().isEmpty() || replyBytes == 0 : replyBytes != 0) {
            fail(RequestException.Failure.BAD_REPLY, "message type and Reply chunk disagree");
            return;
        }
        if (!longReply) {
            ByteBuffer copy = ByteBuffer.allocate(inline.remaining()).put(inline);
            result.complete(new RequesterReply(copy.flip(), written));
            return;
        }
        ByteBuffer sink = offer.replySink().orElseThrow();
        if (replyBytes > sink.remaining()) {
            fail(RequestException.Failure.BAD_REPLY, "a Reply chunk with more in it than fits");
            return;
        }
        result.complete(new RequesterReply(sink.slice(sink.position(), (int) replyBytes), written));
    }

    void fail(RequestException.Failure failure, String detail) {
        end();
        result.completeExceptionally(new RequestException(failure, detail));
    }

    /** Takes back what the responder could reach. */
    private void end() {
        if (!ended) {
            ended = true;
            regions.forEach(MemoryRegion::invalidate);
            message.release();
        }
    }
}
