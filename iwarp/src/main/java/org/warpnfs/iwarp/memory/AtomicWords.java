package org.warpnfs.iwarp.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.warpnfs.iwarp.io.MaskedWord;

/**
 * Atomic access to the 64-bit words of a piece of direct memory (RFC 7306, section 5), in the byte order of this host.
 *
 * <h2>Operation</h2>
 *
 * By compare-and-set on the word itself. So operations exclude each other by address, not by region or stream: memory
 * that is registered twice, or for several peers, is as safe as any. Any thread.
 *
 * <h2>Buffers</h2>
 *
 * Refers to the memory it was made of.
 *
 * <h2>Errors</h2>
 *
 * A word that is not aligned throws {@link IllegalArgumentException}: ask {@link #aligned} before.
 */
final class AtomicWords {
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;

    /** @param memory from 0 to its capacity */
    AtomicWords(ByteBuffer memory) {
        this.memory = memory;
    }

    /** Whether a word there can be accessed atomically: what counts is its address, not its offset. */
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
                            ? "the word at offset " + offsetBytes + " is not at a multiple of eight"
                            : "memory on the heap has no atomic words");
        }
    }
}
