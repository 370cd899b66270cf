package org.warpnfs.server.rpcbind;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a local RPC server with record marking (RFC 5531, section 11). One call at a time; not safe for
 * several threads.
 *
 * <h2>Errors</h2>
 *
 * Connecting and each call have a time limit, and all calls together have another. A reply of more than
 * {@value #MAX_REPLY_BYTES} bytes is not read.
 */
final class RecordExchange implements Closeable {
    /** The longest reply; enough for a thousand mappings. */
    static final int MAX_REPLY_BYTES = 128 << 10;

    private static final int LAST_FRAGMENT = 1 << 31;
    private static final int FIRST_RESERVED_PORT = 665;
    private static final int LAST_RESERVED_PORT = 1023;

    private final SocketChannel channel;
    private final Selector selector;
    private final Duration within;
    private final long endNanos;
    private long deadlineNanos;

    private RecordExchange(SocketChannel channel, Selector selector, Duration within, Duration whole) {
        this.channel = channel;
        this.selector = selector;
        this.within = within;
        long now = System.nanoTime();
        this.endNanos = now + whole.toNanos();
        this.deadlineNanos = deadline(now);
    }

    private long deadline(long nowNanos) {
        return nowNanos + Math.min(within.toNanos(), endNanos - nowNanos);
    }

    /** Connects, from a port below 1024 if permitted, by which rpcbind recognizes the superuser over TCP. */
    static RecordExchange connect(SocketAddress server, Duration within, Duration whole) throws IOException {
        return connect(server, null, within, whole);
    }

    /** @param from the address to connect from; null for any */
    static RecordExchange connect(SocketAddress server, @Nullable InetAddress from, Duration within, Duration whole)
            throws IOException {
        SocketChannel channel = server instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX)
                : SocketChannel.open();
        boolean connected = false;
        try {
            Selector selector = Selector.open();
            RecordExchange exchange = new RecordExchange(channel, selector, within, whole);
            try {
                if (server instanceof InetSocketAddress) {
                    bindReserved(channel, from);
                }
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_CONNECT);
                if (!channel.connect(server)) {
                    exchange.await(SelectionKey.OP_CONNECT);
                    channel.finishConnect();
                }
                connected = true;
                return exchange;
            } finally {
                if (!connected) {
                    selector.close();
                }
            }
        } finally {
            if (!connected) {
                channel.close();
            }
        }
    }

    private static void bindReserved(SocketChannel channel, @Nullable InetAddress from) {
        for (int port = LAST_RESERVED_PORT; port >= FIRST_RESERVED_PORT; port--) {
            try {
                channel.bind(new InetSocketAddress(from, port));
                return;
            } catch (BindException e) {
                if (!String.valueOf(e.getMessage()).contains("in use")) {
                    return;
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Sends a call and returns its reply, without record marks. */
    byte[] call(byte[] message) throws IOException {
        deadlineNanos = deadline(System.nanoTime());
        ByteBuffer record = ByteBuffer.allocate(Integer.BYTES + message.length)
                .putInt(LAST_FRAGMENT | message.length)
                .put(message)
                .flip();
        while (record.hasRemaining()) {
            if (channel.write(record) == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
        ByteArrayOutputStream reply = new ByteArrayOutputStream();
        while (true) {
            int mark = read(Integer.BYTES).getInt();
            int lengthBytes = mark & ~LAST_FRAGMENT;
            if (lengthBytes > MAX_REPLY_BYTES - reply.size()) {
                throw new IOException("its reply has more than " + MAX_REPLY_BYTES + " bytes");
            }
            reply.writeBytes(read(lengthBytes).array());
            if ((mark & LAST_FRAGMENT) != 0) {
                return reply.toByteArray();
            }
            if (lengthBytes == 0) {
                throw new IOException("its reply has an empty fragment");
            }
        }
    }

    private ByteBuffer read(int lengthBytes) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(lengthBytes);
        while (into.hasRemaining()) {
            int count = channel.read(into);
            if (count < 0) {
                throw new IOException("it closed the connection");
            }
            if (count == 0) {
                await(SelectionKey.OP_READ);
            }
        }
        return into.flip();
    }

    private void await(int operation) throws IOException {
        SelectionKey key = channel.keyFor(selector);
        if (key == null) {
            throw new IOException("the connection is closed");
        }
        key.interestOps(operation);
        selector.selectedKeys().clear();
        while (selector.selectedKeys().isEmpty()) {
            long leftMillis = (deadlineNanos - System.nanoTime()) / 1_000_000;
            if (leftMillis <= 0) {
                throw new SocketTimeoutException("it does not answer in time");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IOException("told to stop");
            }
            selector.select(leftMillis);
        }
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            selector.close();
        }
    }
}
