package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Puts records together from the fragments of a stream (RFC 5531, section 11), however it is cut.
 *
 * <pre>
 * 0 | last fragment flag (1 bit), length of the fragment (31 bits)   4
 * 4 | data                                                           length
 * </pre>
 *
 * <h2>Operation</h2>
 *
 * A record that lies within one piece of the stream is a slice of it. Any other is put together in one buffer: what
 * came with the pieces is copied, and the rest can be read straight into {@link #target()}. The buffer grows as bytes
 * arrive, to no more than 32 times what has come of the record.
 *
 * <p>Before the first byte of a record is kept, its whole length is taken from the budget: the length of its fragment
 * if that is the last, else the limit of a record. While the budget refuses, {@link #next} returns nothing and
 * {@link #waitsForMemory} says why.
 *
 * <h2>Buffers</h2>
 *
 * Owns what was added, and the record in progress. A finished record is the caller's to release; as many bytes as it
 * has are then to be given back to the budget. A record never keeps more than four times its length alive, or 16 KiB: a
 * smaller part of a piece is copied.
 *
 * <h2>Errors</h2>
 *
 * {@link RecordViolation} for a record above the limit, or of a thousand empty fragments; the reader is of no use
 * afterwards. One thread only.
 */
final class RecordReader {
    private static final int HEADER_BYTES = 4;
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int FIRST_CAPACITY_BYTES = 16 << 10;
    private static final int GROWTH = 32;

    /** Nobody needs one; a record of nothing else would never end. */
    private static final int MAX_EMPTY_FRAGMENTS = 1024;

    /** A record that is less than a quarter of a large piece is copied, so that it does not keep the piece. */
    private static final int SLICED_PART = 4;

    /** Less than this is not worth a read of its own. */
    private static final int MIN_TARGET_BYTES = 16 << 10;

    private final ByteBufAllocator allocator;
    private final int maxRecordBytes;
    private final RecordBudget budget;
    private final Deque<ByteBuf> pieces = new ArrayDeque<>();
    private int headerBytesRead;
    private int header;
    private int fragmentLeftBytes;
    private int recordBytes;
    private @Nullable ByteBuf record;
    private boolean targeted;
    private int takenBytes;
    private int emptyFragments;
    private long recordsBegun;
    private boolean waitsForMemory;

    RecordReader(ByteBufAllocator allocator, int maxRecordBytes, RecordBudget budget) {
        this.allocator = allocator;
        this.maxRecordBytes = maxRecordBytes;
        this.budget = budget;
    }

    /**
     * Appends the next piece of the stream.
     *
     * @return how many bytes came with it
     */
    @SuppressWarnings("ReferenceEquality") // whether it is the very buffer that was lent
    int add(ByteBuf piece) {
        int bytes = piece.readableBytes();
        if (targeted && piece == record) {
            int leftBytes = recordBytes - piece.writerIndex();
            bytes = fragmentLeftBytes - leftBytes;
            fragmentLeftBytes = leftBytes;
            piece.release();
        } else {
            pieces.add(piece);
        }
        targeted = false;
        return bytes;
    }

    /**
     * Where the next bytes of the stream may be written, up to the capacity, if the record in progress lacks that many:
     * the caller holds it as well, and either releases it or gives it back by {@link #add}.
     *
     * @return null if the next bytes are to come as a piece
     */
    @Nullable
    ByteBuf target() {
        ByteBuf into = record;
        if (into == null || !pieces.isEmpty() || fragmentLeftBytes < MIN_TARGET_BYTES) {
            return null;
        }
        grow(into, 1);
        targeted = true;
        return into.retain();
    }

    /** Makes room for {@code bytes} more, and for as much as what has come justifies; never beyond the fragment. */
    private void grow(ByteBuf into, int bytes) {
        int neededBytes = into.writerIndex() + bytes;
        if (neededBytes > into.capacity()) {
            into.capacity((int) Math.min(recordBytes, Math.max(neededBytes, (long) into.writerIndex() * GROWTH)));
        }
    }

    /** The next whole record, null if there is none yet. */
    @Nullable
    ByteBuf next() throws RecordViolation {
        if (record != null && fragmentLeftBytes == 0 && headerBytesRead == HEADER_BYTES) {
            // The last byte was read straight into the target.
            headerBytesRead = 0;
            if ((header & LAST_FRAGMENT) != 0) {
                return finish();
            }
        }
        waitsForMemory = false;
        for (ByteBuf piece = pieces.peek(); piece != null && !waitsForMemory; piece = pieces.peek()) {
            ByteBuf whole = advance(piece);
            if (!piece.isReadable()) {
                pieces.remove();
                piece.release();
            }
            if (whole != null) {
                return whole;
            }
        }
        return null;
    }

    /** True if {@link #next} has returned nothing because the budget refused. */
    boolean waitsForMemory() {
        return waitsForMemory;
    }

    /** True if there is something that {@link #next} has not looked at yet. */
    boolean hasMore() {
        return !pieces.isEmpty();
    }

    /** How many records have begun. */
    long recordsBegun() {
        return recordsBegun;
    }

    /** True between the first byte of a record and its last. */
    boolean insideRecord() {
        return headerBytesRead > 0 || recordBytes > 0 || emptyFragments > 0;
    }

    /**
     * Bytes that are to come of the record in progress, or may be as long as its last fragment has not begun; 0 if
     * there is none.
     */
    long leftBytes() {
        if (!insideRecord()) {
            return 0;
        }
        boolean known = headerBytesRead == HEADER_BYTES && (header & LAST_FRAGMENT) != 0;
        return known ? Math.max(1, fragmentLeftBytes) : maxRecordBytes;
    }

    /** Releases everything, and gives back what was taken for the record in progress. */
    void close() {
        for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
            piece.release();
        }
        if (record != null) {
            record.release();
            record = null;
        }
        budget.give(takenBytes);
        takenBytes = 0;
    }

    private @Nullable ByteBuf advance(ByteBuf piece) throws RecordViolation {
        while (true) {
            if (headerBytesRead < HEADER_BYTES) {
                if (!piece.isReadable()) {
                    return null;
                }
                if (headerBytesRead == 0 && recordBytes == 0 && emptyFragments == 0) {
                    recordsBegun++;
                }
                header = header << 8 | piece.readUnsignedByte();
                headerBytesRead++;
                if (headerBytesRead == HEADER_BYTES) {
                    beginFragment();
                }
            } else if (fragmentLeftBytes > 0) {
                if (!piece.isReadable()) {
                    return null;
                }
                if (!takeMemory()) {
                    waitsForMemory = true;
                    return null;
                }
                ByteBuf whole = takeFragment(piece);
                if (whole != null) {
                    return whole;
                }
            } else {
                headerBytesRead = 0;
                if ((header & LAST_FRAGMENT) != 0) {
                    return finish();
                }
            }
        }
    }

    private void beginFragment() throws RecordViolation {
        int lengthBytes = header & ~LAST_FRAGMENT;
        if (lengthBytes > maxRecordBytes - recordBytes) {
            throw new RecordViolation("record of " + (recordBytes + (long) lengthBytes) + " bytes or more");
        }
        if (lengthBytes == 0 && ++emptyFragments > MAX_EMPTY_FRAGMENTS) {
            throw new RecordViolation("record of more than " + MAX_EMPTY_FRAGMENTS + " empty fragments");
        }
        recordBytes += lengthBytes;
        fragmentLeftBytes = lengthBytes;
    }

    /** Once for each record: how much will come is known, or as much as may come is assumed. */
    private boolean takeMemory() {
        if (takenBytes > 0) {
            return true;
        }
        int neededBytes = (header & LAST_FRAGMENT) != 0 ? recordBytes : maxRecordBytes;
        if (!budget.take(neededBytes)) {
            return false;
        }
        takenBytes = neededBytes;
        return true;
    }

    private @Nullable ByteBuf takeFragment(ByteBuf piece) {
        int step = Math.min(fragmentLeftBytes, piece.readableBytes());
        boolean all = record == null && step == recordBytes && (header & LAST_FRAGMENT) != 0;
        if (all && (step >= piece.capacity() / SLICED_PART || piece.capacity() < MIN_TARGET_BYTES)) {
            takenBytes = 0;
            reset();
            return piece.readRetainedSlice(step);
        }
        if (record == null) {
            record = allocator.directBuffer(
                    (int) Math.min(recordBytes, Math.max(FIRST_CAPACITY_BYTES, (long) step * GROWTH)), maxRecordBytes);
        }
        grow(record, step);
        record.writeBytes(piece, step);
        fragmentLeftBytes -= step;
        return null;
    }

    private ByteBuf finish() {
        ByteBuf finished = record != null ? record : allocator.directBuffer(0, 0);
        record = null;
        budget.give(takenBytes - finished.readableBytes());
        takenBytes = 0;
        reset();
        return finished;
    }

    private void reset() {
        headerBytesRead = 0;
        fragmentLeftBytes = 0;
        recordBytes = 0;
        emptyFragments = 0;
    }
}
