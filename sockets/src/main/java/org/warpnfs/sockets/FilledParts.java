package org.warpnfs.sockets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.Pieces;

/**
 * Successive parts of a file that have been read, because bytes behind them depend on theirs. From then on they are
 * sent from memory and no longer change.
 *
 * <h2>Buffers</h2>
 *
 * Has the memory until {@link #release()}.
 *
 * <p>For one thread.
 */
final class FilledParts {
    private final List<Pieces.Part> parts;
    private final int first;
    private final int end;
    private final ByteBuffer bytes;
    private final Runnable memory;

    private FilledParts(List<Pieces.Part> parts, int first, int end, ByteBuffer bytes, Runnable memory) {
        this.parts = parts;
        this.first = first;
        this.end = end;
        this.bytes = bytes;
        this.memory = memory;
    }

    /**
     * Reads parts from {@code first} on, as many as fit and follow each other in the file. What the file has lost is
     * filled with zeroes.
     *
     * @param sink direct; holds at least one part
     * @param memory gives the sink back. Runs when this object is released, not if there is none
     * @return null if it would have to wait for a disk
     */
    static @Nullable FilledParts read(Pieces pieces, int first, ByteBuffer sink, Runnable memory) throws IOException {
        Pieces.Part start = pieces.parts().get(first);
        int end = endOf(pieces.parts(), first, sink.capacity());
        int lengthBytes = lengthBytes(pieces.parts(), first, end);
        int got = start.range().tryRead(start.from(), sink.clear().limit(lengthBytes));
        if (got == FileRange.WOULD_WAIT && end > first + 1) {
            // What is lacking may lie behind the first part.
            end = first + 1;
            got = start.range().tryRead(start.from(), sink.clear().limit(start.lengthBytes()));
        }
        return got == FileRange.WOULD_WAIT ? null : of(pieces, first, end, sink, memory);
    }

    /** How many bytes {@link #read} takes at once, if the sink holds up to that many. */
    static int wantedBytes(Pieces pieces, int first, int mostBytes) {
        return lengthBytes(pieces.parts(), first, endOf(pieces.parts(), first, mostBytes));
    }

    private static int endOf(List<Pieces.Part> parts, int first, int mostBytes) {
        int end = first + 1;
        int lengthBytes = parts.get(first).lengthBytes();
        while (end < parts.size()
                && follows(parts.get(end - 1), parts.get(end))
                && parts.get(end).lengthBytes() <= mostBytes - lengthBytes) {
            lengthBytes += parts.get(end).lengthBytes();
            end++;
        }
        return end;
    }

    private static int lengthBytes(List<Pieces.Part> parts, int first, int end) {
        int lengthBytes = 0;
        for (int part = first; part < end; part++) {
            lengthBytes += parts.get(part).lengthBytes();
        }
        return lengthBytes;
    }

    private static boolean follows(Pieces.Part one, Pieces.Part next) {
        return next.seen() && next.range() == one.range() && next.from() == one.from() + one.lengthBytes();
    }

    /**
     * Takes parts that have been read.
     *
     * @param filled the bytes from the first of them on, up to the position. The rest up to the limit was lost
     */
    static FilledParts of(Pieces pieces, int first, int end, ByteBuffer filled, Runnable memory) {
        while (filled.hasRemaining()) {
            filled.put((byte) 0);
        }
        FilledParts parts = new FilledParts(pieces.parts(), first, end, filled.flip(), memory);
        for (int part = first; part < end; part++) {
            Pieces.Trailer trailer = pieces.parts().get(part).trailer();
            if (trailer != null) {
                trailer.complete(parts.bytes(part));
            }
        }
        return parts;
    }

    boolean has(int part) {
        return part >= first && part < end;
    }

    /** The bytes of a part that this object has. */
    ByteBuffer bytes(int part) {
        Pieces.Part wanted = parts.get(part);
        return bytes.slice(wanted.from() - parts.get(first).from(), wanted.lengthBytes());
    }

    void release() {
        memory.run();
    }
}
