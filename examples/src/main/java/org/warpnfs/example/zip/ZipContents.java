package org.warpnfs.example.zip;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The contents of the files of an archive. What is compressed is inflated in blocks from its start. The blocks that
 * were inflated last are kept, and for some files how far they are inflated, so that a file that is read from its start
 * to its end is inflated once.
 *
 * <p>Safe for many threads. Those that read one compressed file take turns.
 */
final class ZipContents implements AutoCloseable {
    static final int BLOCK_BYTES = 64 << 10;
    static final int KEPT_BLOCKS = 256;
    static final int KEPT_INFLATIONS = 64;

    private static final int LOCAL_SIGNATURE = 0x04034b50;
    private static final int LOCAL_BYTES = 30;

    private record BlockKey(int file, long block) {}

    private final FileChannel file;
    private final Map<BlockKey, byte[]> blocks = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Integer, Inflation> inflations = new LinkedHashMap<>(16, 0.75f, true);

    ZipContents(FileChannel file) {
        this.file = file;
    }

    long fileBytes() throws IOException {
        return file.size();
    }

    /** Fills what remains of the sink; the caller has limited it to the length of the file. */
    void read(ZipTree.Node node, ZipEntry entry, ByteBuffer sink, long offset) throws IOException {
        if (entry.method() == ZipEntry.STORED) {
            readFully(sink, dataOffset(entry) + offset);
            return;
        }
        for (long at = offset; sink.hasRemaining(); ) {
            byte[] block = block(node, entry, at / BLOCK_BYTES);
            int from = (int) (at % BLOCK_BYTES);
            int length = Math.min(sink.remaining(), block.length - from);
            sink.put(block, from, length);
            at += length;
        }
    }

    private void readFully(ByteBuffer sink, long offset) throws IOException {
        for (long at = offset; sink.hasRemaining(); ) {
            int count = file.read(sink, at);
            if (count < 0) {
                throw new IOException("the archive became shorter");
            }
            at += count;
        }
    }

    /** Where the data begin: behind the local header, whose lengths may differ from the central ones. */
    private long dataOffset(ZipEntry entry) throws IOException {
        long fileBytes = file.size();
        long at = entry.headerOffset();
        if (at < 0 || at > fileBytes - LOCAL_BYTES) {
            throw new IOException(entry.name() + ": is not in the archive");
        }
        ByteBuffer header = ByteBuffer.allocate(LOCAL_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        readFully(header, at);
        long data =
                at + LOCAL_BYTES + Short.toUnsignedInt(header.getShort(26)) + Short.toUnsignedInt(header.getShort(28));
        if (header.getInt(0) != LOCAL_SIGNATURE || entry.compressedBytes() > fileBytes - data) {
            throw new IOException(entry.name() + ": is not in the archive");
        }
        return data;
    }

    private byte[] block(ZipTree.Node node, ZipEntry entry, long wanted) throws IOException {
        byte[] known = kept(node, wanted);
        if (known != null) {
            return known;
        }
        synchronized (node) {
            known = kept(node, wanted);
            if (known != null) {
                return known;
            }
            Inflation inflation = resumable(node, wanted);
            if (inflation == null) {
                inflation = new Inflation(file, entry, dataOffset(entry));
            }
            try {
                while (true) {
                    long block = inflation.position() / BLOCK_BYTES;
                    byte[] bytes = new byte[(int) Math.min(BLOCK_BYTES, entry.sizeBytes() - block * BLOCK_BYTES)];
                    inflation.next(bytes);
                    keep(node, block, bytes);
                    if (block == wanted) {
                        keep(node, inflation, entry);
                        return bytes;
                    }
                }
            } catch (IOException | RuntimeException e) {
                inflation.close();
                throw e;
            }
        }
    }

    private synchronized byte @Nullable [] kept(ZipTree.Node node, long block) {
        return blocks.get(new BlockKey(node.index, block));
    }

    private synchronized void keep(ZipTree.Node node, long block, byte[] bytes) {
        blocks.put(new BlockKey(node.index, block), bytes);
        if (blocks.size() > KEPT_BLOCKS) {
            blocks.remove(blocks.keySet().iterator().next());
        }
    }

    /** Takes the inflation of a file, if it is not yet behind the block. */
    private synchronized @Nullable Inflation resumable(ZipTree.Node node, long block) {
        Inflation kept = inflations.remove(node.index);
        if (kept != null && kept.position() > block * BLOCK_BYTES) {
            kept.close();
            return null;
        }
        return kept;
    }

    private synchronized void keep(ZipTree.Node node, Inflation inflation, ZipEntry entry) {
        if (inflation.position() == entry.sizeBytes()) {
            inflation.close();
            return;
        }
        inflations.put(node.index, inflation);
        if (inflations.size() > KEPT_INFLATIONS) {
            Integer oldest = inflations.keySet().iterator().next();
            Inflation closed = inflations.remove(oldest);
            if (closed != null) {
                closed.close();
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        inflations.values().forEach(Inflation::close);
        inflations.clear();
        blocks.clear();
        file.close();
    }
}
