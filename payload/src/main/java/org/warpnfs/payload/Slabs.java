package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a {@link PayloadPool}: slabs that each hold one buffer of the largest class, or many of a smaller one.
 *
 * <h2>Operation</h2>
 *
 * A slab is allocated when it is first needed and then kept for ever, so memory neither grows with the number of
 * requests nor waits for the garbage collector. While one of its buffers is lent a slab belongs to one size class; an
 * empty one goes to whichever class asks next. Buffers come from the slab of their class that was used last.
 *
 * <p>All classes but the largest have half of the slabs together, and none of them more than a quarter of all: so small
 * buffers that are scattered over many slabs cannot keep large ones from being had.
 *
 * <h2>Buffers</h2>
 *
 * Slabs begin on a page; so does every buffer, as sizes are multiples of a page.
 *
 * <h2>Errors</h2>
 *
 * When the virtual machine has no direct memory left, no buffer is given and {@link #failedAllocations()} counts. Not
 * safe for more than one thread at once: the pool locks.
 */
final class Slabs {
    private static final int PAGE_BYTES = PayloadPool.ALIGNMENT_BYTES;
    private static final int CLASS_FACTOR = 4;
    private static final int SMALL_CLASSES_PART = 2;
    private static final int ONE_CLASS_PART = 4;

    /** Makes the memory of a slab; tests make it fail. */
    interface Memory {
        /** Direct memory, or {@link OutOfMemoryError}. */
        ByteBuffer allocate(int bytes);
    }

    /** One buffer on loan. */
    record Piece(Slab slab, ByteBuffer memory) {
        int sizeBytes() {
            return memory.capacity();
        }
    }

    /** Buffers of one size. */
    static final class SizeClass {
        final int sizeBytes;

        /** Slabs of this class with a free buffer; the one to use next is first, empty ones are last. */
        final Deque<Slab> usable = new ArrayDeque<>();

        int slabs;

        /** Lent out now, in whole buffers. */
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
     * @param maxLengthBytes the largest buffer, before it is rounded
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

    /** The largest buffer. */
    int maxLengthBytes() {
        return slabBytes;
    }

    /** Direct memory that all slabs together may take, with what aligns them. */
    long reservedBytes() {
        return (long) maxSlabs * (slabBytes + PAGE_BYTES);
    }

    /** Direct memory that slabs have taken so far. */
    long allocatedBytes() {
        return (long) allocated * (slabBytes + PAGE_BYTES);
    }

    /** Slabs that could not be had because the virtual machine was out of direct memory. */
    long failedAllocations() {
        return failedAllocations;
    }

    /** The smallest class whose buffers hold so many bytes. */
    SizeClass classFor(int lengthBytes) {
        for (SizeClass sizeClass : classes) {
            if (lengthBytes <= sizeClass.sizeBytes) {
                return sizeClass;
            }
        }
        throw new IllegalArgumentException("payload of " + lengthBytes + " bytes is not within 0.." + slabBytes);
    }

    /** True if a buffer of this class can be had without taking another slab. */
    boolean hasFree(SizeClass sizeClass) {
        return !sizeClass.usable.isEmpty();
    }

    /** A buffer, or null if none can be had now. */
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
            throw new IllegalStateException("a payload of a slab that is not in use");
        }
        boolean wasUsable = !slab.free.isEmpty();
        slab.free.addFirst(piece.memory);
        slab.lent--;
        sizeClass.lentBytes -= sizeClass.sizeBytes;
        if (slab.lent == 0) {
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

    /** What buffers of this class may take together, at most. */
    long capacityBytes(SizeClass sizeClass) {
        int slabs = small(sizeClass) ? Math.min(maxSlabsOfOneSmallClass, maxSmallSlabs) : maxSlabs;
        return (long) slabs * (slabBytes / sizeClass.sizeBytes) * sizeClass.sizeBytes;
    }

    /** True if this class has all the slabs that it may have now, however many are free. */
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

    /** Takes an empty slab from its class, and makes it idle. */
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
