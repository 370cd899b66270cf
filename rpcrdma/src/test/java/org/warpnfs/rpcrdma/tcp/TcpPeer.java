package org.warpnfs.rpcrdma.tcp;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** A TCP client that the test controls, with its own address on the loopback network. */
final class TcpPeer implements AutoCloseable {
    static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int TIMEOUT_MILLIS = 30_000;

    private final Socket socket = new Socket();

    /** @param host the last byte of its address, 127.0.0.host */
    TcpPeer(int host, InetSocketAddress server) throws IOException {
        socket.setReceiveBufferSize(4096);
        socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) host}), 0));
        socket.connect(server);
        socket.setSoTimeout(TIMEOUT_MILLIS);
    }

    void send(RpcMessage message) throws IOException {
        ByteBuffer flat = message.flatten();
        sendBytes(ByteBuffer.allocate(4 + flat.remaining())
                .putInt(LAST_FRAGMENT | flat.remaining())
                .put(flat)
                .flip());
    }

    void sendBytes(ByteBuffer bytes) throws IOException {
        socket.getOutputStream().write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    /** Sends a record mark and the first bytes of the record, all zero. */
    void beginRecord(int announcedBytes, int sentBytes) throws IOException {
        sendBytes(ByteBuffer.allocate(4 + sentBytes)
                .putInt(LAST_FRAGMENT | announcedBytes)
                .clear());
    }

    /** A message of at least two words, with the direction of a reply. */
    static RpcMessage replyTo(int xid, int lengthBytes) {
        return RpcMessage.of(
                ByteBuffer.allocate(lengthBytes).putInt(xid).putInt(1).clear());
    }

    ByteBuffer receive() throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] message = new byte[in.readInt() & ~LAST_FRAGMENT];
        in.readFully(message);
        return ByteBuffer.wrap(message);
    }

    /** Makes a call and reads its reply. */
    void ping(int xid) throws IOException {
        send(Rpc.call(xid, EchoProgram.NULL));
        Rpc.success(xid, receive());
    }

    /** Reads until the server has closed or reset the connection. */
    void awaitClosed() throws IOException {
        try {
            while (socket.getInputStream().read(new byte[8192]) >= 0) {
                // Discards what had been sent before.
            }
        } catch (java.net.SocketTimeoutException e) {
            throw e;
        } catch (SocketException e) {
            // The connection was reset, which discarded what we had not read.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
