package org.warpnfs.example.zip;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Inflates one file from its start to its end. For one thread at a time. */
final class Inflation implements AutoCloseable {
    private static final int INPUT_BYTES = 16 << 10;

    private final FileChannel file;
    private final ZipEntry entry;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private final ByteBuffer input = ByteBuffer.allocate(INPUT_BYTES);
    private long inputAt;
    private long inputLeft;
    private long outputBytes;

    Inflation(FileChannel file, ZipEntry entry, long dataOffset) {
        this.file = file;
        this.entry = entry;
        this.inputAt = dataOffset;
        this.inputLeft = entry.compressedBytes();
    }

    /** How far it is. */
    long position() {
        return outputBytes;
    }

    /** Fills the whole of {@code block}, which must not go beyond the end that the archive claims. */
    void next(byte[] block) throws IOException {
        int filled = 0;
        try {
            while (filled < block.length) {
                int count = inflater.inflate(block, filled, block.length - filled);
                filled += count;
                if (count == 0 && (inflater.finished() || inflater.needsDictionary() || !refill())) {
                    throw new IOException(entry.name() + ": is shorter than the archive claims");
                }
            }
        } catch (DataFormatException e) {
            throw new IOException(entry.name() + ": cannot be inflated", e);
        }
        crc.update(block);
        outputBytes += filled;
        if (outputBytes == entry.sizeBytes() && crc.getValue() != entry.crc()) {
            throw new IOException(entry.name() + ": has another checksum than the archive claims");
        }
    }

    private boolean refill() throws IOException {
        if (!inflater.needsInput() || inputLeft == 0) {
            return false;
        }
        int count = file.read(input.clear().limit((int) Math.min(INPUT_BYTES, inputLeft)), inputAt);
        if (count <= 0) {
            return false;
        }
        inputAt += count;
        inputLeft -= count;
        inflater.setInput(input.flip());
        return true;
    }

    @Override
    public void close() {
        inflater.end();
    }
}
