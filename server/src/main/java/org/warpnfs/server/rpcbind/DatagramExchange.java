package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One RPC call over UDP, repeated each second until it is answered. */
final class DatagramExchange {
    private static final int MAX_REPLY_BYTES = 8192;
    private static final int REPEAT_MILLIS = 1000;

    private DatagramExchange() {}

    /**
     * Calls.
     *
     * @param from the address to call from; null for any
     * @throws SocketTimeoutException if nothing answers within that time
     */
    static byte[] call(InetSocketAddress server, @Nullable InetAddress from, byte[] message, int xid, Duration within)
            throws IOException {
        try (DatagramSocket socket = bound(from)) {
            // Datagrams of others are dropped by the kernel.
            socket.connect(server);
            long endNanos = System.nanoTime() + within.toNanos();
            DatagramPacket reply = new DatagramPacket(new byte[MAX_REPLY_BYTES], MAX_REPLY_BYTES);
            while (true) {
                long leftMillis = (endNanos - System.nanoTime()) / 1_000_000;
                if (leftMillis <= 0 || Thread.currentThread().isInterrupted()) {
                    throw new SocketTimeoutException("it does not answer in time");
                }
                socket.send(new DatagramPacket(message, message.length));
                socket.setSoTimeout((int) Math.min(leftMillis, REPEAT_MILLIS));
                try {
                    socket.receive(reply);
                } catch (SocketTimeoutException e) {
                    continue;
                }
                if (reply.getLength() >= Integer.BYTES
                        && ByteBuffer.wrap(reply.getData()).getInt() == xid) {
                    return Arrays.copyOf(reply.getData(), reply.getLength());
                }
            }
        }
    }

    private static DatagramSocket bound(@Nullable InetAddress from) throws SocketException {
        return new DatagramSocket(new InetSocketAddress(from, 0));
    }
}
