package org.warpnfs.iwarp.ddp;

import java.util.Map;
import java.util.TreeMap;

/**
 * Tracks which bytes of one message have been placed. Senders should send segments in order (RFC 5041, section 5.3).
 * For them one number is enough. Segments out of order cost one interval each, up to a limit.
 */
public final class Coverage {
    /** The most segments that may have been placed beyond the first gap. */
    static final int MAX_INTERVALS = 64;

    private long coveredBytes;

    /** The segments placed beyond the first gap: start to end. */
    private final TreeMap<Long, Long> beyond = new TreeMap<>();

    /** Starts over for a new message. */
    public void reset() {
        coveredBytes = 0;
        beyond.clear();
    }

    /**
     * Records bytes as placed. Returns false if more than {@link #MAX_INTERVALS} segments now lie beyond the first gap.
     */
    public boolean add(long offset, long lengthBytes) {
        long end = offset + lengthBytes;
        if (offset > coveredBytes) {
            beyond.merge(offset, end, Math::max);
            return beyond.size() <= MAX_INTERVALS;
        }
        coveredBytes = Math.max(coveredBytes, end);
        for (Map.Entry<Long, Long> next = beyond.firstEntry();
                next != null && next.getKey() <= coveredBytes;
                next = beyond.firstEntry()) {
            coveredBytes = Math.max(coveredBytes, next.getValue());
            beyond.pollFirstEntry();
        }
        return true;
    }

    /** Whether the first {@code lengthBytes} bytes have been placed, and none beyond. */
    public boolean isExactly(long lengthBytes) {
        return coveredBytes == lengthBytes && beyond.isEmpty();
    }
}
