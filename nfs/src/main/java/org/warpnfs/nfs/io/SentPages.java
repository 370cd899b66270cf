package org.warpnfs.nfs.io;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.payload.LentBytes;

/** Pages that a backend has lent, as the transports know them. */
record SentPages(LentPages pages, List<ByteBuffer> buffers, int lengthBytes) implements LentBytes {
    static SentPages of(LentPages pages) {
        List<ByteBuffer> buffers = List.copyOf(pages.buffers());
        return new SentPages(
                pages, buffers, buffers.stream().mapToInt(ByteBuffer::remaining).sum());
    }

    @Override
    public void release() {
        pages.close();
    }
}
