package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Cuts a byte stream with {@link Markers} into ULPDUs, for streams in which we asked for them.
 *
 * <h2>Operation</h2>
 *
 * The length field alone says where an FPDU ends; markers are checked against it and taken out (RFC 5044, sections 5.2
 * and 6). Nothing of an FPDU is handed on before all of it is there, its CRC has been checked, and its markers point to
 * its start.
 *
 * <h2>Buffers</h2>
 *
 * ULPDUs are handed on in the runs between markers, from the socket's buffer if the FPDU is all in it, else from a copy
 * ({@link FpduCopy}).
 *
 * <h2>Errors</h2>
 *
 * A wrong CRC is a violation with {@link MpaError#CRC}; with a good one, or without, a marker that points elsewhere is
 * one with {@link MpaError#MARKER}; violations of the sink's pass through. After any of them no more bytes may be
 * given.
 */
final class MarkedDeframer implements Deframer {
    private final UlpduSink sink;
    private final boolean crc;
    private final CRC32C checksum = new CRC32C();
    private final FpduCopy copy = new FpduCopy();

    /** From the start of the FPDU at hand to the next marker; the first marker is the first of all bytes. */
    private int bytesToMarker;

    MarkedDeframer(UlpduSink sink, boolean crc) {
        this.sink = sink;
        this.crc = crc;
    }

    /** A marker alone, sent ahead of the FPDU that it belongs to, is not the beginning of anything yet. */
    @Override
    public boolean atBoundary() {
        return copy.lengthBytes() == 0 || (bytesToMarker == 0 && copy.lengthBytes() == Markers.BYTES);
    }

    @Override
    public boolean advance(ByteBuffer in) throws ProtocolViolation {
        if (!in.hasRemaining()) {
            return false;
        }
        int headBytes = lengthOffset() + Fpdu.LENGTH_BYTES;
        if (copy.lengthBytes() == 0 && in.remaining() >= headBytes) {
            int streamBytes = streamBytes(BigEndian.u16(in, in.position() + lengthOffset()));
            if (streamBytes <= in.remaining()) {
                ByteBuffer fpdu = in.slice(in.position(), streamBytes);
                in.position(in.position() + streamBytes);
                deliver(fpdu);
                return in.hasRemaining();
            }
        }
        copy.append(in, headBytes - copy.lengthBytes());
        if (copy.lengthBytes() >= headBytes) {
            int streamBytes = streamBytes(BigEndian.u16(copy.bytes(), lengthOffset()));
            copy.append(in, streamBytes - copy.lengthBytes());
            if (copy.lengthBytes() == streamBytes) {
                deliver(copy.take());
            }
        }
        return in.hasRemaining();
    }

    /** Where the length field of the FPDU at hand is, in what is there of it: behind a marker, if that comes first. */
    private int lengthOffset() {
        return bytesToMarker == 0 ? Markers.BYTES : 0;
    }

    /** What the FPDU at hand takes up of the stream. */
    private int streamBytes(int ulpduBytes) {
        int fpduBytes = Fpdu.lengthBytes(ulpduBytes);
        return fpduBytes + Markers.BYTES * Markers.within(bytesToMarker, fpduBytes);
    }

    private void deliver(ByteBuffer fpdu) throws ProtocolViolation {
        if (crc) {
            FpduDeframer.checkCrc(fpdu, checksum);
        }
        checkMarkers(fpdu);
        int at = lengthOffset() + Fpdu.LENGTH_BYTES;
        int nextMarker = bytesToMarker == 0 ? Markers.SPACING_BYTES : bytesToMarker;
        bytesToMarker = Markers.bytesToMarkerAfter(bytesToMarker, fpdu.limit());
        int ulpduBytes = BigEndian.u16(fpdu, at - Fpdu.LENGTH_BYTES);
        sink.ulpduStarted(ulpduBytes);
        for (int left = ulpduBytes; left > 0; ) {
            if (at == nextMarker) {
                at += Markers.BYTES;
                nextMarker += Markers.SPACING_BYTES;
            }
            int runBytes = Math.min(left, nextMarker - at);
            sink.ulpduBytes(fpdu.slice(at, runBytes));
            at += runBytes;
            left -= runBytes;
        }
        sink.ulpduEnded();
    }

    private void checkMarkers(ByteBuffer fpdu) throws MpaViolation {
        for (int marker = bytesToMarker; marker < fpdu.limit(); marker += Markers.SPACING_BYTES) {
            int pointer = BigEndian.u16(fpdu, marker + Markers.POINTER_OFFSET) & Markers.POINTER_MASK;
            int expected = marker == 0 ? 0 : marker - lengthOffset();
            if (pointer != expected) {
                throw new MpaViolation(
                        MpaError.MARKER,
                        "marker with FPDUPTR " + pointer + ", " + expected
                                + " bytes behind the start of its FPDU (RFC 5044, section 4.3)");
            }
        }
    }
}
