package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/** Encodes the replies that this layer sends itself (RFC 5531, section 9). */
final class ReplyHeads {
    static final int GARBAGE_ARGS = 4;
    private static final int SUCCESS = 0;
    private static final int REPLY = 1;
    private static final int MSG_ACCEPTED = 0;
    private static final int MSG_DENIED = 1;
    private static final int AUTH_ERROR = 1;
    private static final int AUTH_NONE = 0;

    private ReplyHeads() {}

    /** A denial: AUTH_ERROR with this status. */
    static RpcMessage denied(int xid, AuthStatus status) {
        return RpcMessage.of(ByteBuffer.allocate(5 * Integer.BYTES)
                .putInt(xid)
                .putInt(REPLY)
                .putInt(MSG_DENIED)
                .putInt(AUTH_ERROR)
                .putInt(status.code())
                .flip());
    }

    /** The reply to a context creation. An empty verifier means AUTH_NONE. */
    static RpcMessage initialized(int xid, byte[] verifier, InitResult result) {
        byte[] body = result.toBytes();
        return accepted(xid, verifier, SUCCESS, body);
    }

    /** A reply with a verifier and this accept_stat, without results. */
    static RpcMessage empty(int xid, byte[] verifier, int acceptStatus) {
        return accepted(xid, verifier, acceptStatus, new byte[0]);
    }

    static RpcMessage success(int xid, byte[] verifier) {
        return empty(xid, verifier, SUCCESS);
    }

    private static RpcMessage accepted(int xid, byte[] verifier, int acceptStatus, byte[] body) {
        ByteBuffer reply = ByteBuffer.allocate(6 * Integer.BYTES + XdrStream.roundUp(verifier.length) + body.length);
        reply.putInt(xid).putInt(REPLY).putInt(MSG_ACCEPTED);
        reply.putInt(verifier.length == 0 ? AUTH_NONE : GssCredential.FLAVOR);
        InitResult.putOpaque(reply, verifier);
        reply.putInt(acceptStatus).put(body);
        return RpcMessage.of(reply.flip());
    }
}
