package org.warpnfs.server.rpcbind;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/** Encodes a call to rpcbind with AUTH_NONE (RFC 5531, section 9). */
final class RpcCallMessage {
    private static final int CALL = 0;
    private static final int RPC_VERSION = 2;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);
    private final int xid = ThreadLocalRandom.current().nextInt();

    RpcCallMessage(int program, int version, int procedure) {
        word(xid).word(CALL).word(RPC_VERSION).word(program).word(version).word(procedure);
        // Empty credential and verifier.
        word(0).word(0).word(0).word(0);
    }

    int xid() {
        return xid;
    }

    RpcCallMessage word(int value) {
        try {
            out.writeInt(value);
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail", e);
        }
        return this;
    }

    RpcCallMessage string(String text) {
        byte[] ascii = text.getBytes(StandardCharsets.UTF_8);
        word(ascii.length);
        bytes.writeBytes(ascii);
        for (int pad = -ascii.length & 3; pad > 0; pad--) {
            bytes.write(0);
        }
        return this;
    }

    /** Arguments that are encoded already. */
    RpcCallMessage bytes(byte[] encoded) {
        bytes.writeBytes(encoded);
        return this;
    }

    /** struct rpcb. */
    RpcCallMessage mapping(Mapping mapping) {
        return word(mapping.program())
                .word(mapping.version())
                .string(mapping.netid())
                .string(mapping.address())
                .string(mapping.owner());
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }
}
