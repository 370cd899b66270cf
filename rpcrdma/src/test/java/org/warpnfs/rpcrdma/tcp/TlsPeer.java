package org.warpnfs.rpcrdma.tcp;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** A client that begins in clear and may go on inside TLS, by the JDK. */
final class TlsPeer implements AutoCloseable {
    /** What Linux 7.3 sends to knfsd, and what that answers. */
    static final String PROBE =
            "80000028b6a4fa8a0000000000000002000186a3000000040000000000000007000000000000000000000000";

    static final String STARTTLS = "80000020b6a4fa8a000000010000000000000000000000085354415254544c5300000000";
    private static final int TIMEOUT_MILLIS = 30_000;

    final Socket clear;
    private Socket now;

    TlsPeer(InetSocketAddress server) throws IOException {
        clear = new Socket(server.getAddress(), server.getPort());
        clear.setSoTimeout(TIMEOUT_MILLIS);
        now = clear;
    }

    /** Sends the probe, reads the answer, and shakes hands. */
    static TlsPeer encrypted(InetSocketAddress server, SSLContext context) throws IOException {
        TlsPeer peer = new TlsPeer(server);
        try {
            peer.sendBytes(HexFormat.of().parseHex(PROBE));
            peer.requireStartTls();
            peer.shakeHands(context);
            return peer;
        } catch (IOException | RuntimeException | Error e) {
            peer.close();
            throw e;
        }
    }

    void requireStartTls() throws IOException {
        String answer = HexFormat.of().formatHex(clear.getInputStream().readNBytes(STARTTLS.length() / 2));
        if (!answer.equals(STARTTLS)) {
            throw new IOException("the probe was answered by " + answer);
        }
    }

    SSLSocket shakeHands(SSLContext context) throws IOException {
        SSLSocket secure =
                (SSLSocket) context.getSocketFactory().createSocket(clear, "server.lab", clear.getPort(), true);
        now = secure;
        secure.startHandshake();
        return secure;
    }

    void sendBytes(byte[] bytes) throws IOException {
        now.getOutputStream().write(bytes);
        now.getOutputStream().flush();
    }

    void send(RpcMessage message) throws IOException {
        ByteBuffer flat = message.flatten();
        sendBytes(ByteBuffer.allocate(4 + flat.remaining())
                .putInt(TcpPeer.LAST_FRAGMENT | flat.remaining())
                .put(flat)
                .array());
    }

    ByteBuffer receive() throws IOException {
        DataInputStream in = new DataInputStream(now.getInputStream());
        byte[] message = new byte[in.readInt() & ~TcpPeer.LAST_FRAGMENT];
        in.readFully(message);
        return ByteBuffer.wrap(message);
    }

    void ping(int xid) throws IOException {
        send(Rpc.call(xid, EchoProgram.NULL));
        Rpc.success(xid, receive());
    }

    /** Reads until the server has closed or reset the connection; returns what came in clear. */
    byte[] awaitClosed() throws IOException {
        byte[] all = {};
        try {
            all = clear.getInputStream().readAllBytes();
        } catch (SocketException e) {
            // The connection was reset.
        }
        return all;
    }

    @Override
    public void close() throws IOException {
        clear.close();
    }
}
