package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * rpc_gss_init_res (RFC 2203, section 5.2.3.1).
 *
 * <pre>
 *   opaque  handle&lt;&gt;
 *   uint32  gss_major
 *   uint32  gss_minor
 *   uint32  seq_window
 *   opaque  gss_token&lt;&gt;
 * </pre>
 */
final class InitResult {
    private final byte[] handle;
    private final int major;
    private final int minor;
    private final int window;
    private final byte[] token;

    InitResult(byte[] handle, int major, int minor, int window, byte[] token) {
        this.handle = handle;
        this.major = major;
        this.minor = minor;
        this.window = window;
        this.token = token;
    }

    /** The result of a token that was refused. */
    static InitResult failed(int major, int minor) {
        return new InitResult(new byte[0], major, minor, 0, new byte[0]);
    }

    byte[] toBytes() {
        ByteBuffer out = ByteBuffer.allocate(
                5 * Integer.BYTES + XdrStream.roundUp(handle.length) + XdrStream.roundUp(token.length));
        putOpaque(out, handle);
        out.putInt(major).putInt(minor).putInt(window);
        putOpaque(out, token);
        return out.array();
    }

    /** Appends an opaque with its count and pad. */
    static void putOpaque(ByteBuffer out, byte[] bytes) {
        out.putInt(bytes.length).put(bytes);
        for (int pad = XdrStream.roundUp(bytes.length) - bytes.length; pad > 0; pad--) {
            out.put((byte) 0);
        }
    }
}
