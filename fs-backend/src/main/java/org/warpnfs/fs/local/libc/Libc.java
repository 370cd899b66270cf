package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * Finds functions of libc. Each function takes the calling thread's errno memory first. A variadic function needs the
 * number of its first variable argument, since aarch64 may pass those in another way.
 */
final class Libc {
    static final MemoryLayout INT = JAVA_INT;
    static final MemoryLayout LONG = JAVA_LONG;
    static final MemoryLayout POINTER = ADDRESS;

    private static final int NOT_VARIADIC = -1;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup SYMBOLS = LINKER.defaultLookup();

    private Libc() {}

    /** A function that returns an int. */
    static MethodHandle intFunction(String name, MemoryLayout... arguments) {
        return function(name, NOT_VARIADIC, FunctionDescriptor.of(INT, arguments));
    }

    /** A function that returns a long or ssize_t. */
    static MethodHandle longFunction(String name, MemoryLayout... arguments) {
        return function(name, NOT_VARIADIC, FunctionDescriptor.of(LONG, arguments));
    }

    /** A function that returns an int and takes variable arguments from number {@code firstVariadic} on. */
    static MethodHandle variadicIntFunction(String name, int firstVariadic, MemoryLayout... arguments) {
        return function(name, firstVariadic, FunctionDescriptor.of(INT, arguments));
    }

    /** A function that returns a long and takes variable arguments from number {@code firstVariadic} on. */
    static MethodHandle variadicLongFunction(String name, int firstVariadic, MemoryLayout... arguments) {
        return function(name, firstVariadic, FunctionDescriptor.of(LONG, arguments));
    }

    private static MethodHandle function(String name, int firstVariadic, FunctionDescriptor descriptor) {
        MemorySegment symbol = SYMBOLS.find(name)
                .orElseThrow(
                        () -> new UnsupportedOperationException("libc has no " + name + ": this system is too old"));
        Linker.Option errno = Linker.Option.captureCallState("errno");
        return firstVariadic == NOT_VARIADIC
                ? LINKER.downcallHandle(symbol, descriptor, errno)
                : LINKER.downcallHandle(symbol, descriptor, errno, Linker.Option.firstVariadicArg(firstVariadic));
    }

    /** Returns the result, or throws the thread's errno if the result is negative. */
    static int check(int result) throws ErrnoException {
        if (result < 0) {
            throw ErrnoException.of(CallMemory.current().errno());
        }
        return result;
    }

    /** Returns the result, or throws the thread's errno if the result is negative. */
    static long check(long result) throws ErrnoException {
        if (result < 0) {
            throw ErrnoException.of(CallMemory.current().errno());
        }
        return result;
    }

    /**
     * Sorts what a call threw that is made only once.
     *
     * @return a defect of this package, to be thrown
     * @throws ErrnoException if the call itself failed
     */
    static AssertionError failure(Throwable thrown) throws ErrnoException {
        if (thrown instanceof ErrnoException errno) {
            throw errno;
        }
        return broken(thrown);
    }

    /**
     * Sorts what a call threw that is repeated after EINTR. Returns if it was EINTR.
     *
     * @throws ErrnoException if the call failed in any other way
     */
    static void failUnlessInterrupted(Throwable thrown) throws ErrnoException {
        if (!(thrown instanceof ErrnoException errno)) {
            throw broken(thrown);
        }
        if (errno.errno() != Errno.EINTR) {
            throw errno;
        }
    }

    /** What a method handle of this package throws is always a defect of this package. */
    static AssertionError broken(Throwable thrown) {
        return new AssertionError("a call of libc is bound wrongly", thrown);
    }
}
