package org.warpnfs.nfs.io;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.payload.Payload;

/**
 * Result of one read from a file, as data and holes (RFC 7862, section 15.10).
 *
 * <h2>Buffers</h2>
 *
 * All data are in one payload. Each segment of data is a payload of its own that is a view of a part of it. The memory
 * is given back when the last segment is released.
 *
 * @param segments in order and without a gap, from the offset that was asked for
 * @param isEnd the file ends with them, or before them
 */
public record SparseData(List<Segment> segments, boolean isEnd) {
    /**
     * A shorter hole is sent as zeroes. Then the result of READ_PLUS exceeds READ's by the head of one segment at most.
     * A Linux client has no room for more.
     */
    static final int LEAST_HOLE_BYTES = 4096;

    /** Most segments in one reply. RFC 7862 lets the server stop where it likes. */
    static final int MAX_SEGMENTS = 64;

    /** Data or a hole. */
    public sealed interface Segment {
        long offset();

        /** Bytes of the file. */
        record Data(long offset, Payload payload) implements Segment {}

        /** Zeroes, which are not sent. */
        record Hole(long offset, long lengthBytes) implements Segment {}
    }

    /**
     * Reads from a file at most as much as the payload holds.
     *
     * @param offset unsigned
     * @param payload as large as {@link FileData#memoryBytes} says; from now on it belongs to the segments, or is
     *     released
     */
    public static SparseData read(OpenFile file, long offset, Payload payload) throws FsException {
        Shared memory = new Shared(payload);
        Reading reading = new Reading(file, offset, payload.buffer().duplicate(), memory);
        boolean passed = false;
        try {
            SparseData data = reading.run();
            passed = true;
            return data;
        } finally {
            if (!passed) {
                reading.release();
            }
            memory.release();
        }
    }

    private static final class Reading {
        private final OpenFile file;
        private final long start;
        private final ByteBuffer buffer;
        private final Shared memory;
        private final List<Segment> segments = new ArrayList<>(1);
        private long position;

        Reading(OpenFile file, long start, ByteBuffer buffer, Shared memory) {
            this.file = file;
            this.start = start;
            this.buffer = buffer;
            this.memory = memory;
            this.position = start;
        }

        SparseData run() throws FsException {
            int asked = buffer.remaining();
            long size = file.sizeBytes();
            long end = start < 0 || start >= size ? start : start + Math.min(asked, size - start);
            boolean cut = false;
            while (position < end && !cut && segments.size() < MAX_SEGMENTS) {
                long data = Math.min(nextData(position, size), end);
                if (data - position >= LEAST_HOLE_BYTES) {
                    segments.add(new Segment.Hole(position, data - position));
                    position = data;
                } else {
                    cut = !addData(holeAfter(data, size, end));
                }
            }
            long after = file.sizeBytes();
            return new SparseData(segments, FileData.endsAt(start, asked, position - start, after));
        }

        /** Adds data up to {@code to}. Returns false if the file now ends before that. */
        private boolean addData(long to) throws FsException {
            int wanted = (int) (to - position);
            ByteBuffer piece = buffer.slice(buffer.position(), wanted);
            int got = FileData.fill(file, piece, position);
            if (got > 0) {
                segments.add(new Segment.Data(position, memory.view(piece)));
                buffer.position(buffer.position() + got);
                position += got;
            }
            return got == wanted;
        }

        /** Offset of the first hole at or after {@code from} that is long enough to be sent as one, or {@code end}. */
        private long holeAfter(long from, long size, long end) throws FsException {
            long at = from;
            for (int looked = 0; looked < MAX_SEGMENTS && at < end; looked++) {
                long hole = Math.min(nextHole(at, end), end);
                long data = Math.min(nextData(hole, size), end);
                if (data - hole >= LEAST_HOLE_BYTES) {
                    return hole;
                }
                at = Math.max(data, at + 1);
            }
            return end;
        }

        private long nextData(long from, long size) throws FsException {
            try {
                return file.seekData(from);
            } catch (FsException e) {
                return orElse(e, size, from);
            }
        }

        private long nextHole(long from, long end) throws FsException {
            try {
                return file.seekHole(from);
            } catch (FsException e) {
                return orElse(e, end, end);
            }
        }

        /** The offset for a failed seek. If the backend does not support holes, everything is data. */
        private static long orElse(FsException e, long none, long unknown) throws FsException {
            return switch (e.error()) {
                case NO_DEVICE -> none;
                case NOT_SUPPORTED -> unknown;
                default -> throw e;
            };
        }

        void release() {
            for (Segment segment : segments) {
                if (segment instanceof Segment.Data(var _, Payload payload)) {
                    payload.release();
                }
            }
        }
    }

    /** Memory that several payloads are views of. */
    private static final class Shared {
        private final Payload whole;
        private final AtomicInteger users = new AtomicInteger(1);

        Shared(Payload whole) {
            this.whole = whole;
        }

        Payload view(ByteBuffer piece) {
            users.incrementAndGet();
            return new View(this, piece);
        }

        void release() {
            if (users.decrementAndGet() == 0) {
                whole.release();
            }
        }
    }

    private static final class View implements Payload {
        private final Shared memory;
        private final ByteBuffer piece;
        private final AtomicBoolean released = new AtomicBoolean();

        View(Shared memory, ByteBuffer piece) {
            this.memory = memory;
            this.piece = piece;
        }

        @Override
        public ByteBuffer buffer() {
            if (released.get()) {
                throw new IllegalStateException("payload used after its release");
            }
            return piece;
        }

        @Override
        public void release() {
            if (!released.compareAndSet(false, true)) {
                throw new IllegalStateException("payload released twice");
            }
            memory.release();
        }
    }
}
