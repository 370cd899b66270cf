package org.warpnfs.server;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A listener on loopback at which an NFSv4.0 client receives callbacks. It keeps each call and handles it as a test
 * says.
 */
public final class CallbackListener implements AutoCloseable {
    private static final int LAST_FRAGMENT = 0x8000_0000;

    /** How a call is handled. */
    @FunctionalInterface
    public interface Behaviour {
        void called(byte[] call, Socket socket) throws IOException;
    }

    private final ServerSocket listening;
    private final Behaviour behaviour;
    private final List<Socket> sockets = new ArrayList<>();
    public final BlockingQueue<byte[]> calls = new LinkedBlockingQueue<>();
    /** The addresses from which the server connected. */
    final BlockingQueue<InetAddress> connected = new LinkedBlockingQueue<>();

    /** The addresses whose connections have ended. */
    final BlockingQueue<InetAddress> gone = new LinkedBlockingQueue<>();

    public CallbackListener(Behaviour behaviour) throws IOException {
        this.behaviour = behaviour;
        this.listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("callback-listener").start(this::accept);
    }

    /** Answers a call with success: CB_NULL, or a CB_COMPOUND with CB_RECALL of minor version 0. */
    public static void answer(byte[] call, Socket socket) throws IOException {
        ByteBuffer words = ByteBuffer.wrap(call);
        ByteBuffer reply = ByteBuffer.allocate(64).putInt(words.getInt(0));
        reply.putInt(1).putInt(0).putLong(0).putInt(0);
        if (words.getInt(20) == 1) {
            reply.putInt(0).putInt(0).putInt(1).putInt(4).putInt(0);
        }
        send(socket, reply.flip());
    }

    /** Sends a message as one record. */
    static void send(Socket socket, ByteBuffer message) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(Integer.BYTES + message.remaining());
        record.putInt(LAST_FRAGMENT | message.remaining()).put(message);
        socket.getOutputStream().write(record.array());
    }

    static void send(Socket socket, int... words) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        for (int word : words) {
            out.writeInt(word);
        }
        out.flush();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                synchronized (sockets) {
                    sockets.add(socket);
                }
                connected.add(socket.getInetAddress());
                Thread.ofPlatform().daemon().name("callback-connection").start(() -> serve(socket));
            }
        } catch (IOException e) {
            // The test has ended and closed the listener.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                byte[] call = new byte[in.readInt() & ~LAST_FRAGMENT];
                in.readFully(call);
                calls.add(call);
                behaviour.called(call, socket);
            }
        } catch (IOException e) {
            gone.add(socket.getInetAddress());
        }
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Returns the address of the listener in the form that SETCLIENTID uses. */
    public String universalAddress() {
        return "127.0.0.1." + (port() >> 8) + "." + (port() & 0xff);
    }

    /** Waits for the next element; fails if none comes. */
    public static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(30, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing came");
        }
        return next;
    }

    @Override
    public void close() throws IOException {
        listening.close();
        synchronized (sockets) {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
