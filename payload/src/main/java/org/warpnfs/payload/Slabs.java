package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a {@link PayloadPool}, in slabs. A slab holds one buffer of the largest class, or several of a smaller
 * class.
 *
 * <h2>Operation</h2>
 *
 * A slab is allocated when it is first needed and then kept for ever. So memory does not grow with the number of
 * requests and does not wait for the garbage collector. A slab belongs to one size class while one of its buffers is
 * lent. An empty slab may go to any class that needs one. Buffers are taken from the slab of their class that was used
 * last.
 *
 * <p>The classes below the largest have at most half of the slabs together, and each of them at most a quarter of all.
 * So small buffers that are scattered over many slabs cannot use up the memory for large ones.
 *
 * <h2>Buffers</h2>
 *
 * Slabs begin at a page boundary. So does every buffer, because sizes are multiples of a page.
 *
 * <h2>Errors</h2>
 *
 * When the virtual machine has no direct memory left, {@link #take} returns null and {@link #failedAllocations()}
 * counts it. Not safe for use by two threads at once. The pool's lock guards it.
 */
final class Slabs {
    private static final int PAGE_BYTES = PayloadPool.ALIGNMENT_BYTES;
    private static final int CLASS_FACTOR = 4;
    private static final int SMALL_CLASSES_PART = 2;
    private static final int ONE_CLASS_PART = 4;

    /** Allocates the memory of a slab. Tests make it fail. */
    interface Memory {
        /** Direct memory of this length, or {@link OutOfMemoryError}. */
        ByteBuffer allocate(int bytes);
    }

    /** A buffer that is lent out, and its slab. */
    record Piece(Slab slab, ByteBuffer memory) {
        int sizeBytes() {
            return memory.capacity();
        }
    }

    /** The buffers of one size. */
    static final class SizeClass {
        final int sizeBytes;

        /** Slabs of this class with a free buffer. The one to use next comes first, empty ones come last. */
        final Deque<Slab> usable = new ArrayDeque<>();

        int slabs;

        /** Memory lent out now, counted in whole buffers. */
        long lentBytes;

        SizeClass(int sizeBytes) {
            this.sizeBytes = sizeBytes;
        }
    }

    /** Memory for one buffer of the largest class. */
    static final class Slab {
        private final ByteBuffer memory;
        private final Deque<ByteBuffer> free = new ArrayDeque<>();
        private @Nullable SizeClass use;
        private int lent;

        Slab(ByteBuffer memory) {
            this.memory = memory;
        }

        void cut(SizeClass sizeClass) {
            free.clear();
            use = sizeClass;
            for (int at = 0; at + sizeClass.sizeBytes <= memory.capacity(); at += sizeClass.sizeBytes) {
                free.add(memory.slice(at, sizeClass.sizeBytes));
            }
        }
    }

    private final int slabBytes;
    private final int maxSlabs;
    private final int maxSmallSlabs;
    private final int maxSlabsOfOneSmallClass;
    private final Memory allocator;
    private final List<SizeClass> classes;
    private final Deque<Slab> idle = new ArrayDeque<>();
    private int allocated;
    private int smallSlabs;
    private long failedAllocations;

    /**
     * @param budgetBytes at least {@code maxLengthBytes}, rounded up to a page
     * @param maxLengthBytes the length of the largest buffer, before it is rounded
     */
    Slabs(long budgetBytes, int maxLengthBytes, Memory allocator) {
        List<SizeClass> sizes = new ArrayList<>();
        for (long size = PAGE_BYTES; size < maxLengthBytes; size *= CLASS_FACTOR) {
            sizes.add(new SizeClass((int) size));
        }
        slabBytes = roundUpToPage(maxLengthBytes);
        if (sizes.isEmpty() || sizes.getLast().sizeBytes < slabBytes) {
            sizes.add(new SizeClass(slabBytes));
        }
        classes = List.copyOf(sizes);
        maxSlabs = (int) Math.min(Integer.MAX_VALUE, budgetBytes / slabBytes);
        maxSmallSlabs = Math.max(1, maxSlabs / SMALL_CLASSES_PART);
        maxSlabsOfOneSmallClass = Math.max(1, maxSlabs / ONE_CLASS_PART);
        this.allocator = allocator;
    }

    static int roundUpToPage(int bytes) {
        return Math.max(PAGE_BYTES, (bytes + PAGE_BYTES - 1) & -PAGE_BYTES);
    }

    /** The length of the largest buffer. */
    int maxLengthBytes() {
        return slabBytes;
    }

    /** The most direct memory that all slabs together may take, including the bytes for alignment. */
    long reservedBytes() {
        return (long) maxSlabs * (slabBytes + PAGE_BYTES);
    }

    /** Direct memory that slabs have taken so far. */
    long allocatedBytes() {
        return (long) allocated * (slabBytes + PAGE_BYTES);
    }

    /** The number of slabs that were not allocated because the virtual machine was out of direct memory. */
    long failedAllocations() {
        return failedAllocations;
    }

    /** The smallest class whose buffers hold {@code lengthBytes}. */
    SizeClass classFor(int lengthBytes) {
        for (SizeClass sizeClass : classes) {
            if (lengthBytes <= sizeClass.sizeBytes) {
                return sizeClass;
            }
        }
        throw new IllegalArgumentException("payload of " + lengthBytes + " bytes is not within 0.." + slabBytes);
    }

    /** True if a buffer of this class is available without taking another slab. */
    boolean hasFree(SizeClass sizeClass) {
        return !sizeClass.usable.isEmpty();
    }

    /** A buffer; null if none is available now. */
    @Nullable
    Piece take(SizeClass sizeClass) {
        Slab slab = sizeClass.usable.peekFirst();
        if (slab == null) {
            slab = slabFor(sizeClass);
            if (slab == null) {
                return null;
            }
            sizeClass.usable.addFirst(slab);
        }
        ByteBuffer memory = slab.free.removeFirst();
        slab.lent++;
        sizeClass.lentBytes += sizeClass.sizeBytes;
        if (slab.free.isEmpty()) {
            sizeClass.usable.removeFirst();
        }
        return new Piece(slab, memory);
    }

    /** Takes a buffer back. */
    void give(Piece piece) {
        Slab slab = piece.slab;
        SizeClass sizeClass = slab.use;
        if (sizeClass == null) {
            throw new IllegalStateException("a buffer was given back to a slab that is not in use");
        }
        boolean wasUsable = !slab.free.isEmpty();
        slab.free.addFirst(piece.memory);
        slab.lent--;
        sizeClass.lentBytes -= sizeClass.sizeBytes;
        if (slab.lent == 0 && small(sizeClass)) {
            if (wasUsable) {
                sizeClass.usable.remove(slab);
            }
            sizeClass.usable.addLast(slab);
        } else if (!wasUsable) {
            sizeClass.usable.addFirst(slab);
        }
    }

    private @Nullable Slab slabFor(SizeClass sizeClass) {
        if (capped(sizeClass)) {
            return null;
        }
        boolean small = small(sizeClass);
        if (small && smallSlabs >= maxSmallSlabs) {
            freeEmptySlab(true);
        }
        Slab slab = idle.pollFirst();
        if (slab == null) {
            slab = allocate();
        }
        if (slab == null && freeEmptySlab(false)) {
            slab = idle.pollFirst();
        }
        if (slab != null) {
            slab.cut(sizeClass);
            sizeClass.slabs++;
            smallSlabs += small ? 1 : 0;
        }
        return slab;
    }

    /** The most memory that buffers of this class may take together. */
    long capacityBytes(SizeClass sizeClass) {
        int slabs = small(sizeClass) ? Math.min(maxSlabsOfOneSmallClass, maxSmallSlabs) : maxSlabs;
        return (long) slabs * (slabBytes / sizeClass.sizeBytes) * sizeClass.sizeBytes;
    }

    /** True if this class may take no more slabs now, however many are free. */
    boolean capped(SizeClass sizeClass) {
        return small(sizeClass)
                && (sizeClass.slabs >= maxSlabsOfOneSmallClass
                        || (smallSlabs >= maxSmallSlabs && !anyEmptySmallSlab()));
    }

    private boolean small(SizeClass sizeClass) {
        return sizeClass.sizeBytes < slabBytes;
    }

    private boolean anyEmptySmallSlab() {
        return classes.stream().filter(this::small).anyMatch(c -> !c.usable.isEmpty() && c.usable.getLast().lent == 0);
    }

    /** Takes an empty slab from its class and makes it idle. */
    private boolean freeEmptySlab(boolean onlySmall) {
        for (SizeClass sizeClass : classes) {
            boolean small = small(sizeClass);
            Slab last = sizeClass.usable.peekLast();
            if (last != null && last.lent == 0 && (small || !onlySmall)) {
                sizeClass.usable.removeLast();
                sizeClass.slabs--;
                smallSlabs -= small ? 1 : 0;
                last.use = null;
                idle.addFirst(last);
                return true;
            }
        }
        return false;
    }

    private @Nullable Slab allocate() {
        if (allocated == maxSlabs) {
            return null;
        }
        try {
            ByteBuffer memory = allocator.allocate(slabBytes + PAGE_BYTES);
            ByteBuffer aligned =
                    memory.alignedSlice(PAGE_BYTES).limit(slabBytes).slice();
            allocated++;
            return new Slab(aligned);
        } catch (OutOfMemoryError e) {
            failedAllocations++;
            return null;
        }
    }
}
