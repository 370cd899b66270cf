package org.warpnfs.rpcrdma.message;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One RPC message as a stream of XDR, although parts of it came in chunks (RFC 8166, section 3.4.5).
 *
 * <h2>Operation</h2>
 *
 * The stream is a list of fragments: those that came inline, and those that were pulled by RDMA Read. The XDR pad of a
 * chunk is not transferred, and the stream returns zeros in its place. {@link #counted} returns a counted item as one
 * buffer and copies it only if it spans two fragments. Call {@link #beginCounted} before it: a message that came as
 * RDMA_MSGP has padding there, which shifts all inline bytes that follow.
 *
 * <h2>Buffers</h2>
 *
 * Fragments belong to the creator of the stream and are valid until the call has been answered or dropped.
 * {@link #counted} returns a view of them.
 *
 * <h2>Errors</h2>
 *
 * Reading beyond the end is a bug and throws {@link IllegalStateException}. The caller checks {@link #remainingBytes()}
 * first. Not safe for use by two threads at once.
 */
public final class XdrStream {
    private static final ByteBuffer ZERO_PAD = ByteBuffer.allocateDirect(4).asReadOnlyBuffer();
    /** Nothing has a position that could move. */
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final List<Fragment> fragments;
    private final Padding padding;
    private final int lengthBytes;

    /**
     * The most bytes that padding may take: the length of the last inline fragment. Padding shifts what follows it, and
     * the length of a fragment before a chunk is fixed by the chunk's position.
     */
    private final int slackBytes;

    private int next;
    private ByteBuffer current;
    private Kind kind = Kind.PAD;
    private int remainingBytes;
    private int skippedPaddingBytes;

    private XdrStream(List<Fragment> fragments, Padding padding) {
        this.fragments = fragments;
        this.padding = padding;
        long sum = 0;
        int lastInlineBytes = 0;
        for (int i = 0; i < fragments.size(); i++) {
            Fragment fragment = fragments.get(i);
            sum += fragment.memory.remaining();
            lastInlineBytes = switch (fragment.kind) {
                case INLINE -> fragment.memory.remaining();
                case CHUNK -> 0;
                case PAD -> lastInlineBytes;
            };
        }
        this.lengthBytes = Math.toIntExact(sum);
        this.slackBytes = lastInlineBytes;
        this.current = NOTHING;
        rewind();
    }

    /** A message in one piece, from position to limit. */
    public static XdrStream of(ByteBuffer message) {
        List<Fragment> whole = message.hasRemaining() ? List.of(new Fragment(message.slice(), Kind.INLINE)) : List.of();
        return new XdrStream(whole, Padding.NONE);
    }

    /** A stream over a copy of the whole message, which is valid for ever. It begins with the first byte. */
    public XdrStream copied() {
        List<Fragment> copies = new ArrayList<>(fragments.size());
        ByteBuffer inline = null;
        for (Fragment fragment : fragments) {
            ByteBuffer copy = fragment.kind == Kind.INLINE && inline != null ? inline : copy(fragment.memory);
            if (fragment.kind == Kind.INLINE) {
                inline = copy;
            }
            ByteBuffer window = copy.duplicate().position(fragment.memory.position());
            copies.add(new Fragment(window.limit(fragment.memory.limit()), fragment.kind));
        }
        return new XdrStream(copies, padding);
    }

    /** All bytes, whatever the position: padding is counted from the first byte that came with the message. */
    private static ByteBuffer copy(ByteBuffer memory) {
        return ByteBuffer.allocate(memory.capacity())
                .put(memory.duplicate().clear())
                .clear();
    }

    /** The length of the unreduced message, including all padding of RDMA_MSGP. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** The number of bytes not yet read. */
    public int remainingBytes() {
        return remainingBytes;
    }

    /** The number of bytes already read, without padding: the position in the sense of RFC 8166, section 3.4.5. */
    public int position() {
        return lengthBytes - remainingBytes - skippedPaddingBytes;
    }

    /** Returns to the first byte. */
    public void rewind() {
        next = 0;
        current = NOTHING;
        kind = Kind.PAD;
        remainingBytes = lengthBytes;
        skippedPaddingBytes = 0;
    }

    /**
     * Passes the bytes that have not been read yet, including all padding, in the pieces in which they lie in memory.
     * Reads nothing.
     */
    public void forEachUnread(Consumer<ByteBuffer> piece) {
        if (current.hasRemaining()) {
            piece.accept(current.duplicate());
        }
        for (int i = next; i < fragments.size(); i++) {
            piece.accept(shifted(fragments.get(i), fragments.get(i).memory.duplicate()));
        }
    }

    /** The bytes that lie next in memory and have not been read, as a read-only view. Reads nothing. */
    public ByteBuffer unreadPiece() {
        if (current.hasRemaining()) {
            return current.slice().asReadOnlyBuffer();
        }
        for (int i = next; i < fragments.size(); i++) {
            ByteBuffer piece = shifted(fragments.get(i), fragments.get(i).memory.asReadOnlyBuffer());
            if (piece.hasRemaining()) {
                return piece.slice();
            }
        }
        return NOTHING.duplicate();
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
     * Begins a counted item whose count was just read. Skips the padding that RDMA_MSGP puts before its data.
     *
     * @return false if the message ends inside the padding, or if the item is neither exactly the data of a chunk nor
     *     entirely inline: then count and chunk do not agree, or the chunk is not at the position that its sender
     *     states (RFC 5666, section 3.4)
     */
    public boolean beginCounted(int countBytes) {
        if (atChunk()) {
            return agreesWithChunk(countBytes);
        }
        return skipPadding(countBytes) && !runsIntoChunk(countBytes);
    }

    /**
     * Skips the padding before an item's data. An item that is a chunk has none, because its data are not in the Send.
     */
    private boolean skipPadding(int countBytes) {
        int paddingBytes = kind == Kind.INLINE ? padding.before(current.position(), countBytes) : 0;
        // Padding may exceed neither the slack of the message nor the bytes of this fragment.
        if (paddingBytes > slackBytes - skippedPaddingBytes || paddingBytes > current.capacity() - current.position()) {
            return false;
        }
        if (paddingBytes > 0) {
            current.limit(Math.min(current.capacity(), current.limit() + paddingBytes));
            current.position(current.position() + paddingBytes);
            skippedPaddingBytes += paddingBytes;
            remainingBytes -= paddingBytes;
        }
        return true;
    }

    private boolean runsIntoChunk(int countBytes) {
        return countBytes > 0
                && countBytes <= remainingBytes
                && countBytes > advance().remaining();
    }

    /**
     * Whether the count of a counted item, which was just read, agrees with the chunk that begins here, if there is
     * one. The chunk must hold the item, with or without its roundup, and nothing else (RFC 8166, section 3.4.5.2).
     */
    public boolean agreesWithChunk(int countBytes) {
        if (!atChunk()) {
            return true;
        }
        int chunkBytes = fragments.get(next).memory.remaining();
        return chunkBytes == countBytes || chunkBytes == roundUp(countBytes);
    }

    /**
     * Returns the bytes of a counted item, and skips its pad.
     *
     * @return a read-only view if the bytes are contiguous, else a copy
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

    /** True if the next byte is the first of a chunk. */
    private boolean atChunk() {
        if (current.hasRemaining()) {
            return false;
        }
        // A zero-length fragment before the chunk would hide it, but the builder makes none.
        return next < fragments.size() && fragments.get(next).kind == Kind.CHUNK;
    }

    private ByteBuffer advance() {
        while (!current.hasRemaining()) {
            Fragment fragment = fragments.get(next++);
            kind = fragment.kind;
            current = shifted(fragment, fragment.cursor());
        }
        return current;
    }

    /** A view of a fragment, shifted by the padding skipped so far if the fragment is inline. */
    private ByteBuffer shifted(Fragment fragment, ByteBuffer window) {
        if (fragment.kind == Kind.INLINE && skippedPaddingBytes > 0) {
            window.limit(Math.min(window.capacity(), window.limit() + skippedPaddingBytes));
            window.position(window.position() + skippedPaddingBytes);
        }
        return window;
    }

    private void require(int bytes) {
        if (bytes < 0 || bytes > remainingBytes) {
            throw new IllegalStateException("read of " + bytes + " bytes with " + remainingBytes + " left");
        }
    }

    private enum Kind {
        /** A part of the bytes that came with the message itself. Its position counts from the message's first byte. */
        INLINE,
        CHUNK,
        /** Zeros in place of a chunk's roundup. */
        PAD
    }

    private static final class Fragment {
        private final ByteBuffer memory;
        private final Kind kind;
        private @Nullable ByteBuffer cursor;

        Fragment(ByteBuffer memory, Kind kind) {
            this.memory = memory;
            this.kind = kind;
        }

        /**
         * A view at the first byte. It is the same object each time, because a call is read from its beginning twice.
         */
        ByteBuffer cursor() {
            if (cursor == null) {
                cursor = memory.duplicate();
            }
            return cursor.limit(memory.limit()).position(memory.position());
        }
    }

    /** Builds a stream from its fragments, in order. */
    public static final class Builder {
        private final List<Fragment> fragments = new ArrayList<>(4);
        private final Padding padding;
        private final ByteBuffer inline;

        /** @param inline all bytes that came with the message itself, from position to limit */
        public Builder(ByteBuffer inline) {
            this(inline, Padding.NONE);
        }

        /** @param padding the padding before long items of {@code inline} */
        public Builder(ByteBuffer inline, Padding padding) {
            this.inline = inline.slice();
            this.padding = padding;
        }

        /** Appends the next {@code bytes} of the inline bytes. */
        public Builder inline(int bytes) {
            if (bytes > 0) {
                ByteBuffer window = inline.duplicate();
                inline.position(inline.position() + bytes);
                fragments.add(new Fragment(window.limit(inline.position()), Kind.INLINE));
            }
            return this;
        }

        /** Appends a chunk, from position to limit, and zeros up to the XDR unit. */
        public Builder chunk(ByteBuffer bytes) {
            // An empty chunk is kept too, because only an item with a count of 0 agrees with it.
            fragments.add(new Fragment(bytes.slice(), Kind.CHUNK));
            int padBytes = roundUp(bytes.remaining()) - bytes.remaining();
            if (padBytes > 0) {
                fragments.add(new Fragment(ZERO_PAD.slice(0, padBytes), Kind.PAD));
            }
            return this;
        }

        /** The stream, with the rest of the inline bytes at its end. */
        public XdrStream build() {
            inline(inline.remaining());
            return new XdrStream(List.copyOf(fragments), padding);
        }
    }
}
