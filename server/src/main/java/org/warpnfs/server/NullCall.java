package org.warpnfs.server;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Calls NFS NULL over TCP, with no code in common with the server's transport. The call passes the listener, an event
 * loop, the dispatcher and a lane, but no backend, so that a slow disk is no reason to restart a server.
 *
 * @spec https://www.rfc-editor.org/rfc/rfc1813#section-3.3.0 RFC 1813, section 3.3.0
 */
public final class NullCall {
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int CALL = 0;
    private static final int RPC_VERSION = 2;
    private static final int NFS_PROGRAM = 100_003;
    private static final int NFS_V3 = 3;
    private static final int NULL_PROCEDURE = 0;
    private static final int CALL_BYTES = 40;
    /** XID, REPLY, MSG_ACCEPTED, an empty AUTH_NONE verifier, SUCCESS. */
    private static final int REPLY_BYTES = 24;

    private static final int REPLY = 1;

    private NullCall() {}

    /**
     * Makes the call.
     *
     * @param server where the server listens for TCP; if it listens on every address, the loopback address is called
     * @param within the time limit of the connection, and of each part of the reply
     * @throws IOException if there is no reply in time, or it is not a successful reply to NULL
     */
    public static void ask(InetSocketAddress server, Duration within) throws IOException {
        InetAddress address = server.getAddress();
        InetSocketAddress to = address.isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort())
                : server;
        int millis = Math.toIntExact(Math.clamp(within.toMillis(), 1, Integer.MAX_VALUE));
        int xid = ThreadLocalRandom.current().nextInt();
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(millis);
            socket.connect(to, millis);
            socket.getOutputStream().write(call(xid));
            byte[] reply = new byte[Integer.BYTES + REPLY_BYTES];
            new DataInputStream(socket.getInputStream()).readFully(reply);
            check(ByteBuffer.wrap(reply), xid);
        }
    }

    private static byte[] call(int xid) {
        return ByteBuffer.allocate(Integer.BYTES + CALL_BYTES)
                .putInt(LAST_FRAGMENT | CALL_BYTES)
                .putInt(xid)
                .putInt(CALL)
                .putInt(RPC_VERSION)
                .putInt(NFS_PROGRAM)
                .putInt(NFS_V3)
                .putInt(NULL_PROCEDURE)
                .array();
    }

    private static void check(ByteBuffer reply, int xid) throws IOException {
        boolean isSuccess = reply.getInt() == (LAST_FRAGMENT | REPLY_BYTES)
                && reply.getInt() == xid
                && reply.getInt() == REPLY
                && reply.getInt() == 0
                && reply.getLong() == 0
                && reply.getInt() == 0;
        if (!isSuccess) {
            throw new IOException("NULL was not answered by success");
        }
    }
}
