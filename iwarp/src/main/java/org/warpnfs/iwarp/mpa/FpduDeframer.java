package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Cuts a byte stream without markers into ULPDUs.
 *
 * <h2>Operation</h2>
 *
 * The caller repeats {@link #advance} until it returns false. Without CRC, a ULPDU is delivered as its bytes arrive, so
 * that payload is copied only once, from the socket's buffer to its destination. With CRC, no byte of an FPDU is
 * delivered before its CRC has been checked. The FPDU is delivered from the socket's buffer if all of it is there, else
 * from a copy.
 *
 * <h2>Buffers</h2>
 *
 * Owns a copy of the FPDU that arrives in pieces ({@link FpduCopy}).
 *
 * <h2>Errors</h2>
 *
 * A wrong CRC is a violation with {@link MpaError#CRC}. A violation that the sink throws is passed on. After either, no
 * more bytes may be given. Pad bytes are not checked, because Linux does not always send zeros.
 */
public final class FpduDeframer implements Deframer {
    private final UlpduSink sink;
    private final boolean crc;
    private final CRC32C checksum = new CRC32C();

    /** With CRC: the bytes of an FPDU that arrives in pieces. */
    private final FpduCopy copy = new FpduCopy();

    /** Without CRC: the first byte of a length field that was cut in two, or -1. */
    private int lengthHighByte = -1;

    private boolean inFpdu;
    private int ulpduBytesLeft;
    private int trailerBytesLeft;

    public FpduDeframer(UlpduSink sink, boolean crc) {
        this.sink = sink;
        this.crc = crc;
    }

    @Override
    public boolean atBoundary() {
        return !inFpdu && lengthHighByte < 0 && copy.lengthBytes() == 0;
    }

    @Override
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
        if (copy.lengthBytes() == 0 && in.remaining() >= Fpdu.LENGTH_BYTES) {
            int lengthBytes = Fpdu.lengthBytes(BigEndian.u16(in, in.position()));
            if (lengthBytes <= in.remaining()) {
                ByteBuffer fpdu = in.slice(in.position(), lengthBytes);
                in.position(in.position() + lengthBytes);
                deliverChecked(fpdu);
                return;
            }
        }
        copy.append(in, Fpdu.LENGTH_BYTES - copy.lengthBytes());
        if (copy.lengthBytes() < Fpdu.LENGTH_BYTES) {
            return;
        }
        int lengthBytes = Fpdu.lengthBytes(BigEndian.u16(copy.bytes(), 0));
        copy.append(in, lengthBytes - copy.lengthBytes());
        if (copy.lengthBytes() == lengthBytes) {
            deliverChecked(copy.take());
        }
    }

    private void deliverChecked(ByteBuffer fpdu) throws ProtocolViolation {
        checkCrc(fpdu, checksum);
        int ulpduBytes = BigEndian.u16(fpdu, 0);
        sink.ulpduStarted(ulpduBytes);
        if (ulpduBytes > 0) {
            sink.ulpduBytes(fpdu.slice(Fpdu.LENGTH_BYTES, ulpduBytes));
        }
        sink.ulpduEnded();
    }

    /** Checks the CRC at the end of a whole FPDU, from 0 to its limit. */
    static void checkCrc(ByteBuffer fpdu, CRC32C checksum) throws MpaViolation {
        int crcOffset = fpdu.limit() - Fpdu.CRC_BYTES;
        checksum.reset();
        checksum.update(fpdu.slice(0, crcOffset));
        // The CRC is the only field that is sent with its least significant byte first (RFC 5044, section 4.4).
        int sent = Integer.reverseBytes((int) BigEndian.u32(fpdu, crcOffset));
        if (sent != (int) checksum.getValue()) {
            throw new MpaViolation(
                    MpaError.CRC,
                    String.format(
                            "CRC %08x, computed %08x, over %d bytes (RFC 5044, section 4.4)",
                            sent, checksum.getValue(), crcOffset));
        }
    }
}
