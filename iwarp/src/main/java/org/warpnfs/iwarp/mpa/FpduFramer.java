package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.payload.FileRange;

/**
 * Frames ULPDUs without markers.
 *
 * <h2>Operation</h2>
 *
 * Frames one ULPDU after the other. Each lies within one {@link FpduBatch}.
 *
 * <h2>Buffers</h2>
 *
 * Owns none. With CRC on, the checksum is computed when the payload is framed. If the payload changes between then and
 * the write, the CRC is wrong. The CRC of payload in a file is computed when its bytes are read to be sent
 * ({@link FileCrc}).
 *
 * <h2>Errors</h2>
 *
 * A ULPDU whose length differs from the announced one is a bug and throws {@link IllegalStateException}.
 */
public final class FpduFramer implements Framer {
    private final boolean crc;
    private final CRC32C checksum = new CRC32C();
    private int ulpduBytes;
    private int summedTo;
    private int payloadBytes;
    private int headerStart;
    private int copiedBytes;

    /** Whether the payload is in a file. */
    private boolean inFile;

    public FpduFramer(boolean crc) {
        this.crc = crc;
    }

    @Override
    public int mulpduBytes(int fpduBytes) {
        int mostBytes = (fpduBytes & ~3) - Fpdu.LENGTH_BYTES - Fpdu.CRC_BYTES;
        return Math.clamp(mostBytes, Fpdu.MIN_MULPDU_BYTES, Fpdu.MAX_ULPDU_BYTES);
    }

    @Override
    public boolean hasRoom(FpduBatch batch) {
        return batch.hasRoom();
    }

    @Override
    public ByteBuffer start(FpduBatch batch, int ulpduBytes) {
        if (ulpduBytes > Fpdu.MAX_ULPDU_BYTES) {
            throw new IllegalArgumentException("ULPDU of " + ulpduBytes + " bytes");
        }
        this.ulpduBytes = ulpduBytes;
        payloadBytes = 0;
        copiedBytes = 0;
        inFile = false;
        batch.begin(Fpdu.lengthBytes(ulpduBytes));
        checksum.reset();
        ByteBuffer scratch = batch.scratch();
        summedTo = scratch.position();
        BigEndian.putU16(scratch, ulpduBytes);
        headerStart = scratch.position();
        return scratch;
    }

    @Override
    public void payload(FpduBatch batch, ByteBuffer piece) {
        int before = batch.scratch().position();
        batch.payload(piece);
        copiedBytes += batch.scratch().position() - before;
        payloadBytes += piece.remaining();
        if (crc && batch.scratch().position() == before) {
            sumScratch(batch);
            checksum.update(piece.duplicate());
        }
    }

    @Override
    public void payload(FpduBatch batch, FileRange range, int from, int lengthBytes) {
        if (payloadBytes > 0) {
            throw new IllegalStateException("payload in a file behind other payload");
        }
        payloadBytes = lengthBytes;
        if (lengthBytes > 0) {
            inFile = true;
            batch.payload(range, from, lengthBytes, Fpdu.LENGTH_BYTES + ulpduBytes - lengthBytes, crc);
        }
    }

    @Override
    public void end(FpduBatch batch) {
        ByteBuffer scratch = batch.scratch();
        int headerBytes = scratch.position() - headerStart - copiedBytes;
        if (headerBytes + payloadBytes != ulpduBytes) {
            throw new IllegalStateException("ULPDU of " + ulpduBytes + " bytes was announced, " + headerBytes + " and "
                    + payloadBytes + " bytes came");
        }
        for (int pad = Fpdu.padBytes(ulpduBytes); pad > 0; pad--) {
            scratch.put((byte) 0);
        }
        boolean summed = crc && !inFile;
        if (summed) {
            sumScratch(batch);
        }
        BigEndian.putU32(scratch, summed ? Integer.reverseBytes((int) checksum.getValue()) : 0);
    }

    /** Always 0: without markers no FPDU depends on those before it. */
    @Override
    public int mark() {
        return 0;
    }

    @Override
    public void rewind(int mark) {}

    private void sumScratch(FpduBatch batch) {
        ByteBuffer scratch = batch.scratch();
        checksum.update(scratch.slice(summedTo, scratch.position() - summedTo));
        summedTo = scratch.position();
    }
}
