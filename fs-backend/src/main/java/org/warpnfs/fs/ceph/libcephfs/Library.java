package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Loads libcephfs and finds its functions. */
public final class Library {
    static final MemoryLayout INT = JAVA_INT;
    static final MemoryLayout LONG = JAVA_LONG;
    static final MemoryLayout POINTER = ADDRESS;

    private static final String NAME = "libcephfs.so.2";
    private static final Linker LINKER = Linker.nativeLinker();
    private static final @Nullable SymbolLookup SYMBOLS = load();

    private Library() {}

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
                : Optional.of(NAME + " cannot be loaded: install the package libcephfs2 (Debian, Ubuntu, Fedora) of "
                        + "Ceph 16 or later");
    }

    /** A function that returns an int: an error number below zero, or a result. */
    static MethodHandle intFunction(String name, MemoryLayout... arguments) {
        return function(name, FunctionDescriptor.of(INT, arguments));
    }

    static MethodHandle longFunction(String name, MemoryLayout... arguments) {
        return function(name, FunctionDescriptor.of(LONG, arguments));
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
        MemorySegment symbol = SYMBOLS.find(name)
                .orElseThrow(() -> new UnsupportedOperationException(NAME + " has no " + name + ": it is too old"));
        return LINKER.downcallHandle(symbol, descriptor);
    }

    /** A pointer by which the library can call {@code target}, for as long as this process lives. */
    static MemorySegment stub(MethodHandle target, FunctionDescriptor descriptor) {
        return LINKER.upcallStub(target, descriptor, Arena.global());
    }

    /** Returns the result, or throws the error number that it is. */
    static int check(int result) throws CephException {
        if (result < 0) {
            throw CephException.of(-result);
        }
        return result;
    }

    /** Returns the result, or throws the error number that it is. */
    static long check(long result) throws CephException {
        if (result < 0) {
            throw CephException.of((int) -result);
        }
        return result;
    }

    /**
     * Sorts what a call threw.
     *
     * @return a defect of this package, to be thrown
     * @throws CephException if the call itself failed
     */
    static AssertionError failure(Throwable thrown) throws CephException {
        if (thrown instanceof CephException ceph) {
            throw ceph;
        }
        return broken(thrown);
    }

    /** What a method handle of this package throws is always a defect of this package. */
    static AssertionError broken(Throwable thrown) {
        return new AssertionError("a call of libcephfs is bound wrongly", thrown);
    }
}
