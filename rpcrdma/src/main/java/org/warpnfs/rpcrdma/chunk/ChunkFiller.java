package org.warpnfs.rpcrdma.chunk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.LentBytes;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.Source;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * Fills a chunk of the requester, segment by segment without gaps (RFC 8166, section 3.4.6).
 *
 * <p>The chunk in the reply has the same segments, each with the length that was written. Segments that were not used
 * have length zero. That includes the extra segment that Linux offers for the pad.
 */
final class ChunkFiller {
    private final List<SinkWrite> writes;

    ChunkFiller(List<SinkWrite> writes) {
        this.writes = writes;
    }

    /**
     * Adds the RDMA Writes that put {@code source} into {@code chunk}, which must have room for it.
     *
     * @return the chunk as it appears in the reply
     */
    WriteChunk fill(WriteChunk chunk, List<ByteBuffer> source) {
        Gather gather = new Gather(source);
        return fill(
                chunk,
                gather.remainingBytes(),
                (sink, _, lengthBytes) -> new SinkWrite.OfMemory(gather.take(lengthBytes), sink, lengthBytes));
    }

    /** Adds the RDMA Writes that put a payload into {@code chunk}, as above. */
    WriteChunk fill(WriteChunk chunk, Source payload) {
        return switch (payload) {
            case Payload bytes -> fill(chunk, List.of(bytes.buffer()));
            case LentBytes lent -> fill(chunk, lent.buffers());
            case FileRange range ->
                fill(
                        chunk,
                        range.lengthBytes(),
                        (sink, from, lengthBytes) -> new SinkWrite.OfFile(range, from, sink, lengthBytes));
        };
    }

    /** Makes the Write of the next bytes. */
    private interface Cut {
        SinkWrite write(RemoteMemory sink, int from, int lengthBytes);
    }

    private WriteChunk fill(WriteChunk chunk, long sourceBytes, Cut cut) {
        List<RdmaSegment> filled = new ArrayList<>(chunk.segments().size());
        long from = 0;
        for (RdmaSegment segment : chunk.segments()) {
            int lengthBytes = (int) Math.min(segment.lengthBytes(), sourceBytes - from);
            if (lengthBytes > 0) {
                RemoteMemory sink = new RemoteMemory(segment.handle(), segment.offset());
                writes.add(cut.write(sink, (int) from, lengthBytes));
                from += lengthBytes;
            }
            filled.add(segment.withLength(lengthBytes));
        }
        if (from < sourceBytes) {
            throw new IllegalArgumentException("chunk has no room for another " + (sourceBytes - from) + " bytes");
        }
        return new WriteChunk(filled);
    }

    /** The same chunk, with all lengths zero. */
    static WriteChunk unused(WriteChunk chunk) {
        return new WriteChunk(
                chunk.segments().stream().map(segment -> segment.withLength(0)).toList());
    }

    /** Cuts a list of buffers at any length, without moving their positions. */
    private static final class Gather {
        private final List<ByteBuffer> source;
        private long remainingBytes;
        private int index;
        private int offset;

        Gather(List<ByteBuffer> source) {
            this.source = source;
            for (ByteBuffer buffer : source) {
                remainingBytes += buffer.remaining();
            }
        }

        long remainingBytes() {
            return remainingBytes;
        }

        List<ByteBuffer> take(int lengthBytes) {
            List<ByteBuffer> taken = new ArrayList<>(2);
            int left = lengthBytes;
            while (left > 0) {
                ByteBuffer buffer = source.get(index);
                int step = Math.min(left, buffer.remaining() - offset);
                if (step > 0) {
                    taken.add(buffer.slice(buffer.position() + offset, step));
                }
                left -= step;
                offset += step;
                if (offset == buffer.remaining()) {
                    index++;
                    offset = 0;
                }
            }
            remainingBytes -= lengthBytes;
            return taken;
        }
    }
}
