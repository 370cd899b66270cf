package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Reads one direction of an MPA connection by RFC 5044 alone: the startup frame, then FPDUs, with or without markers.
 * Whenever bytes arrive, it reports the current FPDU as far as it has arrived.
 */
final class StreamReader {
    private static final int FRAME_BYTES = 20;
    private static final int SPACING_BYTES = 512;
    private static final int MARKER_BYTES = 4;
    private static final int CRC_BYTES = 4;

    private final boolean markers;
    private final Sink sink;

    /** The current FPDU as it is on the wire, and without markers. Before that, the startup frame. */
    private byte[] raw = new byte[512];

    private byte[] fpdu = new byte[512];
    private int rawBytes;
    private int fpduBytes;
    private boolean started;
    private long position;
    private int startupBytes;

    /** The parts of an FPDU outside its ULPDU. */
    record Trailer(boolean crcRight, boolean crcZero, boolean markersRight) {}

    /** Receives the FPDUs. */
    interface Sink {
        void startupFrame(ByteBuffer frame);

        /**
         * Reports more bytes of an FPDU.
         *
         * @param ulpdu the bytes of the ULPDU that have arrived
         * @param ulpduBytes the length of the ULPDU
         * @param whole null as long as bytes of the FPDU are missing
         */
        void fpdu(ByteBuffer ulpdu, int ulpduBytes, Trailer whole);
    }

    StreamReader(boolean markers, Sink sink) {
        this.markers = markers;
        this.sink = sink;
    }

    /** Whether no part of an FPDU has arrived. A marker that is sent ahead of its FPDU does not count. */
    boolean atBoundary() {
        return fpduBytes == 0 && (rawBytes == 0 || rawBytes == MARKER_BYTES);
    }

    void add(ByteBuffer in) {
        while (in.hasRemaining()) {
            if (!started) {
                startup(in);
            } else {
                step(in);
            }
        }
        if (started && fpduBytes > 2) {
            tell(null);
        }
    }

    private void startup(ByteBuffer in) {
        int wanted = FRAME_BYTES;
        if (fpduBytes >= FRAME_BYTES) {
            wanted += ByteBuffer.wrap(fpdu).getShort(18);
        }
        take(in, wanted - fpduBytes, true);
        if (fpduBytes >= FRAME_BYTES
                && fpduBytes == FRAME_BYTES + ByteBuffer.wrap(fpdu).getShort(18)) {
            started = true;
            sink.startupFrame(ByteBuffer.wrap(Arrays.copyOf(fpdu, fpduBytes)));
            startupBytes = fpduBytes;
            position = 0;
            rawBytes = 0;
            fpduBytes = 0;
        }
    }

    /** Whether the startup frame has ended. */
    boolean started() {
        return started;
    }

    /** The number of bytes of the stream before the current FPDU. */
    long startOfFpdu() {
        return startupBytes + position - rawBytes;
    }

    private void step(ByteBuffer in) {
        int inSpacing = (int) (position % SPACING_BYTES);
        if (markers && inSpacing < MARKER_BYTES) {
            take(in, MARKER_BYTES - inSpacing, false);
            return;
        }
        int wanted = fpduBytes < 2 ? 2 - fpduBytes : lengthBytes() - fpduBytes;
        take(in, markers ? Math.min(wanted, SPACING_BYTES - inSpacing) : wanted, true);
        if (fpduBytes >= 2 && fpduBytes == lengthBytes()) {
            tell(trailer());
            rawBytes = 0;
            fpduBytes = 0;
        }
    }

    private int ulpduBytes() {
        return (fpdu[0] & 0xff) << 8 | (fpdu[1] & 0xff);
    }

    private int lengthBytes() {
        return (2 + ulpduBytes() + 3 & ~3) + CRC_BYTES;
    }

    private void take(ByteBuffer in, int wanted, boolean ofFpdu) {
        int bytes = Math.min(wanted, in.remaining());
        raw = room(raw, rawBytes + bytes);
        in.get(raw, rawBytes, bytes);
        if (ofFpdu) {
            fpdu = room(fpdu, fpduBytes + bytes);
            System.arraycopy(raw, rawBytes, fpdu, fpduBytes, bytes);
            fpduBytes += bytes;
        }
        rawBytes += bytes;
        position += bytes;
    }

    private static byte[] room(byte[] held, int wanted) {
        return wanted <= held.length ? held : Arrays.copyOf(held, Math.max(wanted, 2 * held.length));
    }

    private void tell(Trailer whole) {
        int there = Math.min(fpduBytes - 2, ulpduBytes());
        sink.fpdu(ByteBuffer.wrap(fpdu, 2, there).slice(), ulpduBytes(), whole);
    }

    private Trailer trailer() {
        CRC32C crc = new CRC32C();
        crc.update(raw, 0, rawBytes - CRC_BYTES);
        int sent = ByteBuffer.wrap(raw).getInt(rawBytes - CRC_BYTES);
        return new Trailer(sent == Integer.reverseBytes((int) crc.getValue()), sent == 0, markersRight());
    }

    /** Whether each marker points back to the length field of its FPDU. */
    private boolean markersRight() {
        if (!markers) {
            return true;
        }
        long start = position - rawBytes;
        int lengthAt = start % SPACING_BYTES == 0 ? MARKER_BYTES : 0;
        for (int at = Math.floorMod(-start, SPACING_BYTES); at < rawBytes; at += SPACING_BYTES) {
            int expected = at < lengthAt ? 0 : at - lengthAt;
            if (ByteBuffer.wrap(raw).getInt(at) != expected) {
                return false;
            }
        }
        return true;
    }
}
