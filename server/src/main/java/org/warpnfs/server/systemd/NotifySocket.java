package org.warpnfs.server.systemd;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import org.warpnfs.sockets.SocketCalls;

/**
 * The AF_UNIX datagram socket of a service manager. The JDK supports AF_UNIX for streams only, so this class calls the
 * C library. Linux only.
 *
 * <p>Each message uses a new socket, since messages are rare. Safe for any thread.
 *
 * <h2>Errors</h2>
 *
 * {@link IOException} names the call and its errno. If the service manager does not read for 5 seconds, the message is
 * lost.
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

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle SENDTO = SocketCalls.handle(
            "sendto", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT, ValueLayout.ADDRESS, INT));

    private final byte[] path;

    private NotifySocket(byte[] path) {
        this.path = path;
    }

    /**
     * Returns the socket of a NOTIFY_SOCKET value: an absolute path, or '@' and a name in the abstract namespace.
     *
     * @throws IllegalArgumentException if the value is wrong; it says why
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
    void send(String message) throws IOException {
        int socket = SocketCalls.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment timeout = arena.allocate(TIMEVAL_BYTES, Long.BYTES);
            timeout.set(LONG, 0, SEND_TIMEOUT_SECONDS);
            SocketCalls.setOption(socket, SOL_SOCKET, SO_SNDTIMEO, timeout);
            byte[] text = message.getBytes(StandardCharsets.UTF_8);
            MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, text);
            MemorySegment address = address(arena);
            SocketCalls.checked("sendto", errno -> (long) SENDTO.invokeExact(
                    errno, socket, bytes, (long) text.length, MSG_NOSIGNAL, address, FAMILY_BYTES + path.length));
        } finally {
            SocketCalls.close(socket);
        }
    }

    /** Returns a struct sockaddr_un; a name in the abstract namespace begins with a zero byte. */
    private MemorySegment address(Arena arena) {
        MemorySegment address = arena.allocate(FAMILY_BYTES + MAX_PATH_BYTES, Short.BYTES);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, FAMILY_BYTES, path.length);
        if (path[0] == '@') {
            address.set(ValueLayout.JAVA_BYTE, FAMILY_BYTES, (byte) 0);
        }
        return address;
    }
}
