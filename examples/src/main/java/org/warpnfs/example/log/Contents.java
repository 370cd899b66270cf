package org.warpnfs.example.log;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The contents of a file in chunks. A chunk that was never written is zero and takes no space. */
final class Contents {
    static final int CHUNK_BYTES = 4096;

    private final TreeMap<Long, byte[]> chunks = new TreeMap<>();

    long usedBytes() {
        return (long) chunks.size() * CHUNK_BYTES;
    }

    Map<Long, byte[]> chunks() {
        return chunks;
    }

    /** Fills the sink from {@code offset}. The caller has limited it to the length of the file. */
    void read(ByteBuffer sink, long offset) {
        for (long at = offset; sink.hasRemaining(); ) {
            int from = (int) (at % CHUNK_BYTES);
            int length = Math.min(sink.remaining(), CHUNK_BYTES - from);
            byte[] chunk = chunks.get(at / CHUNK_BYTES);
            sink.put(chunk != null ? chunk : ZEROES, from, length);
            at += length;
        }
    }

    private static final byte[] ZEROES = new byte[CHUNK_BYTES];

    void write(long offset, ByteBuffer source) {
        for (long at = offset; source.hasRemaining(); ) {
            int from = (int) (at % CHUNK_BYTES);
            int length = Math.min(source.remaining(), CHUNK_BYTES - from);
            source.get(chunks.computeIfAbsent(at / CHUNK_BYTES, _ -> new byte[CHUNK_BYTES]), from, length);
            at += length;
        }
    }

    /** Forgets all behind {@code sizeBytes}, so that it reads as zeroes if the file grows again. */
    void cut(long sizeBytes) {
        chunks.tailMap(Math.ceilDiv(sizeBytes, CHUNK_BYTES), true).clear();
        byte[] last = chunks.get(sizeBytes / CHUNK_BYTES);
        if (last != null) {
            Arrays.fill(last, (int) (sizeBytes % CHUNK_BYTES), CHUNK_BYTES, (byte) 0);
        }
    }
}
