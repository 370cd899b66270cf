package org.warpnfs.tools.bench.loopback;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A blocking IPv4 TCP socket on 127.0.0.1, by the C library alone: Linux only. The JDK's own sockets do not let
 * congestion control be chosen, and the host's choice may halve what loopback gives.
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

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout ERRNO = Linker.Option.captureStateLayout();
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle SOCKET = call("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle SETSOCKOPT =
            call("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle BIND = call("bind", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle GETSOCKNAME =
            call("getsockname", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    private static final MethodHandle LISTEN = call("listen", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle ACCEPT =
            call("accept", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    private static final MethodHandle CONNECT =
            call("connect", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle SEND =
            call("send", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle RECV =
            call("recv", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle SHUTDOWN = call("shutdown", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(INT, INT));

    private final int descriptor;

    private PosixSocket(int descriptor) {
        this.descriptor = descriptor;
    }

    private static MethodHandle call(String name, FunctionDescriptor type) {
        MemorySegment address = SymbolLookup.loaderLookup()
                .find(name)
                .or(() -> LINKER.defaultLookup().find(name))
                .orElseThrow(() -> new UnsupportedOperationException("the C library has no " + name));
        return LINKER.downcallHandle(address, type, Linker.Option.captureCallState("errno"));
    }

    /** A call that has been made, with its errno. */
    private interface Call {
        long make(MemorySegment errno) throws Throwable;
    }

    @SuppressWarnings("AvoidCatchingThrowable") // a method handle declares nothing narrower
    private static long checked(String name, Call call) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(ERRNO);
            long result = call.make(errno);
            if (result < 0) {
                throw new IOException(name + " on loopback: errno " + errno.get(INT, 0));
            }
            return result;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }

    private static PosixSocket make() throws IOException {
        PosixSocket socket =
                new PosixSocket((int) checked("socket", e -> (int) SOCKET.invokeExact(e, AF_INET, SOCK_STREAM, 0)));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocateFrom(INT, 1);
            MemorySegment cubic = arena.allocateFrom("cubic", StandardCharsets.US_ASCII);
            checked("setsockopt", e ->
                    (int) SETSOCKOPT.invokeExact(e, socket.descriptor, IPPROTO_TCP, TCP_NODELAY, one, Integer.BYTES));
            checked("setsockopt", e ->
                    (int) SETSOCKOPT.invokeExact(e, socket.descriptor, IPPROTO_TCP, TCP_CONGESTION, cubic, 5));
        }
        return socket;
    }

    /** Listens on a free port. */
    static PosixSocket listen() throws IOException {
        PosixSocket socket = make();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = address(arena, 0);
            checked("bind", e -> (int) BIND.invokeExact(e, socket.descriptor, address, ADDRESS_BYTES));
            checked("listen", e -> (int) LISTEN.invokeExact(e, socket.descriptor, 1));
        }
        return socket;
    }

    int port() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ADDRESS_BYTES, 4);
            MemorySegment length = arena.allocateFrom(INT, ADDRESS_BYTES);
            checked("getsockname", e -> (int) GETSOCKNAME.invokeExact(e, descriptor, address, length));
            return Short.toUnsignedInt(
                    address.get(ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 2));
        }
    }

    PosixSocket accept() throws IOException {
        return new PosixSocket((int) checked(
                "accept", e -> (int) ACCEPT.invokeExact(e, descriptor, MemorySegment.NULL, MemorySegment.NULL)));
    }

    static PosixSocket connect(int port) throws IOException {
        PosixSocket socket = make();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = address(arena, port);
            checked("connect", e -> (int) CONNECT.invokeExact(e, socket.descriptor, address, ADDRESS_BYTES));
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

    /** Sends all of it. */
    void send(MemorySegment bytes, MemorySegment errno) throws IOException {
        long sent = 0;
        while (sent < bytes.byteSize()) {
            sent += transfer("send", SEND, bytes.asSlice(sent), MSG_NOSIGNAL, errno);
        }
    }

    /** Receives some of it; 0 at the end of the stream. */
    long receive(MemorySegment into, MemorySegment errno) throws IOException {
        return transfer("recv", RECV, into, 0, errno);
    }

    /** Memory that {@link #send} and {@link #receive} want for the error number. */
    static MemorySegment errno(Arena arena) {
        return arena.allocate(ERRNO);
    }

    @SuppressWarnings("AvoidCatchingThrowable") // a method handle declares nothing narrower
    private long transfer(String name, MethodHandle call, MemorySegment bytes, int flags, MemorySegment errno)
            throws IOException {
        try {
            long done = (long) call.invokeExact(errno, descriptor, bytes, bytes.byteSize(), flags);
            if (done < 0) {
                throw new IOException(name + " on loopback: errno " + errno.get(INT, 0));
            }
            return done;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }

    /** Wakes whoever is blocked in a call on this socket. */
    void shutDown() throws IOException {
        checked("shutdown", e -> (int) SHUTDOWN.invokeExact(e, descriptor, SHUT_RDWR));
    }

    @Override
    public void close() throws IOException {
        checked("close", e -> (int) CLOSE.invokeExact(e, descriptor));
    }
}
