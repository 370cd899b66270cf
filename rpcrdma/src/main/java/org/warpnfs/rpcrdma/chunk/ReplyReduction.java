package org.warpnfs.rpcrdma.chunk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * A reply whose payloads have been assigned to Write chunks, each to the chunk with its number in the list, unless that
 * chunk has no room (RFC 8166, section 3.4.6).
 *
 * @param writes the RDMA Writes that fill the chunks
 * @param writeList the call's Write list with the lengths that are written
 * @param kept the payloads that stay in the stream
 * @param overflow the reason why a payload cannot be sent; the other values then have no meaning
 */
record ReplyReduction(
        List<SinkWrite> writes, List<WriteChunk> writeList, List<RpcMessage.Item> kept, Optional<String> overflow) {

    static ReplyReduction of(RpcMessage reply, ChunkLists offered) {
        List<SinkWrite> writes = new ArrayList<>();
        ChunkFiller filler = new ChunkFiller(writes);
        List<WriteChunk> writeList = new ArrayList<>(offered.writeList().size());
        List<RpcMessage.Item> kept = new ArrayList<>();
        for (int i = 0; i < reply.items().size(); i++) {
            RpcMessage.Item item = reply.items().get(i);
            WriteChunk chunk =
                    i < offered.writeList().size() ? offered.writeList().get(i) : null;
            if (chunk == null || chunk.lengthBytes() == 0) {
                kept.add(item);
                if (chunk != null) {
                    writeList.add(chunk);
                }
                continue;
            }
            if (item.payload().lengthBytes() > chunk.lengthBytes()) {
                String overflow = "result of " + item.payload().lengthBytes() + " bytes for a Write chunk of "
                        + chunk.lengthBytes();
                return new ReplyReduction(List.of(), List.of(), List.of(), Optional.of(overflow));
            }
            writeList.add(filler.fill(chunk, item.payload()));
        }
        for (int i = writeList.size(); i < offered.writeList().size(); i++) {
            writeList.add(ChunkFiller.unused(offered.writeList().get(i)));
        }
        return new ReplyReduction(writes, writeList, kept, Optional.empty());
    }
}
