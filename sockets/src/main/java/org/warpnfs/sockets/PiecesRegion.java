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

    /** Parts of files up to this length are copied, which is cheaper than a system call for each. */
    private static final int SMALL_BYTES = 4 << 10;

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

    private int readyFrom;
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
        readyFrom = from;
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
            goesOn = sendNext();
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

    /** Sends what comes next. Returns false if there is nothing, the socket is full, or bytes have to be loaded. */
    private boolean sendNext() throws IOException {
        GatheringSend send = GatheringSend.ofThread();
        boolean more = gather(send);
        if (send.isEmpty()) {
            return atPart() && sendPart();
        }
        long sent = send.send(socket, more);
        if (sent < 0) {
            return false;
        }
        sentBytes += sent;
        passGathered(sent);
        return true;
    }

    /** Gathers buffers and small parts of files, as many as fit. Returns whether others follow. */
    private boolean gather(GatheringSend send) throws IOException {
        int nextBuffer = buffer;
        int nextPart = part;
        int offset = bufferOffset;
        while (true) {
            if (nextPart < pieces.parts().size() && pieces.parts().get(nextPart).before() == nextBuffer) {
                Pieces.Part next = pieces.parts().get(nextPart);
                if (!addSmall(send, next, nextPart == part ? partOffset : 0)) {
                    return true;
                }
                nextPart++;
            } else if (nextBuffer == pieces.buffers().size()) {
                return false;
            } else if (send.add(pieces.buffers().get(nextBuffer), offset)) {
                nextBuffer++;
                offset = 0;
            } else {
                return true;
            }
        }
    }

    /** Reads a small part that is in memory, since that costs less than a call of its own. */
    private boolean addSmall(GatheringSend send, Pieces.Part small, int offset) throws IOException {
        int left = small.lengthBytes() - offset;
        int from = small.from() + offset;
        if (left > SMALL_BYTES || !isReady(small.range(), from, left)) {
            return false;
        }
        ByteBuffer memory = send.addCopied(left);
        if (memory == null) {
            return false;
        }
        int _ = small.range().read(from, memory);
        while (memory.hasRemaining()) {
            memory.put((byte) 0);
        }
        return true;
    }

    private void passGathered(long sent) {
        long left = sent;
        while (left > 0) {
            boolean inFile = atPart();
            int whole = inFile
                    ? pieces.parts().get(part).lengthBytes() - partOffset
                    : pieces.buffers().get(buffer).remaining() - bufferOffset;
            int taken = (int) Math.min(left, whole);
            left -= taken;
            if (inFile) {
                passPart(taken, whole);
            } else if (taken == whole) {
                buffer++;
                bufferOffset = 0;
            } else {
                bufferOffset += taken;
            }
        }
    }

    private void passPart(int taken, int whole) {
        partOffset += taken;
        if (taken == whole) {
            part++;
            partOffset = 0;
            lost = false;
        }
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
        lost |= sent == 0;
        passPart(sent, left);
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
        if (!isReady(range, from, Math.min(left, LOAD_BYTES))) {
            waits = true;
            return -1;
        }
        return range.sendTo(socket, from, Math.min(left, readyTo - from));
    }

    /** Whether bytes can be sent without a wait for a disk. Looks ahead, so that most calls need not ask. */
    private boolean isReady(FileRange range, int from, int lengthBytes) {
        if (ready == range && from >= readyFrom && lengthBytes <= readyTo - from) {
            return true;
        }
        int window = Math.min(TURN_BYTES, range.lengthBytes() - from);
        if (!range.isCached(from, window)) {
            // What is lacking may lie behind these bytes.
            window = lengthBytes;
            if (!range.isCached(from, window)) {
                return false;
            }
        }
        ready = range;
        readyFrom = from;
        readyTo = from + window;
        return true;
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
