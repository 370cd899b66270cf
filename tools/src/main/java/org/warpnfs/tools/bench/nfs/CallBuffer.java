package org.warpnfs.tools.bench.nfs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * Encodes RPC calls (RFC 5531, section 9) in a direct buffer, which is reused for the next call.
 *
 * <p>Not thread-safe.
 */
public final class CallBuffer {
    private static final int CAPACITY_BYTES = 4096;
    private static final int CALL = 0;
    private static final int RPC_VERSION = 2;
    private static final int AUTH_SYS = 1;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(CAPACITY_BYTES);
    private int dataOffset = -1;
    private int markedBytes;

    /** Clears the buffer and writes a call header. */
    public CallBuffer begin(AuthSysCredential caller, int program, int version, int procedure) {
        buffer.clear();
        dataOffset = -1;
        word(0).word(CALL).word(RPC_VERSION).word(program).word(version).word(procedure);
        byte[] machine = caller.machine().getBytes(StandardCharsets.US_ASCII);
        word(AUTH_SYS).word(20 + (machine.length + 3 & ~3)).word(0).opaque(machine);
        return word(caller.uid()).word(caller.gid()).word(0).word(0).word(0);
    }

    /** Marks the current position. */
    public void mark() {
        markedBytes = buffer.position();
    }

    /** Goes back to the mark. */
    public CallBuffer rewind() {
        buffer.clear().position(markedBytes);
        dataOffset = -1;
        return this;
    }

    public CallBuffer word(int value) {
        buffer.putInt(value);
        return this;
    }

    public CallBuffer hyper(long value) {
        buffer.putLong(value);
        return this;
    }

    public CallBuffer fixed(byte[] value) {
        buffer.put(value);
        return this;
    }

    public CallBuffer opaque(byte[] value) {
        word(value.length);
        buffer.put(value).put(new byte[-value.length & 3]);
        return this;
    }

    public CallBuffer string(String value) {
        return opaque(value.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes the length of opaque data that are sent beside the message, and notes that they belong at this position.
     */
    public CallBuffer dataCount(int lengthBytes) {
        word(lengthBytes);
        dataOffset = buffer.position();
        return this;
    }

    /** Overwrites a word before the current position. */
    public void patch(int offset, int value) {
        buffer.putInt(offset, value);
    }

    public int position() {
        return buffer.position();
    }

    /** The encoded call. It is valid until the next call of {@code begin}. */
    public RpcMessage message(int xid) {
        buffer.putInt(0, xid);
        return RpcMessage.of(buffer.slice(0, buffer.position()));
    }

    /** The encoded call with its data, valid as long. */
    public RpcMessage message(int xid, ByteBuffer data) {
        buffer.putInt(0, xid);
        return new RpcMessage(
                buffer.slice(0, buffer.position()), List.of(new RpcMessage.Item(dataOffset, Payload.unpooled(data))));
    }
}
