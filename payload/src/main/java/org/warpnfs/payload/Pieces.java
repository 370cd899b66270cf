package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes to be sent one after the other, some of them in memory, others in open files.
 *
 * <p>They may be cut into TCP segments at chosen places. Then each place, and the end of everything, is also the end of
 * a segment. Where segments end that are cut for other reasons, a frame has to begin.
 *
 * <h2>Buffers</h2>
 *
 * Refers to buffers and files, which stay with their owner until all has been sent. The position and limit of a buffer
 * do not change.
 *
 * <p>For one thread at a time.
 */
public final class Pieces {
    /** The longest part that is read before it is sent, and so held in memory as a whole. */
    public static final int MAX_SEEN_BYTES = 64 << 10;

    private static final int FIRST_FRAMES = 16;
    private static final int[] NO_FRAMES = {};

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
     * Bytes in memory between those of a part of a file, such as the headers of frames.
     *
     * @param bytes all gaps, one after the other
     * @param everyBytes so many bytes of the part precede each gap; at most as many follow the last
     * @param gapBytes the length of one gap
     */
    public record Gaps(ByteBuffer bytes, int everyBytes, int gapBytes) {}

    /**
     * A part of a file range.
     *
     * @param before how many buffers are sent before it
     * @param from offset in the range
     * @param lengthBytes bytes of the file
     * @param seen whether its bytes are read and then sent from memory
     * @param trailer what depends on its bytes; null if nothing does
     * @param gaps what is sent between its bytes; null for nothing
     */
    public record Part(
            int before,
            FileRange range,
            int from,
            int lengthBytes,
            boolean seen,
            @Nullable Trailer trailer,
            @Nullable Gaps gaps) {
        /** The length on the wire, with what is between the bytes of the file. */
        public int sentBytes() {
            return lengthBytes + (gaps == null ? 0 : gaps.bytes().remaining());
        }
    }

    private final List<ByteBuffer> buffers = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>(0);
    private final List<Long> segmentEnds = new ArrayList<>(0);
    private int[] frameStarts = NO_FRAMES;
    private int frames;
    private boolean inSegments;
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
        add(range, from, partBytes, false, null, null);
    }

    /**
     * Adds a part of a file range, if it is not empty, on whose bytes others depend that follow.
     *
     * @param partBytes at most {@value #MAX_SEEN_BYTES}
     */
    public void addSeen(FileRange range, int from, int partBytes, Trailer trailer) {
        addSeen(range, from, partBytes, trailer, null);
    }

    /**
     * Adds a part of a file range that is read and then sent from memory, if it is not empty.
     *
     * @param partBytes at most {@value #MAX_SEEN_BYTES}
     * @param trailer what depends on its bytes; null if nothing does
     * @param gaps what is sent between its bytes; null for nothing
     */
    public void addSeen(FileRange range, int from, int partBytes, @Nullable Trailer trailer, @Nullable Gaps gaps) {
        if (partBytes > MAX_SEEN_BYTES) {
            throw new IllegalArgumentException("a part of " + partBytes + " bytes is too long to be seen");
        }
        add(range, from, partBytes, true, trailer, gaps);
    }

    private void add(
            FileRange range, int from, int partBytes, boolean seen, @Nullable Trailer trailer, @Nullable Gaps gaps) {
        if (from < 0 || partBytes < 0 || partBytes > range.lengthBytes() - from) {
            throw new IllegalArgumentException("a part of " + partBytes + " bytes at " + from
                    + " is not within a range of " + range.lengthBytes());
        }
        if (partBytes > 0) {
            Part part = new Part(buffers.size(), range, from, partBytes, seen, trailer, gaps);
            parts.add(part);
            lengthBytes += part.sentBytes();
        }
    }

    /** Cuts these pieces into segments: the end of everything is the end of one. */
    public void cutIntoSegments() {
        inSegments = true;
    }

    /** Ends a segment behind what was added so far. */
    public void endSegment() {
        cutIntoSegments();
        segmentEnds.add(lengthBytes);
    }

    /**
     * Notes that a frame begins.
     *
     * @param at the length of what precedes it
     */
    public void beginFrame(long at) {
        if (frames == frameStarts.length) {
            frameStarts = Arrays.copyOf(frameStarts, Math.max(FIRST_FRAMES, 2 * frames));
        }
        frameStarts[frames++] = Math.toIntExact(at);
    }

    /** The offset at which the last frame begins that begins at {@code offset} or before it; 0 if none does. */
    public long lastFrame(long offset) {
        int found = find(offset);
        return found >= 0 ? offset : found == -1 ? 0 : frameStarts[-found - 2];
    }

    /** The first offset from {@code offset} on at which a frame begins, or the end of everything. */
    public long nextFrame(long offset) {
        int found = find(offset);
        return found >= 0 ? offset : -found - 1 < frames ? frameStarts[-found - 1] : lengthBytes;
    }

    private int find(long offset) {
        return Arrays.binarySearch(frameStarts, 0, frames, Math.toIntExact(offset));
    }

    /** Whether the end of everything has to be the end of a segment. */
    public boolean inSegments() {
        return inSegments;
    }

    /** Where segments have to end before the end of everything, as offsets in ascending order. */
    public List<Long> segmentEnds() {
        return segmentEnds;
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
