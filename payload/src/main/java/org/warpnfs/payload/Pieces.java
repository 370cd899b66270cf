package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

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
    /**
     * A part of a file range.
     *
     * @param before how many buffers are sent before it
     * @param from offset in the range
     */
    public record Part(int before, FileRange range, int from, int lengthBytes) {}

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
        if (from < 0 || partBytes < 0 || partBytes > range.lengthBytes() - from) {
            throw new IllegalArgumentException("a part of " + partBytes + " bytes at " + from
                    + " is not within a range of " + range.lengthBytes());
        }
        if (partBytes > 0) {
            parts.add(new Part(buffers.size(), range, from, partBytes));
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
