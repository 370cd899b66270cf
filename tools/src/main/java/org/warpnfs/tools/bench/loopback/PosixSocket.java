package org.warpnfs.tools.bench.loopback;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.warpnfs.sockets.SocketCalls;

/**
 * A blocking IPv4 TCP socket on 127.0.0.1, by direct calls of the C library. It works on Linux only. The JDK's own
 * sockets cannot choose the congestion control, and the host's default may halve the throughput of loopback.
 *
 * <p>Failed calls throw {@link IOException} with the call's name and errno. One thread at a time for each direction.
 */
final class PosixSocket implements AutoCloseable {
    private static final int AF_INET = 2;
    private static final int SOCK_STREAM = 1;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_NODELAY = 1;
    private static final int TCP_CONGESTION = 13;
    private static final int SHUT_RDWR = 2;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int ADDRESS_BYTES = 16;
    private static final int LOCALHOST = 0x7f00_0001;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle BIND =
            SocketCalls.handle("bind", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle GETSOCKNAME = SocketCalls.handle(
            "getsockname", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    private static final MethodHandle LISTEN = SocketCalls.handle("listen", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle ACCEPT =
            SocketCalls.handle("accept", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    private static final MethodHandle CONNECT =
            SocketCalls.handle("connect", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle SEND =
            SocketCalls.handle("send", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle RECV =
            SocketCalls.handle("recv", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle SHUTDOWN = SocketCalls.handle("shutdown", FunctionDescriptor.of(INT, INT, INT));

    private final int descriptor;

    private PosixSocket(int descriptor) {
        this.descriptor = descriptor;
    }

    private static PosixSocket make() throws IOException {
        PosixSocket socket = new PosixSocket(SocketCalls.socket(AF_INET, SOCK_STREAM));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocateFrom(INT, 1);
            byte[] cubic = "cubic".getBytes(StandardCharsets.US_ASCII);
            SocketCalls.setOption(socket.descriptor, IPPROTO_TCP, TCP_NODELAY, one);
            SocketCalls.setOption(
                    socket.descriptor, IPPROTO_TCP, TCP_CONGESTION, arena.allocateFrom(ValueLayout.JAVA_BYTE, cubic));
        }
        return socket;
    }

    /** Listens on a free port. */
    static PosixSocket listen() throws IOException {
        PosixSocket socket = make();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = address(arena, 0);
            SocketCalls.checked("bind", e -> (int) BIND.invokeExact(e, socket.descriptor, address, ADDRESS_BYTES));
            SocketCalls.checked("listen", e -> (int) LISTEN.invokeExact(e, socket.descriptor, 1));
        }
        return socket;
    }

    int port() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ADDRESS_BYTES, 4);
            MemorySegment length = arena.allocateFrom(INT, ADDRESS_BYTES);
            SocketCalls.checked("getsockname", e -> (int) GETSOCKNAME.invokeExact(e, descriptor, address, length));
            return Short.toUnsignedInt(
                    address.get(ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 2));
        }
    }

    PosixSocket accept() throws IOException {
        return new PosixSocket((int) SocketCalls.checked(
                "accept", e -> (int) ACCEPT.invokeExact(e, descriptor, MemorySegment.NULL, MemorySegment.NULL)));
    }

    static PosixSocket connect(int port) throws IOException {
        PosixSocket socket = make();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = address(arena, port);
            SocketCalls.checked(
                    "connect", e -> (int) CONNECT.invokeExact(e, socket.descriptor, address, ADDRESS_BYTES));
        }
        return socket;
    }

    private static MemorySegment address(Arena arena, int port) {
        MemorySegment address = arena.allocate(ADDRESS_BYTES, 4);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_INET);
        address.set(ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 2, (short) port);
        address.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 4, LOCALHOST);
        return address;
    }

    /** Sends all bytes. */
    void send(MemorySegment bytes, MemorySegment errno) throws IOException {
        long sent = 0;
        while (sent < bytes.byteSize()) {
            MemorySegment rest = bytes.asSlice(sent);
            sent += SocketCalls.checked(
                    "send", errno, e -> (long) SEND.invokeExact(e, descriptor, rest, rest.byteSize(), MSG_NOSIGNAL));
        }
    }

    /** Receives some bytes. Returns 0 at the end of the stream. */
    long receive(MemorySegment into, MemorySegment errno) throws IOException {
        return SocketCalls.checked(
                "recv", errno, e -> (long) RECV.invokeExact(e, descriptor, into, into.byteSize(), 0));
    }

    /** Wakes a thread that is blocked in a call on this socket. */
    void shutDown() throws IOException {
        SocketCalls.checked("shutdown", e -> (int) SHUTDOWN.invokeExact(e, descriptor, SHUT_RDWR));
    }

    @Override
    public void close() throws IOException {
        SocketCalls.close(descriptor);
    }
}
