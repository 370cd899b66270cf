package org.warpnfs.server;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;

/** Encodes an RPC call word by word (RFC 5531, RFC 1813), for clients that share no code with the server. */
public final class NfsCall {
    public static final int NFS = 100_003;
    public static final int MOUNT = 100_005;

    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int MAX_CALL_BYTES = 64 << 10;

    private final ByteBuffer xdr = ByteBuffer.allocate(MAX_CALL_BYTES);
    private final List<RpcMessage.Item> items = new ArrayList<>();

    private NfsCall() {}

    /** Begins a call with AUTH_SYS credentials, where user and group have the same ID. */
    public static NfsCall of(int xid, int program, int version, int procedure, int uid) {
        NfsCall call = new NfsCall();
        call.word(xid).word(0).word(2).word(program).word(version).word(procedure);
        call.word(1).word(24).word(0).word(4).bytes("test".getBytes(StandardCharsets.US_ASCII));
        call.word(uid).word(uid).word(0);
        return call.word(0).word(0);
    }

    public NfsCall word(int value) {
        xdr.putInt(value);
        return this;
    }

    public NfsCall hyper(long value) {
        xdr.putLong(value);
        return this;
    }

    public NfsCall opaque(byte[] value) {
        return word(value.length).bytes(value);
    }

    public NfsCall string(String value) {
        return opaque(value.getBytes(StandardCharsets.US_ASCII));
    }

    /** Adds data that may travel in a Read chunk. Over RDMA the call itself then has only their length. */
    public NfsCall data(ByteBuffer value) {
        word(value.remaining());
        items.add(new RpcMessage.Item(xdr.position(), Payload.unpooled(value)));
        return this;
    }

    private NfsCall bytes(byte[] value) {
        xdr.put(value).put(new byte[-value.length & 3]);
        return this;
    }

    public RpcMessage message() {
        return new RpcMessage(xdr.duplicate().flip(), items);
    }

    /** Sends the call over TCP with record marking (RFC 5531, section 11) and returns the reply's results. */
    public ByteBuffer overTcp(InetSocketAddress server) throws IOException {
        byte[] call = new byte[(int) message().lengthBytes()];
        message().flatten().get(call);
        try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
            socket.setSoTimeout(30_000);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(LAST_FRAGMENT | call.length);
            out.write(call);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] reply = new byte[in.readInt() & ~LAST_FRAGMENT];
            in.readFully(reply);
            return results(ByteBuffer.wrap(reply));
        }
    }

    /** Skips the header of an accepted and successful reply. */
    public static ByteBuffer results(ByteBuffer reply) {
        reply.getInt();
        for (int expected : new int[] {1, 0, 0, 0, 0}) {
            int word = reply.getInt();
            if (word != expected) {
                throw new AssertionError("not an accepted reply: " + word + " instead of " + expected);
            }
        }
        return reply;
    }

    /** Reads variable-length opaque data. */
    public static byte[] opaque(ByteBuffer results) {
        byte[] value = new byte[results.getInt()];
        results.get(value);
        results.position(results.position() + (-value.length & 3));
        return value;
    }

    /** Reads a string. */
    public static String string(ByteBuffer results) {
        return new String(opaque(results), StandardCharsets.US_ASCII);
    }
}
