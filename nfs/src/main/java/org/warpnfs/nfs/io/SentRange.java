package org.warpnfs.nfs.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.warpnfs.fs.spi.CachedRange;
import org.warpnfs.payload.FileRange;

/** A range of a backend's file, as the transports know it. */
record SentRange(CachedRange range) implements FileRange {
    @Override
    public int lengthBytes() {
        return range.lengthBytes();
    }

    @Override
    public Object store() {
        return range.store();
    }

    @Override
    public boolean isCached(int from, int lengthBytes) {
        return range.isCached(from, lengthBytes);
    }

    @Override
    public int read(int from, ByteBuffer sink) throws IOException {
        return range.read(from, sink);
    }

    @Override
    public int tryRead(int from, ByteBuffer sink) throws IOException {
        int got = range.tryRead(from, sink);
        return got == CachedRange.WOULD_WAIT ? WOULD_WAIT : got;
    }

    @Override
    public int sendTo(int socket, int from, int lengthBytes) throws IOException {
        int sent = range.sendTo(socket, from, lengthBytes);
        return sent == CachedRange.SOCKET_FULL ? SOCKET_FULL : sent;
    }

    @Override
    public void release() {
        range.close();
    }
}
