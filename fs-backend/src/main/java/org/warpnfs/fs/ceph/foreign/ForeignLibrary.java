package org.warpnfs.fs.ceph.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A shared library that may be missing, and its functions. It stays loaded until the process ends. Without it a
 * function is an {@link UnsupportedOperationException}, as one is that an older version lacks.
 */
public final class ForeignLibrary {
    public static final MemoryLayout BYTE = ValueLayout.JAVA_BYTE;
    public static final MemoryLayout INT = ValueLayout.JAVA_INT;
    public static final MemoryLayout LONG = ValueLayout.JAVA_LONG;
    public static final MemoryLayout POINTER = ValueLayout.ADDRESS;

    private static final Linker LINKER = Linker.nativeLinker();

    private final String name;
    private final String toInstall;
    private final @Nullable SymbolLookup symbols;

    private ForeignLibrary(String name, String toInstall, @Nullable SymbolLookup symbols) {
        this.name = name;
        this.toInstall = toInstall;
        this.symbols = symbols;
    }

    /**
     * Loads a library.
     *
     * @param name of its file, such as {@code libx.so.2}
     * @param toInstall what an administrator has to install if it is missing
     */
    public static ForeignLibrary load(String name, String toInstall) {
        try {
            return new ForeignLibrary(name, toInstall, SymbolLookup.libraryLookup(name, Arena.global()));
        } catch (IllegalArgumentException e) {
            return new ForeignLibrary(name, toInstall, null);
        }
    }

    /** Says what to install if the library is not there; else empty. */
    public Optional<String> missing() {
        return symbols != null ? Optional.empty() : Optional.of(name + " cannot be loaded: install " + toInstall);
    }

    /** A function that returns an int. */
    public MethodHandle intFunction(String function, MemoryLayout... arguments) {
        return function(function, FunctionDescriptor.of(INT, arguments));
    }

    /** A function that returns a long. */
    public MethodHandle longFunction(String function, MemoryLayout... arguments) {
        return function(function, FunctionDescriptor.of(LONG, arguments));
    }

    /** A function that returns a pointer. */
    public MethodHandle pointerFunction(String function, MemoryLayout... arguments) {
        return function(function, FunctionDescriptor.of(POINTER, arguments));
    }

    /** A function that returns nothing. */
    public MethodHandle voidFunction(String function, MemoryLayout... arguments) {
        return function(function, FunctionDescriptor.ofVoid(arguments));
    }

    private MethodHandle function(String function, FunctionDescriptor descriptor) {
        if (symbols == null) {
            throw new UnsupportedOperationException(name + " is not there");
        }
        MemorySegment symbol = symbols.find(function)
                .orElseThrow(() -> new UnsupportedOperationException(name + " has no " + function + ": it is too old"));
        return LINKER.downcallHandle(symbol, descriptor);
    }

    /** A pointer by which the library can call {@code target}, for as long as this process lives. */
    public MemorySegment stub(MethodHandle target, FunctionDescriptor descriptor) {
        return LINKER.upcallStub(target, descriptor, Arena.global());
    }

    /** What a method handle of a function throws is always a defect of its binding. */
    public AssertionError broken(Throwable thrown) {
        return new AssertionError("a call of " + name + " is bound wrongly", thrown);
    }
}
