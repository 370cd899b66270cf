package org.warpnfs.nfs.v4.xdr;

import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.BadXdrOncRpcException;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.warpnfs.payload.UnreadBytes;

/**
 * Decodes the arguments of a COMPOUND.
 *
 * <h2>Buffers</h2>
 *
 * All is copied but {@link #data}, which the transport lends until the call has been answered.
 *
 * <h2>Errors</h2>
 *
 * Each length that the peer claims is checked against a named limit before memory is taken for it. What is longer, what
 * is no value of its type and what is not there is NFS4ERR_BADXDR; what goes beyond the size that a session grants is
 * NFS4ERR_REQ_TOO_BIG.
 */
public final class CompoundReader {
    private final Xdr xdr;
    private long consumedBytes;
    private long limitBytes = Long.MAX_VALUE;
    private boolean peeked;
    private int peekedWord;
    private boolean lent;

    /** Reads on from where {@code xdr} stands. */
    public CompoundReader(Xdr xdr) {
        this.xdr = xdr;
    }

    /** From now on the whole COMPOUND may take so many bytes. */
    public void limitTo(long bytes) {
        limitBytes = bytes;
    }

    /** Bytes decoded so far, data that travelled beside the stream included. */
    public long consumedBytes() {
        return consumedBytes;
    }

    public int int32() throws Nfs4Exception {
        consume(Integer.BYTES);
        if (peeked) {
            peeked = false;
            return peekedWord;
        }
        return word();
    }

    /** The next word, which stays the next; 0 where there is none. */
    public int peek() {
        if (!peeked) {
            try {
                peekedWord = word();
                peeked = true;
            } catch (Nfs4Exception e) {
                return 0;
            }
        }
        return peekedWord;
    }

    private int word() throws Nfs4Exception {
        try {
            return xdr.xdrDecodeInt();
        } catch (BadXdrOncRpcException | RuntimeException e) {
            throw badXdr();
        }
    }

    public long uint32() throws Nfs4Exception {
        return Integer.toUnsignedLong(int32());
    }

    public long int64() throws Nfs4Exception {
        return uint32() << 32 | uint32();
    }

    /** Anything but 0 and 1 is no boolean (RFC 4506, section 4.4). */
    public boolean bool() throws Nfs4Exception {
        int value = int32();
        if (value != 0 && value != 1) {
            throw badXdr();
        }
        return value == 1;
    }

    /** A number of elements or bytes, at most {@code limit}. */
    public int count(int limit) throws Nfs4Exception {
        long count = uint32();
        if (count > limit) {
            throw badXdr();
        }
        return (int) count;
    }

    /** Variable-length opaque data of at most {@code maxLengthBytes}. */
    public byte[] opaque(int maxLengthBytes) throws Nfs4Exception {
        return opaque(maxLengthBytes, Nfs4Status.BADXDR);
    }

    /** As {@link #opaque(int)}, where the protocol has a name for what is longer. */
    public byte[] opaque(int maxLengthBytes, Nfs4Status ifLonger) throws Nfs4Exception {
        long length = uint32();
        if (length > maxLengthBytes) {
            throw Nfs4Exception.of(ifLonger);
        }
        return fixedOpaque((int) length);
    }

    private byte[] fixedOpaque(int lengthBytes) throws Nfs4Exception {
        consume(CompoundWriter.roundUp(lengthBytes));
        try {
            byte[] bytes = new byte[lengthBytes];
            xdr.xdrDecodeOpaque(bytes, 0, lengthBytes);
            return bytes;
        } catch (BadXdrOncRpcException | RuntimeException e) {
            throw badXdr();
        }
    }

    /** DDP-eligible data (RFC 8267). */
    public ByteBuffer data() throws Nfs4Exception {
        ByteBuffer data;
        try {
            data = xdr.xdrDecodeByteBuffer();
        } catch (BadXdrOncRpcException | RuntimeException e) {
            throw badXdr();
        }
        lent = true;
        consume(Integer.BYTES + (long) CompoundWriter.roundUp(data.remaining()));
        return data;
    }

    /** True if memory of the transport's has been lent by {@link #data}. */
    public boolean hasLent() {
        return lent;
    }

    /**
     * What follows the next word, which {@link #peek} has shown, as it came: perhaps not all, perhaps none. Decodes
     * nothing.
     *
     * @param maxBytes how much is looked for where it does not lie together
     */
    public ByteBuffer ahead(int maxBytes) {
        if (!(xdr instanceof UnreadBytes unread)) {
            return xdr.asBuffer().toByteBuffer().asReadOnlyBuffer();
        }
        Ahead ahead = new Ahead(maxBytes);
        unread.forEachUnread(ahead::add);
        return ahead.seen;
    }

    /** Copies only where it has to. */
    private static final class Ahead {
        private final int maxBytes;
        private ByteBuffer seen = ByteBuffer.allocate(0);

        Ahead(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        void add(ByteBuffer piece) {
            if (!seen.hasRemaining()) {
                seen = piece.slice().asReadOnlyBuffer();
            } else if (seen.remaining() < maxBytes) {
                int more = Math.min(piece.remaining(), maxBytes - seen.remaining());
                seen = ByteBuffer.allocate(seen.remaining() + more)
                        .put(seen)
                        .put(piece.slice().limit(more))
                        .flip();
            }
        }
    }

    public Stateid stateid() throws Nfs4Exception {
        return new Stateid(int32(), int32(), int64());
    }

    private void consume(long bytes) throws Nfs4Exception {
        consumedBytes += bytes;
        if (consumedBytes > limitBytes) {
            throw Nfs4Exception.of(Nfs4Status.REQ_TOO_BIG);
        }
    }

    private static Nfs4Exception badXdr() {
        return Nfs4Exception.of(Nfs4Status.BADXDR);
    }
}
