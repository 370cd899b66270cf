package org.warpnfs.iwarp.mpa;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Inserts markers into a stream of FPDUs without markers, byte by byte as RFC 5044, section 4.3 describes them.
 * Computes CRCs over the result if asked to. An incomplete FPDU at the end gets markers as well.
 */
public final class MarkerInserter {
    private static final int SPACING = 512;

    private final boolean crc;

    /** The position in the stream with markers. */
    private long position;

    /** Creates an inserter that leaves CRCs as they are. */
    public MarkerInserter() {
        this(false);
    }

    MarkerInserter(boolean crc) {
        this.crc = crc;
    }

    /** The same FPDUs with markers. The next call continues where this one ended. */
    public byte[] insert(byte[] fpdus) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 0; at < fpdus.length; ) {
            int lengthBytes =
                    fpdus.length - at < 2 ? 2 : ((2 + ByteBuffer.wrap(fpdus).getChar(at) + 3) & ~3) + 4;
            boolean whole = lengthBytes <= fpdus.length - at;
            int end = whole ? at + lengthBytes : fpdus.length;
            insertOne(fpdus, at, end, whole, out);
            at = end;
        }
        return out.toByteArray();
    }

    private void insertOne(byte[] fpdus, int from, int end, boolean whole, ByteArrayOutputStream out) {
        CRC32C checksum = new CRC32C();
        long lengthPosition = position % SPACING == 0 ? position + 4 : position;
        int crcAt = whole ? end - 4 : end;
        long sum = 0;
        for (int at = from; at < end; at++) {
            if (position % SPACING == 0) {
                int pointer = (int) Math.max(0, position - lengthPosition);
                for (int octet : new int[] {0, 0, (pointer >>> 8) & 0xff, pointer & 0xff}) {
                    put(octet, checksum, out);
                }
            }
            if (crc && at >= crcAt) {
                // The least significant byte comes first. No marker splits the CRC, because the length of an FPDU is a
                // multiple of four bytes.
                sum = at == crcAt ? checksum.getValue() : sum >>> 8;
                put((int) sum & 0xff, null, out);
            } else {
                put(fpdus[at], at < crcAt ? checksum : null, out);
            }
        }
    }

    private void put(int octet, CRC32C checksum, ByteArrayOutputStream out) {
        out.write(octet);
        position++;
        if (checksum != null) {
            checksum.update(octet);
        }
    }
}
