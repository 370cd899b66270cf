package org.warpnfs.rpcrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;

/** RPC messages of {@link EchoProgram}, written by hand. */
public final class Rpc {
    private static final int CALL_HEADER_BYTES = 40;

    private Rpc() {}

    /** A call header with AUTH_NONE, and room for {@code argumentBytes}; not flipped. */
    public static ByteBuffer header(int xid, int procedure, int argumentBytes) {
        return ByteBuffer.allocate(CALL_HEADER_BYTES + argumentBytes)
                .putInt(xid)
                .putInt(0)
                .putInt(2)
                .putInt(EchoProgram.NUMBER)
                .putInt(EchoProgram.VERSION)
                .putInt(procedure)
                .putLong(0)
                .putLong(0);
    }

    /** A call whose arguments are words. */
    public static RpcMessage call(int xid, int procedure, int... words) {
        ByteBuffer message = header(xid, procedure, 4 * words.length);
        for (int word : words) {
            message.putInt(word);
        }
        return RpcMessage.of(message.flip());
    }

    /** A WRITE with its data as an item. */
    public static RpcMessage write(int xid, byte[] data) {
        ByteBuffer message = header(xid, EchoProgram.WRITE, 12).putInt(7).putInt(data.length);
        int offset = message.position();
        message.putInt(9);
        Payload payload = Payload.unpooled(ByteBuffer.wrap(data));
        return new RpcMessage(message.flip(), List.of(new RpcMessage.Item(offset, payload)));
    }

    /** Checks an accepted reply's header and leaves the position at the results. */
    public static ByteBuffer success(int xid, ByteBuffer reply) {
        return accepted(xid, 0, reply);
    }

    /** Checks a reply that was accepted with a given status. */
    public static ByteBuffer accepted(int xid, int status, ByteBuffer reply) {
        ByteBuffer in = reply.duplicate();
        assertThat(new int[] {in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt()})
                .as("xid, REPLY, MSG_ACCEPTED, AUTH_NONE of length 0, accept status")
                .containsExactly(xid, 1, 0, 0, 0, status);
        return in;
    }
}
