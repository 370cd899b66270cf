package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.payload.Pieces;

/**
 * The CRCs of FPDUs whose payload is in a file. They are computed when the payload has been read to be sent, so that
 * they belong to the bytes that are sent, whatever the file was when the FPDUs were framed.
 *
 * <h2>Buffers</h2>
 *
 * Refers to the scratch memory of the batch, where header, pad and CRC of these FPDUs lie one after the other.
 *
 * <p>For the thread of the batch.
 */
final class FileCrc implements Pieces.Trailer {
    private final ByteBuffer scratch;
    private final int headerAt;
    private final int headerBytes;
    private final CRC32C checksum = new CRC32C();

    /**
     * @param headerAt where the header of the first FPDU begins
     * @param headerBytes from the length field to the payload
     */
    FileCrc(ByteBuffer scratch, int headerAt, int headerBytes) {
        this.scratch = scratch.duplicate().clear();
        this.headerAt = headerAt;
        this.headerBytes = headerBytes;
    }

    @Override
    public void complete(ByteBuffer part) {
        ByteBuffer payload = part.duplicate();
        int at = headerAt;
        while (payload.position() < part.limit()) {
            int ulpduBytes = BigEndian.u16(scratch, at);
            int payloadBytes = Fpdu.LENGTH_BYTES + ulpduBytes - headerBytes;
            checksum.reset();
            checksum.update(scratch.limit(at + headerBytes).position(at));
            checksum.update(payload.limit(payload.position() + payloadBytes));
            int padAt = at + headerBytes;
            at = padAt + Fpdu.padBytes(ulpduBytes);
            checksum.update(scratch.limit(at).position(padAt));
            scratch.clear().position(at);
            BigEndian.putU32(scratch, Integer.reverseBytes((int) checksum.getValue()));
            at += Fpdu.CRC_BYTES;
        }
    }
}
