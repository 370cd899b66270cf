package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Set;
import org.warpnfs.stable.StableFiles;

/**
 * A file of batches. Each batch is on stable storage before the next one begins. So whatever the end of the host
 * leaves, only the last batch can be torn, and {@link BatchLogReader} can distinguish a torn batch from damage.
 *
 * <h2>Operation</h2>
 *
 * A batch takes as many {@linkplain LogSector sectors} as it needs, from the beginning of a page, so nothing that has
 * been synced is written again. The file is created with {@value #ROOM_BYTES} bytes of zeroes after its first batch,
 * then synced, and then gets its name. So its length never changes, its blocks are allocated, and what was not written
 * is zeroes. When the room is used up, a new file has to be made.
 *
 * <h2>Errors</h2>
 *
 * After an {@link IOException} of {@link #append} the file can only be read. To write, a new one has to be made. Not
 * safe for several threads.
 */
final class BatchLog implements AutoCloseable {
    static final int PAGE_BYTES = 4096;
    static final int ROOM_BYTES = 1 << 18;

    private final FileChannel channel;
    private final long lengthBytes;
    private LogSector.Tag next;
    private long position;

    private BatchLog(FileChannel channel, long lengthBytes, LogSector.Tag next, long position) {
        this.channel = channel;
        this.lengthBytes = lengthBytes;
        this.next = next;
        this.position = position;
    }

    /** Creates a file with this first batch, and replaces the existing one with it. */
    static BatchLog replace(Path file, ByteBuffer first) throws IOException {
        SecureRandom random = new SecureRandom();
        LogSector.Tag tag = new LogSector.Tag(random.nextLong(), random.nextLong(), 0);
        ByteBuffer batch = encode(tag, first);
        int position = batch.limit();
        ByteBuffer whole = ByteBuffer.allocate(position + ROOM_BYTES).put(batch).clear();
        StableFiles.replace(file, whole.array());
        FileChannel out = StableFiles.open(file, Set.of(StandardOpenOption.WRITE));
        return new BatchLog(out, whole.limit(), tag.next(), position);
    }

    /** Length of a file whose first batch has so many sectors. */
    static long lengthBytes(int sectorsOfFirst) {
        return pages(sectorsOfFirst) + ROOM_BYTES;
    }

    /** True if a batch of this length can be appended. */
    boolean hasRoomFor(int batchBytes) {
        return pages(sectors(batchBytes)) <= lengthBytes - position;
    }

    /** Appends a batch, for which there must be room. Returns once it is on stable storage. */
    void append(ByteBuffer batch) throws IOException {
        ByteBuffer encoded = encode(next, batch);
        StableFiles.write(channel, encoded, position);
        position += encoded.limit();
        next = next.next();
    }

    private static ByteBuffer encode(LogSector.Tag tag, ByteBuffer batch) {
        int count = sectors(batch.remaining());
        ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(pages(count)));
        for (int index = 0; index < count; index++) {
            LogSector.encode(tag, index, count, batch, out);
        }
        return out.clear();
    }

    private static int sectors(int batchBytes) {
        return Math.max(1, Math.ceilDiv(batchBytes, LogSector.CONTENT_BYTES));
    }

    /** Bytes of the file that so many sectors take, in whole pages. */
    static long pages(int sectors) {
        return Math.ceilDiv((long) sectors * LogSector.BYTES, (long) PAGE_BYTES) * PAGE_BYTES;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
