package org.warpnfs.nfs.io;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.CachedRange;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.Source;

/**
 * Result of one read from a file.
 *
 * <h2>Buffers</h2>
 *
 * The payload belongs to the owner of this record.
 *
 * @param payload the data; fewer than were asked for where the file ends
 * @param isEnd the file ends with these data, or before them
 */
public record FileData(Source payload, boolean isEnd) {
    /** Shorter data are read, which costs less than the calls for a range, or than to count the users of pages. */
    private static final int LEAST_BYTES_IN_PLACE = 32 << 10;

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    /** A payload for a READ of nothing, or beyond the end of every file. It takes no memory. */
    public static Payload noMemory() {
        return Payload.unpooled(NOTHING.duplicate());
    }

    /**
     * How much memory a READ takes: 0 if {@link #noMemory()} suffices.
     *
     * @param offset unsigned; beyond 2^63 there is nothing to read
     * @param count unsigned 32 bits
     * @param maxBytes limit of one READ
     */
    public static int memoryBytes(long offset, long count, int maxBytes) {
        return offset < 0 ? 0 : (int) Math.min(Math.min(count, maxBytes), Long.MAX_VALUE - offset);
    }

    /**
     * Whether data may be sent from where the backend has them, which takes no payload memory. Then {@link #inPlace} is
     * tried first.
     *
     * @param asked as {@link #memoryBytes} says
     * @param maxRangeBytes the longest file range that the transport takes; 0 if it takes none
     */
    public static boolean mayBeInPlace(int asked, int maxRangeBytes, FsLimits backend) {
        return asked >= LEAST_BYTES_IN_PLACE
                && (maxRangeBytes >= LEAST_BYTES_IN_PLACE || backend.has(Capability.LENT_PAGES));
    }

    /**
     * Takes data that the transport sends from where the backend has them: pages that it lends, or else a range of the
     * file. The length is read before the data are sent, so a client never takes old data for new ones.
     *
     * @return null if the data have to be read
     */
    public static @Nullable FileData inPlace(OpenFile file, long offset, int asked, int maxRangeBytes)
            throws FsException {
        long sizeBytes = file.sizeBytes();
        int lengthBytes = Math.clamp(sizeBytes - offset, 0, asked);
        if (lengthBytes < LEAST_BYTES_IN_PLACE) {
            return null;
        }
        FileData lent = lent(file, offset, asked);
        if (lent != null || lengthBytes > maxRangeBytes) {
            return lent;
        }
        Optional<CachedRange> cached = file.range(offset, lengthBytes);
        boolean isEnd = endsAt(offset, asked, lengthBytes, sizeBytes);
        return cached.isPresent() ? new FileData(new SentRange(cached.get()), isEnd) : null;
    }

    /**
     * Does the same as {@link #inPlace} without a wait.
     *
     * @return null if the data have to be read, or the length of the file is not at hand
     */
    public static @Nullable FileData tryInPlace(OpenFile file, long offset, int asked, int maxRangeBytes)
            throws FsException {
        // A read of nothing tells whether the length needs a wait.
        boolean waits = file.tryRead(NOTHING.duplicate(), offset) == OpenFile.WOULD_WAIT;
        return waits ? null : inPlace(file, offset, asked, maxRangeBytes);
    }

    private static @Nullable FileData lent(OpenFile file, long offset, int asked) throws FsException {
        Optional<LentPages> pages = file.lend(offset, asked);
        if (pages.isEmpty()) {
            return null;
        }
        boolean passed = false;
        try {
            SentPages data = SentPages.of(pages.get());
            boolean isEnd = endsAt(offset, asked, data.lengthBytes(), file.sizeBytes());
            passed = true;
            return new FileData(data, isEnd);
        } finally {
            if (!passed) {
                pages.get().close();
            }
        }
    }

    /**
     * Fills a payload from a file.
     *
     * @param offset unsigned
     * @param payload as large as {@link #memoryBytes} says; released if this fails
     */
    public static FileData read(OpenFile file, long offset, Payload payload) throws FsException {
        boolean passed = false;
        try {
            ByteBuffer buffer = payload.buffer();
            int asked = buffer.remaining();
            int got = fill(file, buffer, offset);
            FileData data = new FileData(payload, endsAt(offset, asked, got, file.sizeBytes()));
            passed = true;
            return data;
        } finally {
            if (!passed) {
                payload.release();
            }
        }
    }

    /**
     * Does the same as {@link #read} without a wait.
     *
     * @param payload as for {@link #read}, but it still belongs to the caller unless the result has it
     * @return null if it would have to wait
     */
    public static @Nullable FileData tryRead(OpenFile file, long offset, Payload payload) throws FsException {
        ByteBuffer buffer = payload.buffer();
        int start = buffer.position();
        int asked = buffer.remaining();
        // Nothing is asked for beyond 2^63.
        int got = file.tryRead(buffer, Math.max(offset, 0));
        buffer.position(start);
        if (got == OpenFile.WOULD_WAIT) {
            return null;
        }
        boolean isEnd = endsAt(offset, asked, got, file.sizeBytes());
        buffer.limit(start + got);
        return new FileData(payload, isEnd);
    }

    /**
     * Reads as much as the buffer takes and sets its limit to the end of what was read. Its position does not change.
     */
    static int fill(OpenFile file, ByteBuffer buffer, long offset) throws FsException {
        int start = buffer.position();
        int got = buffer.hasRemaining() ? file.read(buffer, offset) : 0;
        buffer.position(start).limit(start + got);
        return got;
    }

    /**
     * Whether a file ends with what was read, or before it (RFC 1813, section 3.3.6; RFC 8881, section 18.22.3). A file
     * that has grown since the read does not end there. But if the read returned nothing, this says that the file ends,
     * or a client would repeat the request for ever.
     *
     * @param offset unsigned: what lies beyond 2^63 is beyond the end, not an error
     * @param sizeBytes of the file after the read
     */
    static boolean endsAt(long offset, long asked, long got, long sizeBytes) {
        return offset < 0 || got >= sizeBytes - offset || (got == 0 && asked > 0);
    }
}
