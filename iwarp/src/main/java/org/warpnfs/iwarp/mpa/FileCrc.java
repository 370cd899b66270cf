package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.payload.Pieces;

/**
 * The CRC of an FPDU whose payload is in a file. It is computed when the payload has been read to be sent, so that it
 * belongs to the bytes that are sent, whatever the file was when the FPDU was framed.
 *
 * <h2>Buffers</h2>
 *
 * Refers to the header and to pad and CRC in the scratch memory of the batch.
 *
 * <p>For the thread of the batch.
 */
final class FileCrc implements Pieces.Trailer {
    private final ByteBuffer header;
    private final CRC32C checksum = new CRC32C();
    private @Nullable ByteBuffer padAndCrc;

    /** @param header what comes before the payload, from the length field on */
    FileCrc(ByteBuffer header) {
        this.header = header;
    }

    /** @param memory the pad, and room for the CRC */
    void goesTo(ByteBuffer memory) {
        padAndCrc = memory;
    }

    @Override
    public void complete(ByteBuffer part) {
        ByteBuffer behind = padAndCrc;
        if (behind == null) {
            throw new IllegalStateException("the FPDU has no end");
        }
        int padBytes = behind.capacity() - Fpdu.CRC_BYTES;
        checksum.reset();
        checksum.update(header.duplicate());
        checksum.update(part.duplicate());
        checksum.update(behind.slice(0, padBytes));
        BigEndian.putU32(behind.slice(padBytes, Fpdu.CRC_BYTES), Integer.reverseBytes((int) checksum.getValue()));
    }
}
