package org.warpnfs.server;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A client that mounts by MOUNT version 3 and calls NFSv3 GETATTR, over TCP. It encodes its calls word by word (RFC
 * 1813, RFC 5531).
 */
final class MountClient implements AutoCloseable {
    private static final int MOUNT = 100005;
    private static final int NFS = 100003;

    private final Socket socket;
    private int xid;
    private byte[] handle = {};

    MountClient(InetSocketAddress server) throws IOException {
        socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout(60_000);
    }

    /** Sends MNT and returns the status. If the status is 0, {@link #lastHandle} returns the handle. */
    int mount(String path) throws IOException {
        ByteBuffer reply = call(MOUNT, 1, path.getBytes(StandardCharsets.UTF_8));
        int status = reply.getInt();
        if (status == 0) {
            handle = new byte[reply.getInt()];
            reply.get(handle);
        }
        return status;
    }

    byte[] lastHandle() {
        return handle;
    }

    /** Sends GETATTR and returns the status. */
    int getattr(byte[] file) throws IOException {
        return call(NFS, 1, file).getInt();
    }

    /** Sends a call with one opaque argument and returns the reply, from the results on. */
    private ByteBuffer call(int program, int procedure, byte[] opaque) throws IOException {
        int padded = opaque.length + 3 & ~3;
        ByteBuffer call = ByteBuffer.allocate(4 + 24 + 8 + 20 + 8 + 4 + padded);
        call.putInt(call.capacity() - 4 | 1 << 31)
                .putInt(++xid)
                .putInt(0)
                .putInt(2)
                .putInt(program)
                .putInt(3);
        call.putInt(procedure)
                .putInt(1)
                .putInt(20)
                .putInt(0)
                .putInt(0)
                .putInt(0)
                .putInt(0)
                .putInt(0);
        call.putInt(0).putInt(0).putInt(opaque.length).put(opaque);
        new DataOutputStream(socket.getOutputStream()).write(call.array());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] reply = new byte[in.readInt() & ~(1 << 31)];
        in.readFully(reply);
        ByteBuffer words = ByteBuffer.wrap(reply);
        if (words.getInt(0) != xid || words.getInt(8) != 0 || words.getInt(20) != 0) {
            throw new IOException("no result in the reply to call " + xid);
        }
        return words.position(24);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
