package org.warpnfs.nfs.io;

import java.nio.ByteBuffer;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.payload.Payload;

/**
 * Result of one read from a file.
 *
 * <h2>Buffers</h2>
 *
 * The payload belongs to the owner of this record.
 *
 * @param payload the data, from position to limit; fewer than were asked for where the file ends
 * @param isEnd the file ends with these data, or before them
 * @param after the file's attributes, read after the data
 */
public record FileData(Payload payload, boolean isEnd, FileAttributes after) {
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
            FileAttributes after = file.attributes();
            FileData data = new FileData(payload, endsAt(offset, asked, got, after.sizeBytes()), after);
            passed = true;
            return data;
        } finally {
            if (!passed) {
                payload.release();
            }
        }
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
