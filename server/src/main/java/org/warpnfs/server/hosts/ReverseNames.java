package org.warpnfs.server.hosts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Calls getnameinfo(3). The Java library's lookup does not distinguish an address without a name from a resolver that
 * did not answer. With it, hosts would lose their names, and so their exports, whenever the resolver fails for a
 * moment. Safe for any thread; may block until the name service answers.
 *
 * <pre>
 * offset  sockaddr_in       sockaddr_in6
 *  0      sin_family        sin6_family
 *  2      sin_port          sin6_port
 *  4      sin_addr          sin6_flowinfo
 *  8      (zero)            sin6_addr
 * 24                        sin6_scope_id
 * </pre>
 */
final class ReverseNames {
    static final int NO_NAME = -2;

    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final int IPV4_OFFSET = 4;
    private static final int IPV6_OFFSET = 8;
    private static final int SCOPE_OFFSET = 24;
    private static final int IPV4_BYTES = 16;
    private static final int IPV6_BYTES = 28;
    /** NI_NAMEREQD: fail instead of returning a numeric address. */
    private static final int NAME_REQUIRED = 8;
    /** NI_MAXHOST. */
    private static final int MAX_NAME_BYTES = 1025;

    private final @Nullable MethodHandle getnameinfo;

    private ReverseNames(@Nullable MethodHandle getnameinfo) {
        this.getnameinfo = getnameinfo;
    }

    /** Returns the lookup of this host's C library; if it cannot be called, no address has a name. */
    static ReverseNames ofLibc() {
        Linker linker = Linker.nativeLinker();
        return new ReverseNames(linker.defaultLookup()
                .find("getnameinfo")
                .map(symbol -> linker.downcallHandle(
                        symbol,
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT)))
                .orElse(null));
    }

    /**
     * Returns the name of an address, which is whatever its reverse zone contains.
     *
     * @throws UncheckedIOException if the resolver did not answer
     */
    Optional<String> of(InetAddress address) {
        if (getnameinfo == null) {
            return Optional.empty();
        }
        byte[] bytes = address.getAddress();
        boolean ipv6 = bytes.length != Integer.BYTES;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment socket = arena.allocate(IPV6_BYTES, Integer.BYTES);
            socket.set(ValueLayout.JAVA_SHORT, 0, ipv6 ? AF_INET6 : AF_INET);
            MemorySegment.copy(bytes, 0, socket, ValueLayout.JAVA_BYTE, ipv6 ? IPV6_OFFSET : IPV4_OFFSET, bytes.length);
            if (address instanceof Inet6Address scoped) {
                socket.set(ValueLayout.JAVA_INT, SCOPE_OFFSET, scoped.getScopeId());
            }
            MemorySegment name = arena.allocate(MAX_NAME_BYTES);
            int error = (int) getnameinfo.invokeExact(
                    socket, ipv6 ? IPV6_BYTES : IPV4_BYTES, name, MAX_NAME_BYTES, MemorySegment.NULL, 0, NAME_REQUIRED);
            return answered(error) ? Optional.of(name.getString(0)) : Optional.empty();
        } catch (UncheckedIOException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the C library cannot be asked for a host", e);
        }
    }

    /**
     * Interprets the result of getnameinfo.
     *
     * @return false if the address has no name
     * @throws UncheckedIOException if the resolver did not answer
     */
    static boolean answered(int error) {
        if (error == 0 || error == NO_NAME) {
            return error == 0;
        }
        throw new UncheckedIOException(new IOException("error " + error + " of getnameinfo"));
    }
}
