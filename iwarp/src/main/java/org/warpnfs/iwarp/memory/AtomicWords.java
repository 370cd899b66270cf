package org.warpnfs.iwarp.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.warpnfs.iwarp.io.MaskedWord;

/**
 * Gives atomic access to the 64-bit words of direct memory (RFC 7306, section 5), in the byte order of this host.
 *
 * <h2>Operation</h2>
 *
 * Operations use compare-and-set on the word itself. So they exclude each other by address, not by region or stream,
 * and stay atomic in memory that is registered twice or for several peers. Safe for any thread.
 *
 * <h2>Buffers</h2>
 *
 * Refers to the memory that it was created with.
 *
 * <h2>Errors</h2>
 *
 * A word that is not aligned throws {@link IllegalArgumentException}. Call {@link #aligned} before.
 */
final class AtomicWords {
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;

    /** @param memory used from 0 to its capacity */
    AtomicWords(ByteBuffer memory) {
        this.memory = memory;
    }

    /** Whether the word at an offset can be accessed atomically. The address must be aligned, not the offset. */
    boolean aligned(int offsetBytes) {
        return memory.isDirect() && memory.alignmentOffset(offsetBytes, Long.BYTES) == 0;
    }

    long fetchAdd(int offsetBytes, MaskedWord add) {
        check(offsetBytes);
        while (true) {
            long original = (long) WORD.getVolatile(memory, offsetBytes);
            if (WORD.compareAndSet(memory, offsetBytes, original, add.addTo(original))) {
                return original;
            }
        }
    }

    long compareSwap(int offsetBytes, MaskedWord compare, MaskedWord swap) {
        check(offsetBytes);
        while (true) {
            long original = (long) WORD.getVolatile(memory, offsetBytes);
            if (!compare.matches(original)
                    || WORD.compareAndSet(memory, offsetBytes, original, swap.mergedInto(original))) {
                return original;
            }
        }
    }

    private void check(int offsetBytes) {
        if (!aligned(offsetBytes)) {
            throw new IllegalArgumentException(
                    memory.isDirect()
                            ? "the word at offset " + offsetBytes
                                    + " does not have an address that is a multiple of eight"
                            : "atomic operations need direct memory, not memory on the heap");
        }
    }
}
