package org.warpnfs.sockets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.payload.FileRange;

/** A range of a file of bytes that count, from 1 to 100 and again. */
class CountingRange implements FileRange {
    static final int LENGTH_BYTES = 3 << 20;

    private final Object store;
    volatile int fileBytes = LENGTH_BYTES;
    volatile boolean cached = true;
    volatile boolean broken;

    /** Holds whoever reads, as a dead disk does, until it is open. */
    volatile CountDownLatch disk = new CountDownLatch(0);

    /** How often bytes were sent that were not cached, for which the event loop would have waited. */
    final AtomicInteger waits = new AtomicInteger();

    final AtomicInteger sends = new AtomicInteger();
    final List<Thread> readers = Collections.synchronizedList(new ArrayList<>());

    CountingRange() {
        this(new Object());
    }

    CountingRange(Object store) {
        this.store = store;
    }

    @Override
    public Object store() {
        return store;
    }

    static byte at(int offset) {
        return (byte) (1 + offset % 100);
    }

    static ByteBuffer bytes(int from, int lengthBytes) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(lengthBytes);
        for (int i = 0; i < lengthBytes; i++) {
            bytes.put(at(from + i));
        }
        return bytes.flip();
    }

    @Override
    public boolean isCached(int from, int lengthBytes) {
        return cached;
    }

    @Override
    public int read(int from, ByteBuffer sink) throws IOException {
        readers.add(Thread.currentThread());
        try {
            disk.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        if (broken) {
            throw new IOException("a disk that fails, for a test");
        }
        int got = Math.clamp(fileBytes - from, 0, sink.remaining());
        sink.put(bytes(from, got));
        return got;
    }

    @Override
    public int sendTo(int socket, int from, int lengthBytes) throws IOException {
        sends.incrementAndGet();
        if (!cached) {
            waits.incrementAndGet();
        }
        int left = Math.min(lengthBytes, fileBytes - from);
        if (left <= 0) {
            return 0;
        }
        GatheringSend send = GatheringSend.ofThread();
        boolean _ = send.add(bytes(from, left), 0);
        return (int) send.send(socket, GatheringSend.Then.NOTHING);
    }

    @Override
    public int lengthBytes() {
        return LENGTH_BYTES;
    }

    @Override
    public void release() {
        // Nothing is held.
    }
}
