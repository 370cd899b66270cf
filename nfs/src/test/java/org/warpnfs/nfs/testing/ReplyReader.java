package org.warpnfs.nfs.testing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads an RPC reply (RFC 5531, section 9) word by word, without any decoder of the code under test. */
public class ReplyReader {
    public static final int SUCCESS = 0;
    public static final int PROG_MISMATCH = 2;
    public static final int PROC_UNAVAIL = 3;
    public static final int GARBAGE_ARGS = 4;

    private final ByteBuffer bytes;
    private final boolean denied;
    private final int stat;

    /** Reads up to the result: accept_stat of an accepted reply, auth_stat of a denied one. */
    public ReplyReader(byte[] message) {
        bytes = ByteBuffer.wrap(message);
        word(); // xid
        require(word() == 1, "a reply");
        denied = word() == 1;
        if (denied) {
            require(word() == 1, "AUTH_ERROR");
        } else {
            require(word() == 0, "a verifier of AUTH_NONE");
            require(word() == 0, "a verifier without a body");
        }
        stat = word();
    }

    public boolean isDenied() {
        return denied;
    }

    public final int stat() {
        return stat;
    }

    public final int word() {
        return bytes.getInt();
    }

    public final long hyper() {
        return bytes.getLong();
    }

    public final boolean bool() {
        int word = word();
        require(word == 0 || word == 1, "a bool");
        return word == 1;
    }

    public final byte[] opaque(int max) {
        int length = word();
        require(length >= 0 && length <= max, "a length of at most " + max);
        byte[] data = new byte[length];
        bytes.get(data);
        for (int pad = -length & 3; pad > 0; pad--) {
            require(bytes.get() == 0, "a pad of zeroes");
        }
        return data;
    }

    public final String string() {
        return new String(opaque(4096), StandardCharsets.UTF_8);
    }

    public final int position() {
        return bytes.position();
    }

    public final int remaining() {
        return bytes.remaining();
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError("expected " + what);
        }
    }
}
