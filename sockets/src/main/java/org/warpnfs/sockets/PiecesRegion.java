package org.warpnfs.sockets;

import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.Pieces;

/**
 * Pieces on their way to a socket, as Netty's outbound buffer holds them.
 *
 * <h2>Operation</h2>
 *
 * Netty calls {@link #transferTo} while the socket takes bytes, and waits until it is writable otherwise. Bytes in
 * memory are sent by sendmsg(2) with MSG_MORE if others follow, those of a file range by the range itself. With several
 * file ranges TCP_CORK is set until the end, so that headers and data share packets.
 *
 * <p>Just before bytes of a file are sent, the range is asked whether they are still cached. If not, this region claims
 * to be complete: {@link #waits()} is true then. After {@link #load()} on another thread it is written again and goes
 * on. Where a file has been cut short, zeroes are sent.
 *
 * <h2>Buffers</h2>
 *
 * The pieces belong to the writer. Netty's reference count has no meaning here, since a region may be written again.
 *
 * <h2>Errors</h2>
 *
 * A failed read or write is thrown to Netty, which ends the connection.
 *
 * <p>For the event loop, except {@link #load}.
 */
final class PiecesRegion extends AbstractReferenceCounted implements FileRegion {
    /**
     * The most bytes of one call, after which Netty counts a write. Also how far one question for the cache reaches.
     */
    private static final int TURN_BYTES = 1 << 20;

    /** How much is read at once when the page cache has lost it. */
    private static final int LOAD_BYTES = 256 << 10;

    private static final int SCRATCH_BYTES = 64 << 10;

    private final Pieces pieces;
    private final int socket;
    private int buffer;
    private int bufferOffset;
    private int part;
    private int partOffset;
    private long sentBytes;

    /** Whether the file of the current part ends before the current offset. */
    private boolean lost;

    private boolean waits;
    private boolean corked;

    /** Bytes that are known to be in memory. */
    private @Nullable FileRange ready;

    private int readyTo;
    private boolean loaded;

    PiecesRegion(Pieces pieces, int socket) {
        this.pieces = pieces;
        this.socket = socket;
    }

    /** True if bytes have to be loaded before it can go on. */
    boolean waits() {
        return waits;
    }

    /** Bytes that the socket has taken. */
    long sentBytes() {
        return sentBytes;
    }

    /** Reads the next bytes into the page cache. May wait for a disk. */
    void load() throws IOException {
        Pieces.Part next = pieces.parts().get(part);
        int from = next.from() + partOffset;
        int to = from + Math.min(LOAD_BYTES, next.lengthBytes() - partOffset);
        ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES);
        for (int at = from; at < to; at += SCRATCH_BYTES) {
            int _ = next.range().read(at, scratch.clear().limit(Math.min(SCRATCH_BYTES, to - at)));
        }
        ready = next.range();
        readyTo = to;
        // The next call sends them without another question: a hole of a file in memory never gets into the cache.
        loaded = true;
        waits = false;
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) throws IOException {
        long before = sentBytes;
        if (!loaded) {
            ready = null;
        }
        boolean goesOn = !waits;
        if (goesOn && !corked && pieces.parts().size() > 1) {
            corked = true;
            GatheringSend.ofThread().keepPartialPackets(socket, true);
        }
        while (goesOn && sentBytes - before < TURN_BYTES) {
            goesOn = atPart() ? sendPart() : sendBuffers();
        }
        loaded = false;
        if (corked && (waits || sentBytes == pieces.lengthBytes())) {
            corked = false;
            GatheringSend.ofThread().keepPartialPackets(socket, false);
        }
        return sentBytes - before;
    }

    private boolean atPart() {
        return part < pieces.parts().size() && pieces.parts().get(part).before() == buffer;
    }

    /** Sends buffers up to the next part. Returns false if there is none, or the socket is full. */
    private boolean sendBuffers() throws IOException {
        int end = part < pieces.parts().size()
                ? pieces.parts().get(part).before()
                : pieces.buffers().size();
        if (buffer == end) {
            return false;
        }
        GatheringSend send = GatheringSend.ofThread();
        int last = buffer;
        boolean all = send.add(pieces.buffers().get(buffer), bufferOffset);
        while (all && last + 1 < end) {
            last++;
            all = send.add(pieces.buffers().get(last), 0);
        }
        boolean more = !all || last + 1 < end || part < pieces.parts().size();
        long sent = send.send(socket, more);
        if (sent < 0) {
            return false;
        }
        sentBytes += sent;
        while (sent > 0) {
            int left = pieces.buffers().get(buffer).remaining() - bufferOffset;
            if (sent < left) {
                bufferOffset += (int) sent;
                break;
            }
            sent -= left;
            buffer++;
            bufferOffset = 0;
        }
        return true;
    }

    /** Sends bytes of a part. Returns false if the socket is full, or bytes have to be loaded. */
    private boolean sendPart() throws IOException {
        Pieces.Part current = pieces.parts().get(part);
        int left = current.lengthBytes() - partOffset;
        int sent = left == 0 ? 0 : lost ? sendZeroes(left) : sendRange(current, left);
        if (sent < 0) {
            return false;
        }
        sentBytes += sent;
        partOffset += sent;
        if (sent == left) {
            part++;
            partOffset = 0;
            lost = false;
        } else if (sent == 0) {
            lost = true;
        }
        return true;
    }

    private int sendZeroes(int left) throws IOException {
        GatheringSend send = GatheringSend.ofThread();
        send.addZeroes(left);
        return (int) send.send(socket, false);
    }

    /** Returns -1 if nothing can be sent now. */
    private int sendRange(Pieces.Part current, int left) throws IOException {
        FileRange range = current.range();
        int from = current.from() + partOffset;
        if (ready != range || readyTo <= from) {
            int window = Math.min(TURN_BYTES, range.lengthBytes() - from);
            if (!range.isCached(from, window)) {
                // What is lacking may lie behind this part.
                window = Math.min(left, LOAD_BYTES);
                if (!range.isCached(from, window)) {
                    waits = true;
                    return -1;
                }
            }
            ready = range;
            readyTo = from + window;
        }
        return range.sendTo(socket, from, Math.min(left, readyTo - from));
    }

    @Override
    public long position() {
        return 0;
    }

    @Override
    @Deprecated
    public long transfered() {
        return sentBytes;
    }

    @Override
    public long transferred() {
        return sentBytes;
    }

    /** The length of everything; what has been sent while it waits, so that Netty takes it out of its buffer. */
    @Override
    public long count() {
        return waits ? sentBytes : pieces.lengthBytes();
    }

    @Override
    public FileRegion retain() {
        return this;
    }

    @Override
    public FileRegion retain(int increment) {
        return this;
    }

    @Override
    public boolean release() {
        return false;
    }

    @Override
    public boolean release(int decrement) {
        return false;
    }

    @Override
    public FileRegion touch() {
        return this;
    }

    @Override
    public FileRegion touch(Object hint) {
        return this;
    }

    @Override
    protected void deallocate() {
        // The pieces belong to the writer.
    }
}
