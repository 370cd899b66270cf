package org.warpnfs.nfs.locks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.warpnfs.keys.KeyedHash;

/**
 * A range of bytes, including both ends, compared unsigned.
 *
 * @param first its first byte
 * @param last its last byte; all ones for "to the end of the file, wherever that will be"
 */
public record ByteRange(long first, long last) {
    /** NFS_UINT64_MAX as a length: to the end of the file. */
    public static final long TO_EOF = -1;

    /** Every byte of a file. */
    public static final ByteRange ALL = new ByteRange(0, -1);

    /**
     * The range of an offset and a length, as in LOCK of NFSv4 (RFC 8881, section 18.10.3); empty if it has no byte, or
     * if the sum of both exceeds 2^64 - 1. So only a range to the end of the file has the last possible byte.
     */
    public static Optional<ByteRange> of(long offset, long length) {
        if (length == TO_EOF) {
            return Optional.of(new ByteRange(offset, -1));
        }
        return length == 0 || Long.compareUnsigned(length, -1 - offset) > 0
                ? Optional.empty()
                : Optional.of(new ByteRange(offset, offset + (length - 1)));
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(first, last);
    }

    /** The length, as in LOCK. */
    public long length() {
        return last == -1 ? TO_EOF : last - first + 1;
    }

    /** True if both have a byte in common. */
    public boolean overlaps(ByteRange other) {
        return Long.compareUnsigned(first, other.last) <= 0 && Long.compareUnsigned(other.first, last) <= 0;
    }

    /** True if every byte of the other range is in this one. */
    boolean contains(ByteRange other) {
        return Long.compareUnsigned(first, other.first) <= 0 && Long.compareUnsigned(other.last, last) <= 0;
    }

    /** What both have in common; they overlap. */
    ByteRange common(ByteRange other) {
        return new ByteRange(
                Long.compareUnsigned(first, other.first) < 0 ? other.first : first,
                Long.compareUnsigned(last, other.last) < 0 ? last : other.last);
    }

    /** The parts of this range that are not in {@code other}: at most two. */
    List<ByteRange> without(ByteRange other) {
        if (!overlaps(other)) {
            return List.of(this);
        }
        List<ByteRange> left = new ArrayList<>(2);
        if (Long.compareUnsigned(first, other.first) < 0) {
            left.add(new ByteRange(first, other.first - 1));
        }
        if (Long.compareUnsigned(last, other.last) > 0) {
            left.add(new ByteRange(other.last + 1, last));
        }
        return left;
    }

    /** True if {@code other} begins directly after this range. */
    boolean touches(ByteRange other) {
        return last != -1 && last + 1 == other.first;
    }
}
