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
 * All data are copied except {@link #data}, which the transport lends until the call has been answered.
 *
 * <h2>Errors</h2>
 *
 * Each length that the peer claims is compared with a named limit before memory is allocated. NFS4ERR_BADXDR for data
 * that are too long, incomplete or no value of their type. NFS4ERR_REQ_TOO_BIG for arguments beyond the size that a
 * session grants.
 */
public final class CompoundReader {
    private final Xdr xdr;
    private long consumedBytes;
    private long limitBytes = Long.MAX_VALUE;
    private boolean peeked;
    private int peekedWord;
    private boolean lent;

    /** Reads {@code xdr} from its present position. */
    public CompoundReader(Xdr xdr) {
        this.xdr = xdr;
    }

    /** Limits the length of the whole COMPOUND from now on. */
    public void limitTo(long bytes) {
        limitBytes = bytes;
    }

    /** Number of bytes decoded so far, including data outside of the stream. */
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

    /** The next word, without consuming it; 0 if there is none. */
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

    /** A bool; values other than 0 and 1 are invalid (RFC 4506, section 4.4). */
    public boolean bool() throws Nfs4Exception {
        int value = int32();
        if (value != 0 && value != 1) {
            throw badXdr();
        }
        return value == 1;
    }

    /** A number of elements or bytes; at most {@code limit}. */
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

    /** Decodes opaque data as {@link #opaque(int)} does, but with another status for data that are too long. */
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

    /** True if {@link #data} has lent memory of the transport. */
    public boolean hasLent() {
        return lent;
    }

    /**
     * The undecoded bytes after the next word, which {@link #peek} returns. They may be incomplete or missing.
     *
     * @param maxBytes how many bytes to return if they are not contiguous
     */
    public ByteBuffer ahead(int maxBytes) {
        if (!(xdr instanceof UnreadBytes unread)) {
            return xdr.asBuffer().toByteBuffer().asReadOnlyBuffer();
        }
        Ahead ahead = new Ahead(maxBytes);
        unread.forEachUnread(ahead::add);
        return ahead.seen.asReadOnlyBuffer();
    }

    /** Collects undecoded bytes, and copies them only if they are not contiguous. */
    private static final class Ahead {
        private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

        private final int maxBytes;
        private ByteBuffer seen = NOTHING;

        Ahead(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        void add(ByteBuffer piece) {
            if (!seen.hasRemaining()) {
                seen = piece.slice();
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
