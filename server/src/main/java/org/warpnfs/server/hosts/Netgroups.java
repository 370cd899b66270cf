package org.warpnfs.server.hosts;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Calls innetgr(3). The C library iterates netgroups in global state, so calls are serialized. Safe for any thread; may
 * block until the name service answers.
 */
final class Netgroups {
    private final @Nullable MethodHandle innetgr;

    private Netgroups(@Nullable MethodHandle innetgr) {
        this.innetgr = innetgr;
    }

    /** Returns the netgroups of this host; without support in the C library, as with musl, all netgroups are empty. */
    static Netgroups ofLibc() {
        Linker linker = Linker.nativeLinker();
        return new Netgroups(linker.defaultLookup()
                .find("innetgr")
                .map(symbol -> linker.downcallHandle(
                        symbol,
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.ADDRESS,
                                ValueLayout.ADDRESS,
                                ValueLayout.ADDRESS)))
                .orElse(null));
    }

    /** Returns whether the netgroup has an entry for the host, with any user and domain. */
    synchronized boolean hasHost(String netgroup, String host) {
        if (innetgr == null) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            return (int) innetgr.invokeExact(
                            arena.allocateFrom(netgroup),
                            arena.allocateFrom(host),
                            MemorySegment.NULL,
                            MemorySegment.NULL)
                    != 0;
        } catch (Throwable e) {
            throw new IllegalStateException("innetgr cannot be called", e);
        }
    }
}
