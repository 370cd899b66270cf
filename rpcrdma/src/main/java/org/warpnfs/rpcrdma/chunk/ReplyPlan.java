package org.warpnfs.rpcrdma.chunk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.FixedHeader;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * The plan of a reply: where its bytes go, given the chunks that the call offered (RFC 8166, sections 3.4.6, 3.5 and
 * 4.5.3).
 *
 * <p>Each payload goes to the Write chunk with its number in the list, if that chunk has any room. The rest of the
 * message is sent inline if it fits, else in the Reply chunk if it fits. Otherwise the reply cannot be sent. A payload
 * without a Write chunk stays in the stream, with its pad, and is not copied there either.
 */
public sealed interface ReplyPlan {
    /**
     * The reply can be sent.
     *
     * @param longReply true for RDMA_NOMSG; the writes carry the whole message, and {@code inline} is empty
     * @param writes the RDMA Writes to post before the Send, in this order
     * @param lists the chunk lists of the reply's header
     * @param inline the bytes after the header in the Send, gathered in this order
     * @param inlineBytes the length of {@code inline}
     */
    record Fits(boolean longReply, List<SinkWrite> writes, ChunkLists lists, List<ByteBuffer> inline, int inlineBytes)
            implements ReplyPlan {}

    /** The reply does not fit. The answer is ERR_CHUNK (RFC 8166, section 4.5.3). */
    record TooBig(String detail) implements ReplyPlan {}

    /**
     * Plans a reply.
     *
     * @param offered the chunk lists of the call
     * @param inlineLimitBytes the largest message that the requester receives, header included
     */
    static ReplyPlan of(RpcMessage reply, ChunkLists offered, int inlineLimitBytes) {
        ReplyReduction reduced = ReplyReduction.of(reply, offered);
        if (reduced.overflow().isPresent()) {
            return new TooBig(reduced.overflow().get());
        }
        return placeBody(RpcMessage.splice(reply.xdr(), reduced.kept()), reduced, offered, inlineLimitBytes);
    }

    private static ReplyPlan placeBody(
            List<ByteBuffer> body, ReplyReduction reduced, ChunkLists offered, int inlineLimitBytes) {
        long bodyBytes = 0;
        for (int i = 0; i < body.size(); i++) {
            ByteBuffer piece = body.get(i);
            bodyBytes += piece.remaining();
        }
        Optional<WriteChunk> unusedReplyChunk = offered.replyChunk().map(ChunkFiller::unused);
        ChunkLists inlineLists = new ChunkLists(List.of(), reduced.writeList(), unusedReplyChunk);
        int headerBytes = FixedHeader.ENCODED_BYTES + inlineLists.encodedLengthBytes();
        if (bodyBytes <= inlineLimitBytes - headerBytes) {
            return new Fits(false, reduced.writes(), inlineLists, body, (int) bodyBytes);
        }
        if (headerBytes > inlineLimitBytes) {
            return new TooBig(
                    "chunk lists of " + headerBytes + " bytes for an inline threshold of " + inlineLimitBytes);
        }
        long roomBytes = offered.replyChunk().map(WriteChunk::lengthBytes).orElse(0L);
        if (bodyBytes > roomBytes) {
            return new TooBig("reply of " + bodyBytes + " bytes for an inline threshold of " + inlineLimitBytes
                    + " and a Reply chunk of " + roomBytes);
        }
        List<SinkWrite> writes = new ArrayList<>(reduced.writes());
        ChunkFiller filler = new ChunkFiller(writes);
        Optional<WriteChunk> filled = offered.replyChunk().map(chunk -> filler.fill(chunk, body));
        return new Fits(true, writes, new ChunkLists(List.of(), reduced.writeList(), filled), List.of(), 0);
    }
}
