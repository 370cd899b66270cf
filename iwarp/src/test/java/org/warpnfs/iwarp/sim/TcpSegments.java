package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.warpnfs.iwarp.mpa.Fpdu;
import org.warpnfs.iwarp.mpa.FpduBatch;

/**
 * A model of the TCP under one end: how long its segments are, which changes, and where a segment begins in what it is
 * given.
 */
final class TcpSegments {
    private static final int[] LENGTHS = {88, 511, 512, 536, 1428, 1447, 1448, 8948, 16_384, 65_483};
    private static final int CHANGES_EVERY = 5;

    /** The least length that FPDUs are made to fit, and the longest that they are aligned to. */
    private static final int LEAST_BYTES = 512;

    private static final int LONGEST_BYTES = 16 << 10;

    private final End end;
    private final SplittableRandom random;
    private int segmentBytes;

    TcpSegments(End end, SplittableRandom random) {
        this.end = end;
        this.random = random;
    }

    /** The length of a segment now. */
    int bytes() {
        if (segmentBytes == 0 || random.nextInt(CHANGES_EVERY) == 0) {
            segmentBytes = LENGTHS[random.nextInt(LENGTHS.length)];
            end.run.coverage.see("segments of " + segmentBytes);
        }
        return segmentBytes;
    }

    /** Checks FPDUs without markers that are given to the socket at once. */
    void given(FpduBatch batch) {
        ByteBuffer bytes = ByteBuffer.allocate((int) batch.lengthBytes());
        batch.buffers().forEach(buffer -> bytes.put(buffer.duplicate()));
        bytes.flip();
        int fitting = segmentBytes & ~3;
        boolean aligned = fitting >= LEAST_BYTES && fitting <= LONGEST_BYTES;
        List<Long> ends = batch.pieces().segmentEnds();
        int nextEnd = 0;
        int begins = 0;
        while (bytes.hasRemaining()) {
            int at = bytes.position();
            if (nextEnd < ends.size() && ends.get(nextEnd) == at) {
                nextEnd++;
                begins = at;
            }
            int lengthBytes = Fpdu.lengthBytes(bytes.getShort(at) & 0xffff);
            Broken.unless(
                    lengthBytes <= Math.max(fitting, LEAST_BYTES),
                    () -> end + ": an FPDU of " + lengthBytes + " bytes in segments of " + segmentBytes);
            if (aligned) {
                int inSegment = (at - begins) % fitting;
                Broken.unless(
                        inSegment + lengthBytes <= fitting,
                        () -> end + ": an FPDU of " + lengthBytes + " bytes crosses the end of a segment of "
                                + fitting);
            }
            bytes.position(at + lengthBytes);
        }
        int missed = ends.size() - nextEnd;
        Broken.unless(missed == 0, () -> end + ": " + missed + " segments end inside an FPDU");
        Broken.unless(aligned == batch.pieces().inSegments(), () -> end + ": segments of " + segmentBytes);
        if (nextEnd > 0) {
            end.run.coverage.see("ended segment");
        }
    }
}
