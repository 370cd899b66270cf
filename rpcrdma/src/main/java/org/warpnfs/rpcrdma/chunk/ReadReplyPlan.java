package org.warpnfs.rpcrdma.chunk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.FixedHeader;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * The plan of a reply that the requester reads from Read chunks, because it fits nowhere else (RFC 5666, sections 3.8
 * and 5.1; removed in RFC 8166).
 *
 * <p>Each payload without a Write chunk becomes a Read chunk, and the rest of the message is sent inline if it fits.
 * Otherwise the whole message becomes one Position-Zero Read chunk.
 *
 * @param longReply true for RDMA_NOMSG
 * @param writes the RDMA Writes to post before the Send, in this order
 * @param lists the chunk lists of the reply's header, without the Read list
 * @param readable the data for the requester to read
 * @param inline the bytes after the header in the Send, gathered in this order
 */
public record ReadReplyPlan(
        boolean longReply,
        List<SinkWrite> writes,
        ChunkLists lists,
        List<ReadableItem> readable,
        List<ByteBuffer> inline) {
    public ReadReplyPlan {
        writes = List.copyOf(writes);
        readable = List.copyOf(readable);
        inline = List.copyOf(inline);
    }

    /**
     * The data of one Read chunk.
     *
     * @param position the offset of its first byte in the unreduced reply
     * @param bytes gathered in this order
     */
    public record ReadableItem(long position, List<ByteBuffer> bytes, int lengthBytes) {
        static ReadableItem of(long position, List<ByteBuffer> bytes) {
            long lengthBytes = bytes.stream().mapToLong(ByteBuffer::remaining).sum();
            return new ReadableItem(position, bytes, Math.toIntExact(lengthBytes));
        }
    }

    /** The length of all Read chunks together. */
    public long readableBytes() {
        return readable.stream().mapToLong(ReadableItem::lengthBytes).sum();
    }

    /**
     * Plans a reply that is {@link ReplyPlan.TooBig} for {@link ReplyPlan#of}.
     *
     * @return empty if not even the header fits, or a payload is larger than its Write chunk
     */
    public static Optional<ReadReplyPlan> of(RpcMessage reply, ChunkLists offered, int inlineLimitBytes) {
        ReplyReduction reduced = ReplyReduction.of(reply, offered);
        if (reduced.overflow().isPresent()) {
            return Optional.empty();
        }
        Optional<WriteChunk> replyChunk = offered.replyChunk().map(ChunkFiller::unused);
        ChunkLists lists = new ChunkLists(List.of(), reduced.writeList(), replyChunk);
        int headerBytes = FixedHeader.ENCODED_BYTES + lists.encodedLengthBytes();
        List<ReadableItem> payloads = payloads(reply, reduced.kept());
        long roomBytes = inlineLimitBytes - headerBytes - (long) payloads.size() * (4 + ReadSegment.ENCODED_BYTES);
        if (!payloads.isEmpty() && reply.xdr().remaining() <= roomBytes) {
            return Optional.of(new ReadReplyPlan(
                    false,
                    reduced.writes(),
                    lists,
                    payloads,
                    List.of(reply.xdr().slice())));
        }
        if (headerBytes + 4 + ReadSegment.ENCODED_BYTES > inlineLimitBytes) {
            return Optional.empty();
        }
        List<ByteBuffer> body = RpcMessage.splice(reply.xdr(), reduced.kept());
        return Optional.of(
                new ReadReplyPlan(true, reduced.writes(), lists, List.of(ReadableItem.of(0, body)), List.of()));
    }

    private static List<ReadableItem> payloads(RpcMessage reply, List<RpcMessage.Item> kept) {
        List<ReadableItem> payloads = new ArrayList<>(kept.size());
        long before = 0;
        for (RpcMessage.Item item : reply.items()) {
            int lengthBytes = item.payload().lengthBytes();
            if (lengthBytes > 0 && kept.contains(item)) {
                payloads.add(ReadableItem.of(
                        item.offsetBytes() + before,
                        List.of(item.payload().bytes().slice())));
            }
            before += XdrStream.roundUp(lengthBytes);
        }
        return payloads;
    }
}
