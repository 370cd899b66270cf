package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.payload.FileRange;

/**
 * Frames ULPDUs with {@link Markers} in between, for peers that ask for markers.
 *
 * <h2>Operation</h2>
 *
 * Counts the bytes of the stream from the first FPDU on, over all batches. A marker is written just before the byte
 * that follows it. So a marker that falls between two FPDUs is sent with the second.
 *
 * <h2>Buffers</h2>
 *
 * Owns the buffer that headers are written into, and copies them from there to the batch. Payload is referenced, cut
 * into the runs between markers.
 *
 * <h2>Errors</h2>
 *
 * A ULPDU whose length differs from the announced one is a bug and throws {@link IllegalStateException}.
 */
final class MarkedFramer implements Framer {
    private static final int HEADER_BYTES = 128;
    private static final int MAX_MARKERS = 1 + Fpdu.MAX_ULPDU_BYTES / Markers.RUN_BYTES;
    private static final int OVERHEAD_BYTES = FpduBatch.MAX_OVERHEAD_BYTES + MAX_MARKERS * Markers.BYTES;

    private final boolean crc;
    private final CRC32C checksum = new CRC32C();
    private final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    private final ByteBuffer zeros = ByteBuffer.allocate(Fpdu.MAX_PAD_BYTES);

    /** Bytes to the next marker. Starts at 0, because a marker precedes the first FPDU. */
    private int bytesToMarker;

    private int bytesSinceLength;
    private int ulpduBytes;
    private int framedBytes;
    private boolean inHeader;

    MarkedFramer(boolean crc) {
        this.crc = crc;
    }

    @Override
    public int mulpduBytes(int fpduBytes) {
        return Markers.mulpduBytes(bytesToMarker, fpduBytes);
    }

    @Override
    public boolean hasRoom(FpduBatch batch) {
        return batch.hasRoom(OVERHEAD_BYTES, 2 * MAX_MARKERS);
    }

    @Override
    public ByteBuffer start(FpduBatch batch, int announcedBytes) {
        if (announcedBytes > Fpdu.MAX_ULPDU_BYTES) {
            throw new IllegalArgumentException("ULPDU of " + announcedBytes + " bytes");
        }
        ulpduBytes = announcedBytes;
        framedBytes = -Fpdu.LENGTH_BYTES;
        checksum.reset();
        int lengthBytes = Fpdu.lengthBytes(announcedBytes);
        batch.begin(lengthBytes + Markers.BYTES * Markers.within(bytesToMarker, lengthBytes));
        if (bytesToMarker == 0) {
            marker(batch, 0);
        }
        bytesSinceLength = 0;
        inHeader = true;
        header.clear();
        BigEndian.putU16(header, announcedBytes);
        return header;
    }

    @Override
    public void payload(FpduBatch batch, ByteBuffer piece) {
        endHeader(batch);
        append(batch, piece, false);
    }

    @Override
    public void payload(FpduBatch batch, FileRange range, int from, int lengthBytes) {
        throw new IllegalStateException("bytes in a file have no markers");
    }

    @Override
    public void end(FpduBatch batch) {
        endHeader(batch);
        if (framedBytes != ulpduBytes) {
            throw new IllegalStateException(
                    "ULPDU of " + ulpduBytes + " bytes was announced, " + framedBytes + " bytes came");
        }
        append(batch, zeros.slice(0, Fpdu.padBytes(ulpduBytes)), true);
        if (bytesToMarker == 0) {
            marker(batch, bytesSinceLength);
        }
        BigEndian.putU32(batch.scratch(), crc ? Integer.reverseBytes((int) checksum.getValue()) : 0);
        bytesToMarker -= Fpdu.CRC_BYTES;
    }

    /** The bytes to the next marker. */
    @Override
    public int mark() {
        return bytesToMarker;
    }

    @Override
    public void rewind(int mark) {
        bytesToMarker = mark;
        inHeader = false;
    }

    private void endHeader(FpduBatch batch) {
        if (inHeader) {
            inHeader = false;
            append(batch, header.flip(), true);
        }
    }

    /** @param copied whether the bytes must be copied because they change before the batch has been sent */
    private void append(FpduBatch batch, ByteBuffer bytes, boolean copied) {
        framedBytes += bytes.remaining();
        int at = bytes.position();
        while (at < bytes.limit()) {
            if (bytesToMarker == 0) {
                marker(batch, bytesSinceLength);
            }
            int runBytes = Math.min(bytes.limit() - at, bytesToMarker);
            ByteBuffer run = bytes.slice(at, runBytes);
            if (crc) {
                checksum.update(run.duplicate());
            }
            if (copied) {
                batch.scratch().put(run);
            } else {
                batch.payload(run, OVERHEAD_BYTES);
            }
            at += runBytes;
            bytesToMarker -= runBytes;
            bytesSinceLength += runBytes;
        }
    }

    private void marker(FpduBatch batch, int pointer) {
        if (crc) {
            checksum.update(0);
            checksum.update(0);
            checksum.update(pointer >>> 8);
            checksum.update(pointer);
        }
        BigEndian.putU32(batch.scratch(), pointer);
        bytesToMarker = Markers.RUN_BYTES;
        bytesSinceLength += Markers.BYTES;
    }
}
