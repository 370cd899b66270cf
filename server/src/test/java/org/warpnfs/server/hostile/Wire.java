package org.warpnfs.server.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;

/** A socket of a peer that ignores the protocol: it sends and reads what it likes. */
final class Wire implements AutoCloseable {
    private static final int SMALL_WINDOW_BYTES = 4096;
    private static final int QUIET_POLLS = 20;
    private static final long POLL_MILLIS = 5;
    private static final long POLL_NANOS = 50_000;
    private static final long AWAIT_NANOS = 30_000_000_000L;

    private final SocketChannel socket;

    private Wire(SocketChannel socket) {
        this.socket = socket;
    }

    /** Returns the loopback address with this number. The server takes each address for another client. */
    static InetAddress peerAddress(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) number});
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Connects from the loopback address {@code 127.0.1.number}, with the smallest possible receive window. */
    static Wire connect(InetSocketAddress server, int number) throws IOException {
        SocketChannel socket = SocketChannel.open();
        boolean connected = false;
        try {
            socket.setOption(StandardSocketOptions.SO_RCVBUF, SMALL_WINDOW_BYTES);
            socket.bind(new InetSocketAddress(peerAddress(number), 0));
            socket.connect(server);
            socket.configureBlocking(false);
            connected = true;
        } finally {
            if (!connected) {
                socket.close();
            }
        }
        return new Wire(socket);
    }

    /**
     * Sends until all bytes are sent, the server accepts no more for a while, or it has closed the connection.
     *
     * @return the number of bytes sent
     */
    int push(ByteBuffer bytes) {
        int before = bytes.remaining();
        try {
            int quiet = 0;
            while (bytes.hasRemaining() && quiet < QUIET_POLLS) {
                if (socket.write(bytes) == 0) {
                    quiet++;
                    Thread.sleep(POLL_MILLIS);
                } else {
                    quiet = 0;
                }
            }
        } catch (IOException e) {
            // The server ended the connection, as it may.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return before - bytes.remaining();
    }

    int push(byte[] bytes) {
        return push(ByteBuffer.wrap(bytes));
    }

    /** Waits until the buffer is full. Returns false if the server closed the connection before. */
    boolean await(ByteBuffer into) {
        try {
            long deadline = System.nanoTime() + AWAIT_NANOS;
            while (into.hasRemaining() && System.nanoTime() < deadline) {
                int n = socket.read(into);
                if (n < 0) {
                    return false;
                }
                if (n == 0) {
                    LockSupport.parkNanos(POLL_NANOS);
                }
            }
        } catch (IOException e) {
            return false;
        }
        return !into.hasRemaining();
    }

    /** Reads one byte, if there is one. */
    void sip() throws IOException {
        var _ = socket.read(ByteBuffer.allocate(1));
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError("a socket that does not close", e);
        }
    }

    /** Ends the connection by a TCP reset. */
    void reset() {
        try {
            socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // The connection is closed already.
        }
        close();
    }
}
