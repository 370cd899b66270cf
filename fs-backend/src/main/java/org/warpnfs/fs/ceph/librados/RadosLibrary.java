package org.warpnfs.fs.ceph.librados;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Loads librados and finds its functions. */
public final class RadosLibrary {
    static final MemoryLayout BYTE = ValueLayout.JAVA_BYTE;
    static final MemoryLayout INT = ValueLayout.JAVA_INT;
    static final MemoryLayout LONG = ValueLayout.JAVA_LONG;
    static final MemoryLayout POINTER = ValueLayout.ADDRESS;

    private static final String NAME = "librados.so.2";
    private static final Linker LINKER = Linker.nativeLinker();
    private static final @Nullable SymbolLookup SYMBOLS = load();

    private RadosLibrary() {}

    private static @Nullable SymbolLookup load() {
        try {
            return SymbolLookup.libraryLookup(NAME, Arena.global());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Says what to install if the library is not there; else empty. */
    public static Optional<String> missing() {
        return SYMBOLS != null
                ? Optional.empty()
                : Optional.of(NAME + " cannot be loaded: install the package librados2 of Ceph 16 or later");
    }

    static MethodHandle intFunction(String name, MemoryLayout... arguments) {
        return function(name, FunctionDescriptor.of(INT, arguments));
    }

    static MethodHandle pointerFunction(String name, MemoryLayout... arguments) {
        return function(name, FunctionDescriptor.of(POINTER, arguments));
    }

    static MethodHandle voidFunction(String name, MemoryLayout... arguments) {
        return function(name, FunctionDescriptor.ofVoid(arguments));
    }

    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        if (SYMBOLS == null) {
            throw new UnsupportedOperationException(NAME + " is not there");
        }
        return LINKER.downcallHandle(
                SYMBOLS.find(name)
                        .orElseThrow(
                                () -> new UnsupportedOperationException(NAME + " has no " + name + ": it is too old")),
                descriptor);
    }

    /** What a method handle of this package throws is always a defect of this package. */
    static AssertionError broken(Throwable thrown) {
        return new AssertionError("a call of librados is bound wrongly", thrown);
    }
}
