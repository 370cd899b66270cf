package org.warpnfs.tools.bench.load;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * The test data of a file. Each byte follows from its offset. No two pages of 4096 bytes are equal, so data at a wrong
 * offset are detected.
 *
 * <p>Thread-safe.
 */
public final class Pattern {
    private static final int PAGE_BYTES = 4096;
    private static final int MARK_BYTES = 8;
    private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

    private final long seed;
    private final ByteBuffer base = ByteBuffer.allocateDirect(PAGE_BYTES);

    /** @param seed chooses the pattern */
    public Pattern(long seed) {
        this.seed = seed * SPREAD;
        byte[] random = new byte[PAGE_BYTES];
        new Random(seed).nextBytes(random);
        base.put(random).flip();
    }

    /** Fills {@code into} from position to limit with the data for {@code fileOffset}. */
    public void fill(ByteBuffer into, long fileOffset) {
        int position = into.position();
        long offset = fileOffset;
        while (position < into.limit()) {
            int inPage = (int) (offset % PAGE_BYTES);
            int step = Math.min(PAGE_BYTES - inPage, into.limit() - position);
            into.put(position, base, inPage, step);
            long mark = mark(offset);
            for (int i = inPage; i < Math.min(MARK_BYTES, inPage + step); i++) {
                into.put(position + i - inPage, markByte(mark, i));
            }
            position += step;
            offset += step;
        }
    }

    /** Whether {@code data}, from position to limit, equals the data for {@code fileOffset}. */
    public boolean matches(ByteBuffer data, long fileOffset) {
        int position = data.position();
        long offset = fileOffset;
        while (position < data.limit()) {
            int inPage = (int) (offset % PAGE_BYTES);
            int step = Math.min(PAGE_BYTES - inPage, data.limit() - position);
            int marked = Math.max(0, Math.min(MARK_BYTES - inPage, step));
            long mark = mark(offset);
            for (int i = 0; i < marked; i++) {
                if (data.get(position + i) != markByte(mark, inPage + i)) {
                    return false;
                }
            }
            int rest = step - marked;
            if (rest > 0 && data.slice(position + marked, rest).mismatch(base.slice(inPage + marked, rest)) != -1) {
                return false;
            }
            position += step;
            offset += step;
        }
        return true;
    }

    private long mark(long offset) {
        return seed ^ (offset / PAGE_BYTES + 1) * SPREAD;
    }

    private static byte markByte(long mark, int index) {
        return (byte) (mark >>> (8 * index));
    }
}
