package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Decodes an accepted reply with status SUCCESS (RFC 5531, section 9). Every method throws an IOException if the bytes
 * end early.
 */
final class RpcReplyMessage {
    private static final int REPLY = 1;
    private static final int MAX_VERIFIER_BYTES = 400;
    private static final int MAX_STRING_BYTES = 1024;

    private final ByteBuffer bytes;

    /** @throws IOException if it is not such a reply to the call */
    RpcReplyMessage(byte[] message, int xid) throws IOException {
        bytes = ByteBuffer.wrap(message);
        if (word() != xid || word() != REPLY) {
            throw new IOException("it does not answer the call");
        }
        if (word() != 0) {
            throw new IOException("it denies the call");
        }
        word();
        take(word(), MAX_VERIFIER_BYTES);
        int status = word();
        if (status != 0) {
            throw new IOException("it does not execute the call: accept_stat " + status);
        }
    }

    int word() throws IOException {
        if (bytes.remaining() < Integer.BYTES) {
            throw new IOException("its reply ends early");
        }
        return bytes.getInt();
    }

    boolean bool() throws IOException {
        return word() != 0;
    }

    String string() throws IOException {
        return new String(take(word(), MAX_STRING_BYTES), StandardCharsets.UTF_8);
    }

    private byte[] take(int lengthBytes, int most) throws IOException {
        if (lengthBytes < 0 || lengthBytes > most || bytes.remaining() < (lengthBytes + 3 & ~3)) {
            throw new IOException("its reply has an item of " + Integer.toUnsignedString(lengthBytes) + " bytes");
        }
        byte[] item = new byte[lengthBytes];
        bytes.get(item);
        bytes.position(bytes.position() + (-lengthBytes & 3));
        return item;
    }

    /** What was not read. */
    ByteBuffer rest() {
        return bytes.slice();
    }

    /** struct rpcb. */
    Mapping mapping() throws IOException {
        return new Mapping(word(), word(), string(), string(), string());
    }
}
