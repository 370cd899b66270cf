package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes to be sent one after the other, some of them in memory, others in open files.
 *
 * <h2>Buffers</h2>
 *
 * Refers to buffers and files, which stay with their owner until all has been sent. The position and limit of a buffer
 * do not change.
 *
 * <p>For one thread at a time.
 */
public final class Pieces {
    /** The longest part with a {@link Trailer}, which is held in memory as a whole. */
    public static final int MAX_SEEN_BYTES = 64 << 10;

    /** Bytes behind a part of a file that depend on it, such as a checksum. */
    @FunctionalInterface
    public interface Trailer {
        /**
         * Writes them into the buffer that follows the part. Whoever sends the part calls this before, on its thread,
         * and sends these very bytes. A later call replaces what an earlier one has written.
         *
         * @param part the bytes of the whole part. Position and limit do not change
         */
        void complete(ByteBuffer part);
    }

    /**
     * A part of a file range.
     *
     * @param before how many buffers are sent before it
     * @param from offset in the range
     * @param trailer what depends on its bytes, which have to be read therefore; null if they need not be seen
     */
    public record Part(
            int before,
            FileRange range,
            int from,
            int lengthBytes,
            @Nullable Trailer trailer) {}

    private final List<ByteBuffer> buffers = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>(0);
    private long lengthBytes;

    /** Adds what is between position and limit, if there is anything. */
    public void add(ByteBuffer buffer) {
        if (buffer.hasRemaining()) {
            buffers.add(buffer);
            lengthBytes += buffer.remaining();
        }
    }

    /** Adds a part of a file range, if it is not empty. */
    public void add(FileRange range, int from, int partBytes) {
        add(range, from, partBytes, null);
    }

    /**
     * Adds a part of a file range, if it is not empty, on whose bytes others depend that follow.
     *
     * @param partBytes at most {@value #MAX_SEEN_BYTES}
     */
    public void addSeen(FileRange range, int from, int partBytes, Trailer trailer) {
        if (partBytes > MAX_SEEN_BYTES) {
            throw new IllegalArgumentException("a part of " + partBytes + " bytes is too long to be seen");
        }
        add(range, from, partBytes, trailer);
    }

    private void add(FileRange range, int from, int partBytes, @Nullable Trailer trailer) {
        if (from < 0 || partBytes < 0 || partBytes > range.lengthBytes() - from) {
            throw new IllegalArgumentException("a part of " + partBytes + " bytes at " + from
                    + " is not within a range of " + range.lengthBytes());
        }
        if (partBytes > 0) {
            parts.add(new Part(buffers.size(), range, from, partBytes, trailer));
            lengthBytes += partBytes;
        }
    }

    /** True if all of it is in memory. */
    public boolean inMemory() {
        return parts.isEmpty();
    }

    /** The bytes in memory, in order. */
    public List<ByteBuffer> buffers() {
        return buffers;
    }

    /** The bytes in files, in order. */
    public List<Part> parts() {
        return parts;
    }

    /** The length of everything. */
    public long lengthBytes() {
        return lengthBytes;
    }
}
