package org.warpnfs.nfs.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes an RPC call (RFC 5531, section 9) word by word, without any encoder of the code under test. */
public final class CallWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    public static CallWriter call(int xid, int program, int version, int procedure) {
        return new CallWriter().words(xid, 0, 2, program, version, procedure);
    }

    public CallWriter authSys(int uid, int gid, int... groups) {
        words(1, 4 * (5 + groups.length), 0, 0, uid, gid, groups.length).words(groups);
        return words(0, 0);
    }

    public CallWriter authNone() {
        return words(0, 0, 0, 0);
    }

    public CallWriter words(int... words) {
        try {
            for (int word : words) {
                out.writeInt(word);
            }
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public CallWriter hyper(long value) {
        return words((int) (value >>> 32), (int) value);
    }

    public CallWriter opaque(byte[] data) {
        words(data.length);
        bytes.writeBytes(data);
        bytes.writeBytes(new byte[-data.length & 3]);
        return this;
    }

    /** As they are, without a length. */
    public CallWriter bytes(byte[] data) {
        bytes.writeBytes(data);
        return this;
    }

    public CallWriter string(String text) {
        return opaque(text.getBytes(StandardCharsets.UTF_8));
    }

    public byte[] toBytes() {
        return bytes.toByteArray();
    }
}
