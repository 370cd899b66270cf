package org.warpnfs.rpcrdma.message;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One RPC message as a stream of XDR, although parts of it lie in chunks elsewhere (RFC 8166 section 3.4.5).
 *
 * <h2>Operation</h2>
 *
 * The stream is a row of fragments: what came inline, and what was pulled by RDMA Read. A chunk's XDR pad is not
 * transferred; the stream shows zeros in its place. {@link #counted} takes a counted item as one piece and does not copy it
 * unless it straddles two fragments. {@link #beginCounted} goes before it: a message that came as RDMA_MSGP has padding there.
 *
 * <h2>Buffers</h2>
 *
 * Fragments belong to whoever made the stream and are valid until the call has been answered or dropped; what {@link
 * #counted} returns is a view of them.
 *
 * <h2>Errors</h2>
 *
 * Reading beyond the end is a bug of the caller, who asks {@link #remainingBytes()} first, and throws {@link
 * IllegalStateException}. Not safe for use by two threads at once.
 */
public final class XdrStream {
    private static final ByteBuffer ZERO_PAD = ByteBuffer.allocateDirect(4).asReadOnlyBuffer();

    private final List<Fragment> fragments;
    private final Padding padding;
    private final int lengthBytes;
    private int next;
    private ByteBuffer current;
    private int remainingBytes;
    private int skippedPaddingBytes;

    private XdrStream(List<Fragment> fragments, Padding padding) {
        this.fragments = fragments;
        this.padding = padding;
        long sum = 0;
        for (Fragment fragment : fragments) {
            sum += fragment.memory.remaining();
        }
        this.lengthBytes = Math.toIntExact(sum);
        this.current = ZERO_PAD;
        rewind();
    }

    /** A message in one piece, from position to limit. */
    public static XdrStream of(ByteBuffer message) {
        return new Builder().inline(message).build();
    }

    /** Length of the unreduced message, with all padding of RDMA_MSGP. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** Bytes not yet read. */
    public int remainingBytes() {
        return remainingBytes;
    }

    /** Bytes already read, without padding: the position in the sense of RFC 8166 section 3.4.5. */
    public int position() {
        return lengthBytes - remainingBytes - skippedPaddingBytes;
    }

    /** Starts over at the first byte. */
    public void rewind() {
        next = 0;
        current = ZERO_PAD.slice(0, 0);
        remainingBytes = lengthBytes;
        skippedPaddingBytes = 0;
    }

    /** Shows what was not read yet, in pieces as it lies in memory, with all padding; reads nothing. */
    public void forEachUnread(Consumer<ByteBuffer> piece) {
        if (current.hasRemaining()) {
            piece.accept(current.duplicate());
        }
        for (Fragment fragment : fragments.subList(next, fragments.size())) {
            piece.accept(fragment.memory.duplicate());
        }
    }

    /** Reads one word. */
    public int readInt() {
        require(Integer.BYTES);
        if (advance().remaining() >= Integer.BYTES) {
            remainingBytes -= Integer.BYTES;
            return current.getInt();
        }
        byte[] straddling = new byte[Integer.BYTES];
        read(straddling, 0, Integer.BYTES);
        return ByteBuffer.wrap(straddling).getInt();
    }

    /** Reads two words. */
    public long readLong() {
        require(Long.BYTES);
        return (long) readInt() << 32 | Integer.toUnsignedLong(readInt());
    }

    /** Copies bytes out. */
    public void read(byte[] into, int offset, int countBytes) {
        require(countBytes);
        int done = 0;
        while (done < countBytes) {
            int step = Math.min(countBytes - done, advance().remaining());
            current.get(into, offset + done, step);
            done += step;
        }
        remainingBytes -= countBytes;
    }

    /** Skips bytes. */
    public void skip(int countBytes) {
        require(countBytes);
        int left = countBytes;
        while (left > 0) {
            int step = Math.min(left, advance().remaining());
            current.position(current.position() + step);
            left -= step;
        }
        remainingBytes -= countBytes;
    }

    /**
     * Begins a counted item, whose count was just read: skips the padding that RDMA_MSGP puts before its data.
     *
     * @return false if the message ends inside the padding, or if a chunk begins here and {@link #agreesWithChunk} says no
     */
    public boolean beginCounted(int countBytes) {
        int paddingBytes = padding.before(lengthBytes - remainingBytes, countBytes);
        if (paddingBytes > remainingBytes) {
            return false;
        }
        skip(paddingBytes);
        skippedPaddingBytes += paddingBytes;
        return agreesWithChunk(countBytes);
    }

    /**
     * Whether a counted item of {@code countBytes}, whose count was just read, agrees with the chunk that begins here, if one
     * does: the chunk holds the item, with or without its roundup, and nothing else (RFC 8166 section 3.4.5.2).
     */
    public boolean agreesWithChunk(int countBytes) {
        if (!atChunk()) {
            return true;
        }
        int chunkBytes = fragments.get(next).memory.remaining();
        return chunkBytes == countBytes || chunkBytes == roundUp(countBytes);
    }

    /**
     * Takes the bytes of a counted item and its pad.
     *
     * @return a read-only view where the bytes lie together, else a copy
     */
    public ByteBuffer counted(int countBytes) {
        int paddedBytes = roundUp(countBytes);
        require(paddedBytes);
        ByteBuffer item;
        if (countBytes == 0) {
            item = ByteBuffer.allocate(0);
        } else if (advance().remaining() >= countBytes) {
            item = current.slice(current.position(), countBytes).asReadOnlyBuffer();
            skip(countBytes);
        } else {
            byte[] copy = new byte[countBytes];
            read(copy, 0, countBytes);
            item = ByteBuffer.wrap(copy).asReadOnlyBuffer();
        }
        skip(paddedBytes - countBytes);
        return item;
    }

    /** A length rounded up to the XDR unit. */
    public static int roundUp(int bytes) {
        return bytes + 3 & ~3;
    }

    /** True where the next byte is the first of a chunk. */
    private boolean atChunk() {
        if (current.hasRemaining()) {
            return false;
        }
        // A zero-length fragment between here and the chunk would hide it: the builder makes none.
        return next < fragments.size() && fragments.get(next).chunk;
    }

    private ByteBuffer advance() {
        while (!current.hasRemaining()) {
            current = fragments.get(next++).memory.duplicate();
        }
        return current;
    }

    private void require(int bytes) {
        if (bytes < 0 || bytes > remainingBytes) {
            throw new IllegalStateException("read of " + bytes + " bytes with " + remainingBytes + " left");
        }
    }

    private record Fragment(ByteBuffer memory, boolean chunk) {}

    /** Lays fragments in a row. */
    public static final class Builder {
        private final List<Fragment> fragments = new ArrayList<>(4);
        private Padding padding = Padding.NONE;

        /** Says that long items have padding before them. */
        public Builder padding(Padding before) {
            padding = before;
            return this;
        }

        /** Appends bytes from position to limit that came with the message itself. */
        public Builder inline(ByteBuffer bytes) {
            return add(bytes, false);
        }

        /** Appends a chunk, from position to limit, and zeros up to the XDR unit. */
        public Builder chunk(ByteBuffer bytes) {
            int padBytes = roundUp(bytes.remaining()) - bytes.remaining();
            add(bytes, true);
            return add(ZERO_PAD.slice(0, padBytes), false);
        }

        private Builder add(ByteBuffer bytes, boolean chunk) {
            if (bytes.hasRemaining()) {
                fragments.add(new Fragment(bytes.slice(), chunk));
            }
            return this;
        }

        public XdrStream build() {
            return new XdrStream(List.copyOf(fragments), padding);
        }
    }
}
