package org.warpnfs.rpcrdma.message;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.Each;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.LentBytes;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.Pieces;
import org.warpnfs.payload.Source;

/**
 * An outbound RPC message: XDR, and payloads that belong into it at known offsets.
 *
 * <h2>Operation</h2>
 *
 * The transport decides for each item whether its bytes are sent in the stream, followed by their pad, or in a chunk.
 *
 * <h2>Buffers</h2>
 *
 * The owner of the message owns its payloads, and calls {@link #release()} once when no byte of them is needed any
 * more.
 *
 * @param xdr the message without the items, from position to limit
 * @param items in stream order
 * @param left runs when no byte of the message is needed any more, because it has been sent or never will be; may be
 *     null
 */
public record RpcMessage(
        ByteBuffer xdr, List<Item> items, @Nullable Runnable left) {
    public RpcMessage {
        items = List.copyOf(items);
    }

    /** A message without a notification when it has been sent. */
    public RpcMessage(ByteBuffer xdr, List<Item> items) {
        this(xdr, items, null);
    }

    /** A message without payloads. */
    public static RpcMessage of(ByteBuffer xdr) {
        return new RpcMessage(xdr, List.of());
    }

    /**
     * The bytes of one DDP-eligible item (RFC 8267). Its count is in {@link #xdr()} just before {@code offsetBytes}.
     * Its pad is not stored.
     *
     * @param offsetBytes the offset in {@link #xdr()} at which the bytes belong, counted from its position
     */
    public record Item(int offsetBytes, Source payload) {}

    /**
     * The XID, unsigned 32 bits, from the first word.
     *
     * @throws IllegalArgumentException if the message is shorter than that
     */
    public long xid() {
        if (xdr.remaining() < Integer.BYTES) {
            throw new IllegalArgumentException("a message of " + xdr.remaining() + " bytes has no XID");
        }
        return Integer.toUnsignedLong(xdr.getInt(xdr.position()));
    }

    /** The length of the unreduced message. */
    public long lengthBytes() {
        long sum = xdr.remaining();
        for (int i = 0; i < items.size(); i++) {
            sum += XdrStream.roundUp(items.get(i).payload().lengthBytes());
        }
        return sum;
    }

    /** Adds the message to a row of pieces, with its items and their pads at their offsets. Nothing is copied. */
    public void addTo(Pieces row) {
        int taken = 0;
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            addXdr(row, taken, item.offsetBytes());
            int lengthBytes = item.payload().lengthBytes();
            switch (item.payload()) {
                case Payload data -> row.add(data.buffer().slice());
                case LentBytes lent -> lent.buffers().forEach(lentBuffer -> row.add(lentBuffer.slice()));
                case FileRange range -> row.add(range, 0, lengthBytes);
            }
            int padBytes = XdrStream.roundUp(lengthBytes) - lengthBytes;
            if (padBytes > 0) {
                row.add(ByteBuffer.allocate(padBytes));
            }
            taken = item.offsetBytes();
        }
        addXdr(row, taken, xdr.remaining());
    }

    private void addXdr(Pieces row, int from, int to) {
        if (to > from) {
            row.add(xdr.slice(xdr.position() + from, to - from));
        }
    }

    /** The message as a list of buffers. Its payloads must be in memory. */
    public List<ByteBuffer> gather() {
        return splice(xdr, items);
    }

    /** The message in one new buffer. Its payloads are released. */
    public ByteBuffer flatten() {
        ByteBuffer flat = ByteBuffer.allocate(Math.toIntExact(lengthBytes()));
        for (ByteBuffer piece : gather()) {
            flat.put(piece.duplicate());
        }
        release();
        return flat.flip();
    }

    /** {@code xdr} as a list of buffers, with these items, which are in memory, and their pads at their offsets. */
    public static List<ByteBuffer> splice(ByteBuffer xdr, List<Item> items) {
        Pieces row = new Pieces();
        new RpcMessage(xdr, items).addTo(row);
        if (!row.inMemory()) {
            throw new IllegalArgumentException("a file range is not in memory");
        }
        return row.buffers();
    }

    /** Releases every payload, even if one cannot be given back. */
    public void release() {
        try {
            release(items);
        } finally {
            if (left != null) {
                left.run();
            }
        }
    }

    /** Releases the payloads of these items, even if one cannot be given back. */
    public static void release(List<Item> items) {
        Each.of(items, item -> item.payload().release());
    }
}
