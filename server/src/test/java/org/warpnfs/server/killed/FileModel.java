package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The data that a file may contain. Each WRITE fills its blocks with its own tag. A tag of 0 is a hole, or lies beyond
 * the end.
 *
 * <pre>
 *   event                     blocks may hold            has to be sent again
 *   WRITE sent                the former and the new     yes
 *   WRITE answered, unstable  the former and the new     yes, until a COMMIT of the same verifier
 *   WRITE answered, stable    the new                    no
 *   COMMIT answered           the latest                 no
 *   SETATTR answered          beyond the size: 0         no
 * </pre>
 */
final class FileModel {
    static final int BLOCK_BYTES = 4096;
    static final int BLOCKS = 16;

    private static final class Block {
        final Set<Long> possible = new TreeSet<>(Set.of(0L));
        /** The tag that a READ finds while the server lives. */
        long current;
        /** True if the latest WRITE is not known to be stable. */
        boolean unstable;

        boolean answered;
    }

    private final List<Block> blocks = new ArrayList<>();
    private long minSizeBytes;
    private long maxSizeBytes;

    FileModel() {
        for (int i = 0; i < BLOCKS; i++) {
            blocks.add(new Block());
        }
    }

    /** The blocks that one WRITE fills with one tag. */
    record Range(int first, int count, long tag) {
        long offsetBytes() {
            return (long) first * BLOCK_BYTES;
        }

        long endBytes() {
            return offsetBytes() + (long) count * BLOCK_BYTES;
        }

        ByteBuffer data() {
            ByteBuffer data = ByteBuffer.allocateDirect(count * BLOCK_BYTES);
            while (data.hasRemaining()) {
                data.putLong(tag);
            }
            return data.flip();
        }
    }

    private List<Block> in(Range range) {
        return blocks.subList(range.first(), range.first() + range.count());
    }

    void sent(Range range) {
        maxSizeBytes = Math.max(maxSizeBytes, range.endBytes());
        for (Block block : in(range)) {
            block.possible.add(range.tag());
            block.current = range.tag();
            block.unstable = true;
            block.answered = false;
        }
    }

    void answered(Range range, boolean stable) {
        if (stable) {
            minSizeBytes = Math.max(minSizeBytes, range.endBytes());
        }
        for (Block block : in(range)) {
            block.answered = true;
            if (stable) {
                settle(block);
            }
        }
    }

    private static void settle(Block block) {
        block.possible.clear();
        block.possible.add(block.current);
        block.unstable = false;
    }

    /** Notes that the server was killed: it may have lost data that it answered but did not make stable. */
    void serverKilled() {
        blocks.forEach(block -> block.answered = false);
    }

    /** Notes a COMMIT: all data that this server answered are stable. */
    void committed() {
        for (int i = 0; i < BLOCKS; i++) {
            Block block = blocks.get(i);
            if (block.unstable && block.answered) {
                settle(block);
                minSizeBytes = Math.max(minSizeBytes, (i + 1L) * BLOCK_BYTES);
            }
        }
    }

    void sizeSent(long sizeBytes) {
        minSizeBytes = Math.min(minSizeBytes, sizeBytes);
        maxSizeBytes = Math.max(maxSizeBytes, sizeBytes);
        for (Block block : beyond(sizeBytes)) {
            block.possible.add(0L);
        }
    }

    void sizeAnswered(long sizeBytes) {
        minSizeBytes = sizeBytes;
        maxSizeBytes = sizeBytes;
        for (Block block : beyond(sizeBytes)) {
            block.current = 0;
            settle(block);
        }
    }

    private List<Block> beyond(long sizeBytes) {
        return blocks.subList((int) (sizeBytes / BLOCK_BYTES), BLOCKS);
    }

    /** Returns the ranges that the client has to send again. */
    List<Range> toRepeat() {
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            if (blocks.get(i).unstable) {
                ranges.add(new Range(i, 1, blocks.get(i).current));
            }
        }
        return ranges;
    }

    /** Checks data that were read from the same server that wrote them. */
    void verify(ByteBuffer data, String what) {
        for (int i = 0; i < BLOCKS; i++) {
            assertThat(tag(data, i, what)).as("%s, block %d", what, i).isEqualTo(blocks.get(i).current);
        }
    }

    /** Checks data that were read after the server that wrote them was killed. */
    void verifyAfterKill(ByteBuffer data, String what) {
        assertThat((long) data.remaining())
                .as("%s, size", what)
                .isBetween(minSizeBytes, Math.max(minSizeBytes, maxSizeBytes));
        for (int i = 0; i < BLOCKS; i++) {
            Block block = blocks.get(i);
            long tag = tag(data, i, what);
            assertThat(block.possible).as("%s, block %d after a kill", what, i).contains(tag);
        }
    }

    private static long tag(ByteBuffer data, int block, String what) {
        int from = data.position() + block * BLOCK_BYTES;
        if (from >= data.limit()) {
            return 0;
        }
        int to = Math.min(from + BLOCK_BYTES, data.limit());
        long tag = data.getLong(from);
        for (int at = from; at < to; at += 8) {
            assertThat(data.getLong(at)).as("%s, byte %d", what, at).isEqualTo(tag);
        }
        return tag;
    }
}
