package org.warpnfs.sockets;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Socket calls of the C library, for kinds of socket that the JDK does not support. Linux only.
 *
 * <h2>Errors</h2>
 *
 * A call that fails throws an {@link IOException} with the call's name and its errno. Safe for any thread.
 */
public final class SocketCalls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout ERRNO = Linker.Option.captureStateLayout();
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

    private static final MethodHandle SOCKET = handle("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle SETSOCKOPT =
            handle("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(INT, INT));

    private SocketCalls() {}

    /** A call that takes memory for its errno as its first argument. */
    @FunctionalInterface
    public interface Call {
        /** Makes the call and returns its result, which is negative if the call failed. */
        long make(MemorySegment errno) throws Throwable;
    }

    /**
     * A function of the C library, which takes memory for its errno before its own arguments.
     *
     * @throws java.util.NoSuchElementException if the C library has none of that name
     */
    public static MethodHandle handle(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), type, Linker.Option.captureCallState("errno"));
    }

    /** Allocates memory for an errno. */
    public static MemorySegment errno(Arena arena) {
        return arena.allocate(ERRNO);
    }

    /** Makes a call and checks its result. */
    public static long checked(String name, Call call) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return checked(name, errno(arena), call);
        }
    }

    /** Makes a call as {@link #checked(String, Call)} does, with existing memory for the errno. */
    @SuppressWarnings("AvoidCatchingThrowable") // a method handle declares nothing narrower
    public static long checked(String name, MemorySegment errno, Call call) throws IOException {
        try {
            long result = call.make(errno);
            if (result < 0) {
                throw new IOException(name + ": errno " + errno.get(INT, 0));
            }
            return result;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }

    /** Creates a socket and returns its descriptor. */
    public static int socket(int family, int type) throws IOException {
        return (int) checked("socket", errno -> (int) SOCKET.invokeExact(errno, family, type, 0));
    }

    /** Sets an option to the whole contents of {@code value}. */
    public static void setOption(int socket, int level, int option, MemorySegment value) throws IOException {
        int length = Math.toIntExact(value.byteSize());
        checked("setsockopt", errno -> (int) SETSOCKOPT.invokeExact(errno, socket, level, option, value, length));
    }

    public static void close(int socket) throws IOException {
        checked("close", errno -> (int) CLOSE.invokeExact(errno, socket));
    }
}
