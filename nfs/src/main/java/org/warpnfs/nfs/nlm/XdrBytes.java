package org.warpnfs.nfs.nlm;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Encodes the arguments of a call to a client (RFC 4506). */
final class XdrBytes {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    XdrBytes word(int value) {
        bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(value).array());
        return this;
    }

    XdrBytes bool(boolean value) {
        return word(value ? 1 : 0);
    }

    XdrBytes hyper(long value) {
        bytes.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
        return this;
    }

    XdrBytes opaque(byte[] value) {
        word(value.length);
        bytes.writeBytes(value);
        for (int pad = -value.length & 3; pad > 0; pad--) {
            bytes.write(0);
        }
        return this;
    }

    /** Text of one byte per character. */
    XdrBytes string(String text) {
        return opaque(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }
}
