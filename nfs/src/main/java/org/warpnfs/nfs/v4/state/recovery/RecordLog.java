package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Records in a {@link BatchLog}, each of a kind and with a body.
 *
 * <pre>
 *   record   4 bytes    length of the body in bytes
 *            1 byte     kind; 0 ends the batch
 *            n bytes    body
 * </pre>
 *
 * <p>Each method that writes returns when it is on stable storage. After an {@link IOException}, or when the room of
 * the log is used up, the next write makes the file anew. Not safe for several threads.
 */
final class RecordLog implements AutoCloseable {
    private static final int OVERHEAD_BYTES = Integer.BYTES + Byte.BYTES;
    private static final byte END = 0;

    private final Path file;
    private final Supplier<List<ByteBuffer>> whole;
    private BatchLog log;
    /** True if an append failed. Nothing may be written after what it left. */
    private boolean halfWritten;

    /**
     * Makes the file, or replaces it.
     *
     * @param whole the fewest records that say what all of them say now
     */
    RecordLog(Path file, Supplier<List<ByteBuffer>> whole) throws IOException {
        this.file = file;
        this.whole = whole;
        this.log = anew();
    }

    /** Takes what was read. */
    @FunctionalInterface
    interface Reader {
        void accept(byte kind, byte[] body) throws IOException;
    }

    /** Reads all records of a file; NoSuchFileException if it is not there. */
    static void read(Path file, Reader reader) throws IOException {
        for (ByteBuffer batch : BatchLogReader.read(file)) {
            while (batch.remaining() >= OVERHEAD_BYTES) {
                int length = batch.getInt();
                byte kind = batch.get();
                if (kind == END) {
                    break;
                }
                if (length < 0 || length > Math.min(batch.remaining(), Opaque.MAX_LENGTH_BYTES)) {
                    throw BatchLogReader.damaged(file, "has a record that is longer than its batch");
                }
                byte[] body = new byte[length];
                batch.get(body);
                reader.accept(kind, body);
            }
        }
    }

    static ByteBuffer record(byte kind, byte[] body) {
        return ByteBuffer.allocate(OVERHEAD_BYTES + body.length)
                .putInt(body.length)
                .put(kind)
                .put(body)
                .flip();
    }

    /** Appends records as one batch. With none it does no more than mend what an earlier failure has left. */
    void append(List<ByteBuffer> records) throws IOException {
        if (records.isEmpty() && !halfWritten) {
            return;
        }
        ByteBuffer batch = joined(records);
        boolean isFull = halfWritten || !log.hasRoomFor(batch.remaining());
        // Set before the write, which may also fail because an interrupt has closed the channel.
        halfWritten = true;
        if (isFull) {
            BatchLog old = log;
            log = anew();
            old.close();
        } else {
            log.append(batch);
        }
        halfWritten = false;
    }

    private BatchLog anew() throws IOException {
        return BatchLog.replace(file, joined(whole.get()));
    }

    private static ByteBuffer joined(List<ByteBuffer> records) {
        ByteBuffer batch = ByteBuffer.allocate(
                records.stream().mapToInt(ByteBuffer::remaining).sum());
        records.forEach(batch::put);
        return batch.flip();
    }

    @Override
    public void close() {
        try {
            log.close();
        } catch (IOException e) {
            // Everything that was acknowledged has been synced already.
        }
    }
}
