package org.warpnfs.nfs.v4.state.recovery;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One sector of a {@link BatchLog}, big endian: the unit that a medium writes whole or not at all.
 *
 * <pre>
 *   offset  length
 *      0      16    log: random for each file, so that older data on the medium cannot pass for this file's
 *     16       4    batch: its number in this file, from 0
 *     20       4    index of this sector in its batch, from 0
 *     24       4    count of the sectors of the batch, at least 1
 *     28     476    the next bytes of the batch, zeroes after its end
 *    504       4    CRC32C of all before
 *    508       4    "WRCV"
 * </pre>
 *
 * A sector that was never written is zeroes. A written sector has a nonzero byte among its first 28, and its last byte
 * is not zero. So a flipped byte cannot make a written sector look unwritten or an unwritten one look written, as long
 * as the checksum detects it. If a write ends within a sector, its last byte is missing.
 */
record LogSector(Tag tag, int index, int count, ByteBuffer content) {
    static final int BYTES = 512;
    static final int CONTENT_BYTES = 476;

    private static final int LOG_HIGH = 0;
    private static final int LOG_LOW = LOG_HIGH + Long.BYTES;
    private static final int BATCH = LOG_LOW + Long.BYTES;
    private static final int INDEX = BATCH + Integer.BYTES;
    private static final int COUNT = INDEX + Integer.BYTES;
    private static final int CONTENT = COUNT + Integer.BYTES;
    private static final int SUM = CONTENT + CONTENT_BYTES;
    private static final int MARK = SUM + Integer.BYTES;
    private static final int MARK_VALUE = 0x57524356;

    /** The file and batch that a sector belongs to. */
    record Tag(long logHigh, long logLow, int batch) {
        Tag next() {
            return new Tag(logHigh, logLow, batch + 1);
        }
    }

    /** Encodes sector {@code index} of {@code count} to {@code out}, with as much of {@code batch} as fits. */
    static void encode(Tag tag, int index, int count, ByteBuffer batch, ByteBuffer out) {
        ByteBuffer sector = out.slice(out.position(), BYTES);
        sector.putLong(LOG_HIGH, tag.logHigh)
                .putLong(LOG_LOW, tag.logLow)
                .putInt(BATCH, tag.batch)
                .putInt(INDEX, index)
                .putInt(COUNT, count);
        int length = Math.min(batch.remaining(), CONTENT_BYTES);
        sector.put(CONTENT, batch, batch.position(), length);
        batch.position(batch.position() + length);
        sector.putInt(SUM, sum(sector)).putInt(MARK, MARK_VALUE);
        out.position(out.position() + BYTES);
    }

    /** True if this sector, which cannot be {@linkplain #parse parsed}, was never written or not to its end. */
    static boolean isUnwritten(ByteBuffer sector) {
        return isZero(sector, 0, CONTENT) || sector.get(BYTES - 1) == 0;
    }

    /** True if it is all zeroes. */
    static boolean isEmpty(ByteBuffer sector) {
        return isZero(sector, 0, BYTES);
    }

    /** Parses a sector; null if it is not one that was written whole. */
    static @Nullable LogSector parse(ByteBuffer sector) {
        if (sector.getInt(SUM) != sum(sector)) {
            return null;
        }
        int count = sector.getInt(COUNT);
        int index = sector.getInt(INDEX);
        if (count < 1 || index < 0 || index >= count) {
            return null;
        }
        Tag tag = new Tag(sector.getLong(LOG_HIGH), sector.getLong(LOG_LOW), sector.getInt(BATCH));
        return new LogSector(tag, index, count, sector.slice(CONTENT, CONTENT_BYTES));
    }

    private static boolean isZero(ByteBuffer sector, int from, int to) {
        for (int at = from; at < to; at++) {
            if (sector.get(at) != 0) {
                return false;
            }
        }
        return true;
    }

    private static int sum(ByteBuffer sector) {
        CRC32C crc = new CRC32C();
        crc.update(sector.slice(0, SUM));
        return (int) crc.getValue();
    }
}
