package org.warpnfs.iwarp.io;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.FileRange;

/**
 * Walks once through a list of buffers as if they were one, or through a part of a file.
 *
 * <h2>Operation</h2>
 *
 * {@link #next} hands out the bytes in order, in slices no longer than asked for.
 *
 * <h2>Buffers</h2>
 *
 * The caller keeps the buffers, and their positions and limits do not move. The slices share the memory of the buffers.
 *
 * <h2>Errors</h2>
 *
 * Asking for more than {@link #remainingBytes()} is a bug.
 */
public final class GatherCursor {
    private final List<ByteBuffer> buffers;
    private final @Nullable FileRange range;
    private int index;
    private int offset;
    private long remainingBytes;

    public GatherCursor(List<ByteBuffer> buffers) {
        this.buffers = buffers;
        this.range = null;
        for (ByteBuffer buffer : buffers) {
            remainingBytes += buffer.remaining();
        }
    }

    /** A cursor over a part of a file range, whose bytes are taken by {@link #skip}. */
    public GatherCursor(FileRange range, int from, int lengthBytes) {
        this.buffers = List.of();
        this.range = range;
        this.offset = from;
        this.remainingBytes = lengthBytes;
    }

    /** The file range that the bytes are in; null if they are in buffers. */
    public @Nullable FileRange range() {
        return range;
    }

    /** Takes bytes of the file range and returns their offset in it. */
    public int skip(int lengthBytes) {
        int from = offset;
        offset += lengthBytes;
        remainingBytes -= lengthBytes;
        return from;
    }

    /** Bytes that {@link #next} has not handed out yet. */
    public long remainingBytes() {
        return remainingBytes;
    }

    /** The next 1 to {@code maxBytes} bytes. Shorter than {@code maxBytes} where the current buffer ends first. */
    public ByteBuffer next(int maxBytes) {
        ByteBuffer buffer = buffers.get(index);
        while (offset == buffer.remaining()) {
            buffer = buffers.get(++index);
            offset = 0;
        }
        int lengthBytes = Math.min(maxBytes, buffer.remaining() - offset);
        ByteBuffer slice = buffer.slice(buffer.position() + offset, lengthBytes);
        offset += lengthBytes;
        remainingBytes -= lengthBytes;
        return slice;
    }
}
