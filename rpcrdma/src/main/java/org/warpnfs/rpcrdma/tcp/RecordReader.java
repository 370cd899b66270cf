package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Assembles records from the fragments of a stream (RFC 5531, section 11). The stream may arrive in pieces of any size.
 *
 * <pre>
 * 0 | last fragment flag (1 bit), length of the fragment (31 bits)   4
 * 4 | data                                                           length
 * </pre>
 *
 * <h2>Operation</h2>
 *
 * A record that lies within one piece of the stream is a slice of it. Any other record is assembled in one buffer.
 * Bytes that came in pieces are copied to it, and the rest can be read straight into {@link #target()}. The buffer
 * grows as bytes arrive, up to 32 times the received bytes of the record.
 *
 * <p>Before the first byte of a record is kept, its whole length is taken from the budget: the length of its fragment
 * if that is the last, else the limit of a record. While the budget refuses, {@link #next} returns null and
 * {@link #waitsForMemory} returns true.
 *
 * <h2>Buffers</h2>
 *
 * Owns the pieces that were added, and the record in progress. The caller releases a finished record, and then gives
 * its length back to the budget. A record never keeps more than four times its length alive, or 16 KiB. A record that
 * is a smaller part of its piece is copied.
 *
 * <h2>Errors</h2>
 *
 * {@link RecordViolation} for a record above the limit, or of a thousand empty fragments. The reader must not be used
 * afterwards. For one thread only.
 */
final class RecordReader {
    private static final int HEADER_BYTES = 4;
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int FIRST_CAPACITY_BYTES = 16 << 10;
    private static final int GROWTH = 32;

    /**
     * The most empty fragments of a record. Nobody needs them, and a record of only empty fragments would never end.
     */
    private static final int MAX_EMPTY_FRAGMENTS = 1024;

    /** A record that is less than a quarter of a large piece is copied, so that it does not keep the piece. */
    private static final int SLICED_PART = 4;

    /** A shorter rest of a record is not worth a read of its own. */
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
     * @return the number of bytes in the piece
     */
    @SuppressWarnings("ReferenceEquality") // tests whether it is the very buffer that was lent
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
     * The buffer that the next bytes of the stream may be written to, up to its capacity, if the record in progress
     * lacks that many. The caller gets a reference of its own, and either releases it or returns the buffer by
     * {@link #add}.
     *
     * @return null if the next bytes shall come as a piece
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

    /**
     * Makes room for {@code bytes} more, and for as much more as the received bytes justify, but not beyond the
     * fragment.
     */
    private void grow(ByteBuf into, int bytes) {
        int neededBytes = into.writerIndex() + bytes;
        if (neededBytes > into.capacity()) {
            into.capacity((int) Math.min(recordBytes, Math.max(neededBytes, (long) into.writerIndex() * GROWTH)));
        }
    }

    /** The next complete record; null if there is none yet. */
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

    /** True if {@link #next} has returned null because the budget refused. */
    boolean waitsForMemory() {
        return waitsForMemory;
    }

    /** True if there are bytes that {@link #next} has not processed yet. */
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
     * The number of bytes still to come of the record in progress, or the largest possible number as long as its last
     * fragment has not begun; 0 if no record is in progress.
     */
    long leftBytes() {
        if (!insideRecord()) {
            return 0;
        }
        boolean known = headerBytesRead == HEADER_BYTES && (header & LAST_FRAGMENT) != 0;
        return known ? Math.max(1, fragmentLeftBytes) : maxRecordBytes;
    }

    /** Releases everything, and gives back the memory taken for the record in progress. */
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
            throw new RecordViolation(
                    "record of " + (recordBytes + (long) lengthBytes) + " bytes or more, limit " + maxRecordBytes);
        }
        if (lengthBytes == 0 && ++emptyFragments > MAX_EMPTY_FRAGMENTS) {
            throw new RecordViolation("record of more than " + MAX_EMPTY_FRAGMENTS + " empty fragments");
        }
        recordBytes += lengthBytes;
        fragmentLeftBytes = lengthBytes;
    }

    /** Takes memory once for each record, for its known length or else for the largest one. */
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
            ByteBuf whole = piece.readRetainedSlice(step);
            // From here on the caller gives back what was taken.
            takenBytes = 0;
            reset();
            return whole;
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
        // It stays ours until this has succeeded.
        record = finished;
        int unusedBytes = takenBytes - finished.readableBytes();
        takenBytes -= unusedBytes;
        budget.give(unusedBytes);
        record = null;
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
