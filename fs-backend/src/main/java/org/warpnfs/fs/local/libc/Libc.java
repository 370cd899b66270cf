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
 * Finds functions of libc. Each takes the calling thread's errno memory first; variadic ones say which argument is the
 * first of the variable ones, since on aarch64 those may travel otherwise.
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
                .orElseThrow(() -> new UnsupportedOperationException("libc has no " + name + ": too old a system"));
        Linker.Option errno = Linker.Option.captureCallState("errno");
        return firstVariadic == NOT_VARIADIC
                ? LINKER.downcallHandle(symbol, descriptor, errno)
                : LINKER.downcallHandle(symbol, descriptor, errno, Linker.Option.firstVariadicArg(firstVariadic));
    }

    /** The result, or the thread's errno as an exception if it is negative. */
    static int check(int result) throws ErrnoException {
        if (result < 0) {
            throw ErrnoException.of(CallMemory.current().errno());
        }
        return result;
    }

    /** The result, or the thread's errno as an exception if it is negative. */
    static long check(long result) throws ErrnoException {
        if (result < 0) {
            throw ErrnoException.of(CallMemory.current().errno());
        }
        return result;
    }

    /**
     * What a call that is made once ended with.
     *
     * @return our own mistake, to be thrown
     * @throws ErrnoException if it is the call's own failure
     */
    static AssertionError failure(Throwable thrown) throws ErrnoException {
        if (thrown instanceof ErrnoException errno) {
            throw errno;
        }
        return broken(thrown);
    }

    /**
     * What a call ended with that is made again if a signal interrupted it: then returns.
     *
     * @throws ErrnoException if it is any other failure of the call
     */
    static void failUnlessInterrupted(Throwable thrown) throws ErrnoException {
        if (!(thrown instanceof ErrnoException errno)) {
            throw broken(thrown);
        }
        if (errno.errno() != Errno.EINTR) {
            throw errno;
        }
    }

    /** What a method handle of ours throws is always our own mistake. */
    static AssertionError broken(Throwable thrown) {
        return new AssertionError("a call of libc is bound wrongly", thrown);
    }
}
