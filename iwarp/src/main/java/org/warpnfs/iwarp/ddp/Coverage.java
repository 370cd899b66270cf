package org.warpnfs.iwarp.ddp;

import java.util.Map;
import java.util.TreeMap;

/**
 * Which bytes of one message have been placed. Senders should send segments in order (RFC 5041, section 5.3), and one
 * number serves then; those that do not cost a few intervals, of which there is a limit.
 */
public final class Coverage {
    /** The most gaps that a message may have at one time. */
    static final int MAX_INTERVALS = 64;

    private long coveredBytes;

    /** Start to end of what lies beyond a gap. */
    private final TreeMap<Long, Long> beyond = new TreeMap<>();

    /** Forgets everything: a new message begins. */
    public void reset() {
        coveredBytes = 0;
        beyond.clear();
    }

    /** Notes bytes as placed; false when that makes too many gaps. */
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

    /** Whether exactly the first {@code lengthBytes} have been placed. */
    public boolean isExactly(long lengthBytes) {
        return coveredBytes == lengthBytes && beyond.isEmpty();
    }
}
