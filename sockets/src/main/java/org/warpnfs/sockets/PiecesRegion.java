package org.warpnfs.sockets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;
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
 * <p>Where a segment has to end, MSG_EOR keeps what follows out of it. Each call ends between two frames then, since
 * its last bytes may leave in a segment before those of the next call are there: with TCP_NODELAY, MSG_MORE holds them
 * only until the peer acknowledges something. If the socket takes a part of a frame, the rest is sent by a call of its
 * own, so that the next frame begins a segment.
 *
 * <p>Just before bytes of a file are sent, the range is asked whether they are still cached. If not, or if a thread has
 * been reading from the same store for suspiciously long, this region claims to be complete: {@link #lacks()} says why.
 * After {@link #load} on another thread and {@link #goOn} it is written again. What was read is sent from memory, since
 * the page cache may have lost it again. Where a file has been cut short, zeroes are sent.
 *
 * <p>Parts that have to be seen, and short frames of a file, are read up to {@value #PIECE_BYTES} bytes at a time, when
 * the socket has room, and sent from memory while they are still in the processor's cache ({@link FilledParts}).
 *
 * <p>The kernel may take a page between the question and the call that sends it. Then the event loop waits for one read
 * of the disk. An answer counts for {@value #READY_NANOS} ns, and a question is for {@value #ASKED_BYTES} bytes at
 * most.
 *
 * <h2>Buffers</h2>
 *
 * The pieces belong to the writer. Owns loaded bytes until the socket has been offered them once, and a piece that has
 * been read until the socket has taken all of it. So it has at most one of either. Netty's reference count has no
 * meaning here, since a region may be written again.
 *
 * <h2>Errors</h2>
 *
 * A failed read or write is thrown to Netty, which ends the connection.
 *
 * <p>For the event loop, except {@link #load}.
 */
final class PiecesRegion extends AbstractReferenceCounted implements FileRegion {
    /** The most bytes of one call, after which Netty counts a write. */
    private static final int TURN_BYTES = 1 << 20;

    /** How far one question for the cache reaches. */
    private static final int ASKED_BYTES = 256 << 10;

    /** How long an answer counts. */
    private static final int READY_NANOS = 1_000_000;

    /** How much is read at once when the page cache has lost it, and the least that is worth a question. */
    static final int LOAD_BYTES = 64 << 10;

    /**
     * How much is read at once of what has to be seen: the payload of eight of the longest FPDUs, and the short end of
     * a READ of 1 MiB, which so leaves in two pieces. Each piece may wake a peer that sleeps, which costs more than
     * what a shorter piece would gain in the processor's cache.
     */
    static final int PIECE_BYTES = 528 << 10;

    /** There are more pieces of up to this size than of the largest. */
    private static final int LITTLE_BYTES = 64 << 10;

    /** Parts of files up to this length are copied, which is cheaper than a system call for each. */
    private static final int SMALL_BYTES = 4 << 10;

    /** What keeps a region from going on. */
    enum Lack {
        NOTHING,
        /** Bytes of a file that have to be read on another thread. */
        BYTES,
        /** Memory for a piece. */
        MEMORY
    }

    private final Pieces pieces;
    private final int socket;
    private final ClientAddress client;
    private final FileLoaders loaders;
    private final PayloadPool memory;
    private final boolean manyFiles;
    private int buffer;
    private int bufferOffset;
    private int part;
    private int segment;
    private int partOffset;
    private long sentBytes;

    /** Whether the file of the current part ends before the current offset. */
    private boolean lost;

    private Lack lacks = Lack.NOTHING;
    private boolean corked;

    /** Bytes that were in the page cache a moment ago. */
    private @Nullable FileRange ready;

    private int readyFrom;
    private int readyTo;
    private long askedNanos;

    /** The next bytes, read because the page cache has lost them. */
    private @Nullable ByteBuf loaded;

    /** The next parts, if others depend on their bytes and they have been read. */
    private @Nullable FilledParts filled;

    /** How much is read at once of parts on which nothing depends. What the socket does not take is read again. */
    private int onceBytes = PIECE_BYTES;

    /** Bytes that the socket has taken of the parts that have been read. */
    private int takenBytes;

    /** Memory for the next piece, which was waited for. */
    private @Nullable Payload given;

    PiecesRegion(Pieces pieces, int socket, ClientAddress client, FileLoaders loaders, PayloadPool memory) {
        this.pieces = pieces;
        this.socket = socket;
        this.client = client;
        this.loaders = loaders;
        this.memory = memory;
        this.manyFiles =
                pieces.parts().stream().filter(each -> !each.seen()).limit(2).count() > 1;
    }

    /** What it has to be given before it can go on. */
    Lack lacks() {
        return lacks;
    }

    /** Bytes that the socket has taken. */
    long sentBytes() {
        return sentBytes;
    }

    /** Where the bytes come from that have to be loaded. */
    Object store() {
        return pieces.parts().get(part).range().store();
    }

    /**
     * Reads the next bytes. May wait for a disk. For another thread while the region {@linkplain Lack#BYTES lacks}
     * them.
     *
     * @return belongs to the caller; empty if the file ends before these bytes
     */
    ByteBuf load(ByteBufAllocator allocator) throws IOException {
        Pieces.Part next = pieces.parts().get(part);
        // What is read before it is sent is read as a whole, even if some of it was sent before.
        int from = next.seen() ? 0 : partOffset;
        int lengthBytes = Math.min(LOAD_BYTES, next.lengthBytes() - from);
        ByteBuf bytes = allocator.directBuffer(lengthBytes, lengthBytes);
        boolean read = false;
        try {
            bytes.writerIndex(next.range().read(next.from() + from, bytes.nioBuffer(0, lengthBytes)));
            read = true;
            return bytes;
        } finally {
            if (!read) {
                bytes.release();
            }
        }
    }

    /** @param bytes what was loaded; belongs to this region from now on */
    void goOn(ByteBuf bytes) {
        lacks = Lack.NOTHING;
        if (mustBeSeen(part)) {
            ByteBuffer all = bytes.nioBuffer(0, bytes.capacity()).position(bytes.writerIndex());
            try {
                filled = FilledParts.of(pieces, part, part + 1, all, bytes::release);
            } finally {
                if (filled == null) {
                    bytes.release();
                }
            }
        } else {
            lost = !bytes.isReadable();
            loaded = bytes;
        }
    }

    /** @param piece memory for the next piece; belongs to this region from now on */
    void goOn(Payload piece) {
        lacks = Lack.NOTHING;
        given = piece;
    }

    /** Gives back all memory. */
    void dispose() {
        dropLoaded();
        dropFilled();
        dropGiven();
    }

    private void dropGiven() {
        if (given != null) {
            given.release();
            given = null;
        }
    }

    private void dropLoaded() {
        if (loaded != null) {
            loaded.release();
            loaded = null;
        }
    }

    private void dropFilled() {
        if (filled != null) {
            filled.release();
            filled = null;
        }
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) throws IOException {
        long before = sentBytes;
        ready = null;
        boolean goesOn = lacks == Lack.NOTHING;
        if (goesOn && !corked && manyFiles) {
            corked = true;
            GatheringSend.ofThread().keepPartialPackets(socket, true);
        }
        while (goesOn && sentBytes - before < TURN_BYTES) {
            goesOn = loaded == null ? sendNext() : sendLoaded(loaded);
        }
        if (lacks != Lack.NOTHING || (corked && sentBytes == pieces.lengthBytes())) {
            // Also what MSG_MORE holds back leaves now.
            corked = false;
            GatheringSend.ofThread().keepPartialPackets(socket, false);
        }
        return sentBytes - before;
    }

    /** Offers loaded bytes to the socket once. What it does not take now will be cached, or is loaded again. */
    private boolean sendLoaded(ByteBuf bytes) throws IOException {
        try {
            if (!bytes.isReadable()) {
                return true;
            }
            GatheringSend send = GatheringSend.ofThread();
            boolean _ = send.add(bytes.nioBuffer(), 0);
            long sent = send.send(socket, GatheringSend.Then.NOTHING);
            if (sent < 0) {
                return false;
            }
            sentBytes += sent;
            passPart((int) sent, pieces.parts().get(part).lengthBytes() - partOffset);
            return true;
        } finally {
            dropLoaded();
        }
    }

    private boolean mustBeSeen(int index) {
        return index < pieces.parts().size() && pieces.parts().get(index).seen();
    }

    private boolean atPart() {
        return part < pieces.parts().size() && pieces.parts().get(part).before() == buffer;
    }

    /** Sends what comes next. Returns false if there is nothing, the socket is full, or bytes have to be loaded. */
    private boolean sendNext() throws IOException {
        Lack found = filled == null && mustBeSeen(part) ? fill() : Lack.NOTHING;
        GatheringSend send = GatheringSend.ofThread();
        boolean more = gather(send);
        cutAtFrame(send, found);
        if (send.isEmpty()) {
            lacks = found;
            return found == Lack.NOTHING && atPart() && sendPart();
        }
        long wanted = send.gatheredBytes();
        long sent = send.send(socket, then(sentBytes + wanted, more));
        if (sent > 0) {
            sentBytes += sent;
            takenBytes += (int) sent;
            passGathered(sent);
            if (sentBytes == segmentEnd()) {
                segment++;
            }
        }
        if (sent < wanted) {
            forgetUntaken();
        }
        return sent >= 0;
    }

    /**
     * Gives the memory back for parts that the socket is too full to take, so that one who reads slowly holds none.
     * They are read again, as many as were taken this time and as many again. Parts with trailers stay, since the bytes
     * that are sent must be those that the trailers are of.
     */
    private void forgetUntaken() {
        if (filled != null && mustBeSeen(part) && pieces.parts().get(part).trailer() == null) {
            onceBytes = Math.clamp(2L * takenBytes, Pieces.MAX_SEEN_BYTES, PIECE_BYTES);
            dropFilled();
        }
    }

    /** Keeps whole frames alone, or the rest of the current frame. */
    private void cutAtFrame(GatheringSend send, Lack found) {
        long end = sentBytes + send.gatheredBytes();
        boolean parted = inFrame();
        if (!pieces.inSegments() || (end == pieces.lengthBytes() && !parted)) {
            return;
        }
        long frame = parted ? Math.min(pieces.nextFrame(sentBytes), end) : pieces.lastFrame(end);
        // A frame that no call holds is sent in parts.
        if (frame > sentBytes || found != Lack.NOTHING) {
            send.cut(Math.max(frame - sentBytes, 0));
        }
    }

    /** Whether the socket has taken a part of a frame. */
    private boolean inFrame() {
        return pieces.inSegments() && sentBytes > 0 && pieces.lastFrame(sentBytes) != sentBytes;
    }

    private GatheringSend.Then then(long end, boolean more) {
        if (pieces.inSegments() && (end == segmentEnd() || (inFrame() && end == pieces.nextFrame(sentBytes)))) {
            return GatheringSend.Then.NEW_SEGMENT;
        }
        return more ? GatheringSend.Then.MORE : GatheringSend.Then.NOTHING;
    }

    /** The next place where a segment has to end, or the end of everything. */
    private long segmentEnd() {
        return segment < pieces.segmentEnds().size() ? pieces.segmentEnds().get(segment) : pieces.lengthBytes();
    }

    /**
     * The memory for the next parts that have to be seen: a little piece for little, and else the largest. There are
     * few pieces of the sizes between.
     */
    int neededBytes() {
        int wantedBytes = FilledParts.wantedBytes(pieces, part, PIECE_BYTES);
        return wantedBytes <= LITTLE_BYTES ? wantedBytes : PIECE_BYTES;
    }

    /** Reads the next parts, on whose bytes others depend. */
    private Lack fill() throws IOException {
        if (loaders.isHeld(store())) {
            dropGiven();
            return Lack.BYTES;
        }
        Payload piece = given != null ? given : memory.tryAcquire(client, neededBytes());
        if (piece == null) {
            return Lack.MEMORY;
        }
        given = null;
        try {
            ByteBuffer sink = piece.buffer();
            if (pieces.parts().get(part).trailer() == null) {
                sink = sink.clear().slice(0, Math.min(sink.capacity(), onceBytes));
                onceBytes = PIECE_BYTES;
                takenBytes = 0;
            }
            filled = FilledParts.read(pieces, part, sink, piece::release);
        } finally {
            if (filled == null) {
                piece.release();
            }
        }
        return filled == null ? Lack.BYTES : Lack.NOTHING;
    }

    /**
     * Gathers buffers, parts that have been read, and small parts of files, as many as fit, up to the end of a segment
     * at most. Returns whether others follow.
     */
    private boolean gather(GatheringSend send) throws IOException {
        int nextBuffer = buffer;
        int nextPart = part;
        int offset = bufferOffset;
        long segmentBytes = segmentEnd() - sentBytes;
        while (send.gatheredBytes() < segmentBytes) {
            if (nextPart < pieces.parts().size() && pieces.parts().get(nextPart).before() == nextBuffer) {
                int from = nextPart == part ? partOffset : 0;
                if (!(mustBeSeen(nextPart)
                        ? addFilled(send, nextPart, from)
                        : addSmall(send, pieces.parts().get(nextPart), from))) {
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
        return sentBytes + send.gatheredBytes() < pieces.lengthBytes();
    }

    private boolean addFilled(GatheringSend send, int index, int offset) {
        if (filled == null || !filled.has(index)) {
            return false;
        }
        Pieces.Gaps gaps = pieces.parts().get(index).gaps();
        return gaps == null ? send.add(filled.bytes(index), offset) : send.add(filled.bytes(index), gaps, offset);
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
                    ? pieces.parts().get(part).sentBytes() - partOffset
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
            if (filled != null && !filled.has(part)) {
                dropFilled();
            }
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
        return (int) send.send(socket, GatheringSend.Then.NOTHING);
    }

    /** Returns -1 if nothing can be sent now. */
    private int sendRange(Pieces.Part current, int left) throws IOException {
        FileRange range = current.range();
        int from = current.from() + partOffset;
        if (!isReady(range, from, Math.min(left, LOAD_BYTES))) {
            lacks = Lack.BYTES;
            return -1;
        }
        return range.sendTo(socket, from, Math.min(left, readyTo - from));
    }

    /** Whether bytes can be sent without a wait for a disk. Looks ahead, so that most calls need not ask. */
    private boolean isReady(FileRange range, int from, int lengthBytes) {
        if (ready == range
                && from >= readyFrom
                && lengthBytes <= readyTo - from
                && System.nanoTime() - askedNanos < READY_NANOS) {
            return true;
        }
        // If the answer is no, an older one must not seem to be as young as this question.
        ready = null;
        askedNanos = System.nanoTime();
        int window = Math.min(ASKED_BYTES, range.lengthBytes() - from);
        if (loaders.isHeld(range.store())) {
            return false;
        }
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
        return lacks != Lack.NOTHING ? sentBytes : pieces.lengthBytes();
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
