package org.warpnfs.server.systemd;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/** The service manager's end of sd_notify(3): a bound datagram socket of AF_UNIX. Receiving fails after a minute. */
final class ManagerSocket implements AutoCloseable {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final MethodHandle SOCKET = call("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle SETSOCKOPT =
            call("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle BIND = call("bind", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle RECV =
            call("recv", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(INT, INT));
    private static final int MAX_MESSAGE_BYTES = 4096;

    private final int descriptor;

    private ManagerSocket(int descriptor) {
        this.descriptor = descriptor;
    }

    private static MethodHandle call(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type);
    }

    /** Binds to a path, or to a name in the abstract namespace if it begins with '@'. */
    static ManagerSocket bind(String name) throws Throwable {
        ManagerSocket socket = new ManagerSocket((int) SOCKET.invokeExact(1, 2, 0));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment timeout = arena.allocate(16, 8);
            timeout.set(LONG, 0, 60);
            int set = (int) SETSOCKOPT.invokeExact(socket.descriptor, 1, 20, timeout, 16);
            byte[] path = name.getBytes(StandardCharsets.UTF_8);
            MemorySegment address = arena.allocate(2 + path.length, 2);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) 1);
            MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, 2, path.length);
            if (path[0] == '@') {
                address.set(ValueLayout.JAVA_BYTE, 2, (byte) 0);
            }
            int bound = (int) BIND.invokeExact(socket.descriptor, address, 2 + path.length);
            if (set != 0 || bound != 0) {
                socket.close();
                throw new IOException("cannot bind " + name);
            }
            return socket;
        }
    }

    /** Receives the next message. */
    String next() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(MAX_MESSAGE_BYTES);
            long length = (long) RECV.invokeExact(descriptor, bytes, (long) MAX_MESSAGE_BYTES, 0);
            if (length < 0) {
                throw new IOException("nothing came in a minute");
            }
            return new String(bytes.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }
}
