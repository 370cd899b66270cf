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

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle SENDTO = SocketCalls.handle(
            "sendto", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT, ValueLayout.ADDRESS, INT));

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
}
