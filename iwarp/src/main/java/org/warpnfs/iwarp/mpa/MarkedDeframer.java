package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Cuts a byte stream with {@link Markers} into ULPDUs. Used for streams in which we asked for markers.
 *
 * <h2>Operation</h2>
 *
 * The length field alone determines where an FPDU ends. Markers are checked against it and removed (RFC 5044, sections
 * 5.2 and 6). No byte of an FPDU is delivered until all of it has arrived, its CRC has been checked, and its markers
 * point to its start.
 *
 * <h2>Buffers</h2>
 *
 * A ULPDU is delivered in the runs of bytes between markers. They come from the socket's buffer if it holds the whole
 * FPDU, else from a copy ({@link FpduCopy}).
 *
 * <h2>Errors</h2>
 *
 * A wrong CRC is a violation with {@link MpaError#CRC}. If the CRC is right or off, a marker that points elsewhere is a
 * violation with {@link MpaError#MARKER}. Violations that the sink throws are passed on. After any of them no more
 * bytes may be given.
 */
final class MarkedDeframer implements Deframer {
    private final UlpduSink sink;
    private final boolean crc;
    private final CRC32C checksum = new CRC32C();
    private final FpduCopy copy = new FpduCopy();

    /**
     * Bytes from the start of the current FPDU to the next marker. Starts at 0, because a marker precedes the first
     * FPDU.
     */
    private int bytesToMarker;

    MarkedDeframer(UlpduSink sink, boolean crc) {
        this.sink = sink;
        this.crc = crc;
    }

    /** True also after a marker that arrived ahead of its FPDU: such a marker does not yet begin an FPDU. */
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

    /** The offset of the length field in the current FPDU. A marker may stand before it. */
    private int lengthOffset() {
        return bytesToMarker == 0 ? Markers.BYTES : 0;
    }

    /** The length of the current FPDU in the stream, markers included. */
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
                        "marker with FPDUPTR " + pointer + ", expected " + expected + " (RFC 5044, section 4.3)");
            }
        }
    }
}
