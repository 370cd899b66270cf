package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.Pieces;

/**
 * The payloads of successive FPDUs, which follow each other in a file, and what lies between them: the CRC of one and
 * the header of the next.
 *
 * <h2>Operation</h2>
 *
 * All payloads but the last have the same length, and so have all gaps. Nothing else lies between two payloads.
 *
 * <h2>Buffers</h2>
 *
 * The gaps lie one after the other in the scratch memory of the batch.
 *
 * <p>For the thread of the batch.
 */
final class FileFrames {
    private final FileRange range;
    private final int from;
    private final int everyBytes;
    private final int gapsAt;
    private final int gapBytes;
    private final @Nullable FileCrc crc;
    private int lengthBytes;
    private int endsAt;
    private boolean shortened;

    /**
     * @param payloadBytes the payload of the first FPDU
     * @param scratchAt where its header ends in the scratch memory
     * @param headerBytes the length of the header of each FPDU
     * @param crc makes the CRCs of these FPDUs; null if they have none
     */
    FileFrames(FileRange range, int from, int payloadBytes, int scratchAt, int headerBytes, @Nullable FileCrc crc) {
        this.range = range;
        this.from = from;
        this.everyBytes = payloadBytes;
        this.gapsAt = scratchAt;
        this.gapBytes = Fpdu.trailerBytes(headerBytes - Fpdu.LENGTH_BYTES + payloadBytes) + headerBytes;
        this.crc = crc;
        this.lengthBytes = payloadBytes;
        this.endsAt = scratchAt;
    }

    /** Whether a payload can be added. */
    boolean follows(FileRange nextRange, int nextFrom, int payloadBytes, int scratchAt) {
        return nextRange == range
                && nextFrom == from + lengthBytes
                && !shortened
                && payloadBytes <= everyBytes
                && lengthBytes + payloadBytes <= Pieces.MAX_SEEN_BYTES
                && scratchAt - endsAt == gapBytes;
    }

    /** Adds a payload that {@linkplain #follows follows}. */
    void add(int payloadBytes, int scratchAt) {
        endsAt = scratchAt;
        lengthBytes += payloadBytes;
        shortened = payloadBytes < everyBytes;
    }

    /** Bytes of the file. */
    int lengthBytes() {
        return lengthBytes;
    }

    /** Where the header of the last FPDU ends in the scratch memory. */
    int endsAt() {
        return endsAt;
    }

    void appendTo(Pieces pieces, ByteBuffer scratch) {
        Pieces.Gaps gaps =
                endsAt == gapsAt ? null : new Pieces.Gaps(scratch.slice(gapsAt, endsAt - gapsAt), everyBytes, gapBytes);
        pieces.addSeen(range, from, lengthBytes, crc, gaps);
    }
}
