package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Cuts a byte stream into ULPDUs (RFC 5044 section 4), however the stream itself arrives cut.
 *
 * <h2>Operation</h2>
 *
 * {@link #advance} is called until it says that it needs more. Without CRC a ULPDU is handed on as its bytes arrive, so that
 * payload is copied once, from the socket's buffer to where it belongs. With CRC nothing of an FPDU is handed on before its
 * CRC has been checked: from the socket's buffer if all of it is there, else from a copy.
 *
 * <h2>Buffers</h2>
 *
 * The copy grows with what has arrived, never by what a length field claims, to 65544 bytes at most; it is kept for the next
 * FPDU that arrives in pieces.
 *
 * <h2>Errors</h2>
 *
 * A wrong CRC is a violation with {@link MpaError#CRC}; a violation of the sink's passes through. After either, no more bytes
 * may be given. Pad bytes are not looked at: Linux does not always send zeros.
 */
public final class FpduDeframer {
    private static final int FIRST_COPY_BYTES = 4096;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final UlpduSink sink;
    private final boolean crc;
    private final CRC32C checksum = new CRC32C();

    /** With CRC: the bytes of an FPDU that arrives in pieces; position is how many there are. */
    private ByteBuffer copy = NONE;

    /** Without CRC: the first byte of a length field that was cut in two, or -1. */
    private int lengthHighByte = -1;

    private boolean inFpdu;
    private int ulpduBytesLeft;
    private int trailerBytesLeft;

    public FpduDeframer(UlpduSink sink, boolean crc) {
        this.sink = sink;
        this.crc = crc;
    }

    /** True when the stream may end here: the last FPDU was whole. */
    public boolean atBoundary() {
        return !inFpdu && lengthHighByte < 0 && copy.position() == 0;
    }

    /**
     * Takes one step: at most one FPDU, or what there is of it.
     *
     * @return false when {@code in} has been consumed and more is needed
     */
    public boolean advance(ByteBuffer in) throws ProtocolViolation {
        if (!in.hasRemaining()) {
            return false;
        }
        if (crc) {
            advanceChecked(in);
        } else {
            advanceUnchecked(in);
        }
        return in.hasRemaining();
    }

    private void advanceUnchecked(ByteBuffer in) throws ProtocolViolation {
        if (!inFpdu) {
            if (lengthHighByte < 0 && in.remaining() < Fpdu.LENGTH_BYTES) {
                lengthHighByte = in.get() & 0xff;
                return;
            }
            int high = lengthHighByte < 0 ? in.get() & 0xff : lengthHighByte;
            start((high << 8) | (in.get() & 0xff));
        }
        if (ulpduBytesLeft > 0) {
            int lengthBytes = Math.min(ulpduBytesLeft, in.remaining());
            if (lengthBytes == 0) {
                return;
            }
            ByteBuffer piece = in.slice(in.position(), lengthBytes);
            in.position(in.position() + lengthBytes);
            ulpduBytesLeft -= lengthBytes;
            sink.ulpduBytes(piece);
        }
        if (ulpduBytesLeft == 0) {
            int skippedBytes = Math.min(trailerBytesLeft, in.remaining());
            in.position(in.position() + skippedBytes);
            trailerBytesLeft -= skippedBytes;
            if (trailerBytesLeft == 0) {
                inFpdu = false;
                sink.ulpduEnded();
            }
        }
    }

    private void start(int ulpduBytes) throws ProtocolViolation {
        lengthHighByte = -1;
        inFpdu = true;
        ulpduBytesLeft = ulpduBytes;
        trailerBytesLeft = Fpdu.trailerBytes(ulpduBytes);
        sink.ulpduStarted(ulpduBytes);
    }

    private void advanceChecked(ByteBuffer in) throws ProtocolViolation {
        if (copy.position() == 0 && in.remaining() >= Fpdu.LENGTH_BYTES) {
            int lengthBytes = Fpdu.lengthBytes(BigEndian.u16(in, in.position()));
            if (lengthBytes <= in.remaining()) {
                ByteBuffer fpdu = in.slice(in.position(), lengthBytes);
                in.position(in.position() + lengthBytes);
                deliverChecked(fpdu);
                return;
            }
        }
        append(in, Fpdu.LENGTH_BYTES - copy.position());
        if (copy.position() < Fpdu.LENGTH_BYTES) {
            return;
        }
        int lengthBytes = Fpdu.lengthBytes(BigEndian.u16(copy, 0));
        append(in, lengthBytes - copy.position());
        if (copy.position() == lengthBytes) {
            ByteBuffer fpdu = copy.slice(0, lengthBytes);
            copy.clear();
            deliverChecked(fpdu);
        }
    }

    private void append(ByteBuffer in, int wantedBytes) {
        int lengthBytes = Math.min(wantedBytes, in.remaining());
        if (lengthBytes <= 0) {
            return;
        }
        if (copy.remaining() < lengthBytes) {
            int capacity = Math.max(FIRST_COPY_BYTES, Math.max(copy.capacity() * 2, copy.position() + lengthBytes));
            copy = ByteBuffer.allocateDirect(capacity).put(copy.flip());
        }
        copy.put(in.slice(in.position(), lengthBytes));
        in.position(in.position() + lengthBytes);
    }

    private void deliverChecked(ByteBuffer fpdu) throws ProtocolViolation {
        int crcOffset = fpdu.limit() - Fpdu.CRC_BYTES;
        checksum.reset();
        checksum.update(fpdu.slice(0, crcOffset));
        // On the wire least significant byte first, alone among all fields (RFC 5044 section 4.4).
        int sent = Integer.reverseBytes((int) BigEndian.u32(fpdu, crcOffset));
        if (sent != (int) checksum.getValue()) {
            throw new MpaViolation(
                    MpaError.CRC,
                    String.format(
                            "CRC %08x, computed %08x, over %d bytes (RFC 5044 section 4.4)",
                            sent, checksum.getValue(), crcOffset));
        }
        int ulpduBytes = BigEndian.u16(fpdu, 0);
        sink.ulpduStarted(ulpduBytes);
        if (ulpduBytes > 0) {
            sink.ulpduBytes(fpdu.slice(Fpdu.LENGTH_BYTES, ulpduBytes));
        }
        sink.ulpduEnded();
    }
}
