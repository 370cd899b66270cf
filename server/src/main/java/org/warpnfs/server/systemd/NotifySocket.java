package org.warpnfs.server.systemd;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * The datagram socket of a service manager, of address family AF_UNIX, which the JDK has for streams only: so by the C
 * library. Linux only.
 *
 * <p>Each message has a socket of its own, since there are few. Safe for any thread.
 *
 * <h2>Errors</h2>
 *
 * {@link IOException} names the call and its errno. Whoever does not read for 5 seconds has that message lost.
 */
final class NotifySocket {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x8_0000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDTIMEO = 21;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final long SEND_TIMEOUT_SECONDS = 5;
    /** struct timeval { long seconds, microseconds; }. */
    private static final long TIMEVAL_BYTES = 16;

    private static final int FAMILY_BYTES = 2;
    /** sun_path of unix(7). */
    private static final int MAX_PATH_BYTES = 108;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout ERRNO = Linker.Option.captureStateLayout();
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle SOCKET = call("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle SETSOCKOPT =
            call("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle SENDTO =
            call("sendto", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(INT, INT));

    private final byte[] path;

    private NotifySocket(byte[] path) {
        this.path = path;
    }

    /**
     * A socket by the value of NOTIFY_SOCKET: an absolute path, or a name in the abstract namespace after '@'.
     *
     * @throws IllegalArgumentException with what is wrong with it
     */
    static NotifySocket at(String name) {
        byte[] path = name.getBytes(StandardCharsets.UTF_8);
        if (path.length < 2 || (path[0] != '/' && path[0] != '@')) {
            throw new IllegalArgumentException("neither a path nor a name after '@'");
        }
        if (path.length >= MAX_PATH_BYTES) {
            throw new IllegalArgumentException("longer than " + (MAX_PATH_BYTES - 1) + " bytes");
        }
        return new NotifySocket(path);
    }

    /** Sends one message of lines {@code NAME=VALUE}. */
    @SuppressWarnings("AvoidCatchingThrowable") // a method handle declares nothing narrower
    void send(String message) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(ERRNO);
            int socket =
                    (int) checked("socket", (int) SOCKET.invokeExact(errno, AF_UNIX, SOCK_DGRAM_CLOEXEC, 0), errno);
            try {
                MemorySegment timeout = arena.allocate(TIMEVAL_BYTES, Long.BYTES);
                timeout.set(LONG, 0, SEND_TIMEOUT_SECONDS);
                checked(
                        "setsockopt",
                        (int) SETSOCKOPT.invokeExact(
                                errno, socket, SOL_SOCKET, SO_SNDTIMEO, timeout, (int) TIMEVAL_BYTES),
                        errno);
                byte[] text = message.getBytes(StandardCharsets.UTF_8);
                MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, text);
                MemorySegment address = address(arena);
                checked(
                        "sendto",
                        (long) SENDTO.invokeExact(
                                errno,
                                socket,
                                bytes,
                                (long) text.length,
                                MSG_NOSIGNAL,
                                address,
                                FAMILY_BYTES + path.length),
                        errno);
            } finally {
                int ignored = (int) CLOSE.invokeExact(errno, socket);
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }

    /** struct sockaddr_un; the abstract namespace is a zero before the name. */
    private MemorySegment address(Arena arena) {
        MemorySegment address = arena.allocate(FAMILY_BYTES + MAX_PATH_BYTES, Short.BYTES);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, FAMILY_BYTES, path.length);
        if (path[0] == '@') {
            address.set(ValueLayout.JAVA_BYTE, FAMILY_BYTES, (byte) 0);
        }
        return address;
    }

    private static long checked(String name, long result, MemorySegment errno) throws IOException {
        if (result < 0) {
            throw new IOException(name + ": errno " + errno.get(INT, 0));
        }
        return result;
    }

    private static MethodHandle call(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), type, Linker.Option.captureCallState("errno"));
    }
}
