package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Direct, page-aligned buffers under one budget.
 *
 * <h2>Operation</h2>
 *
 * Buffers come in a few size classes, each four times the one before. A request gets the smallest class that holds it. What
 * is lent out, counted in whole buffers, never exceeds the budget: {@link #tryAcquire} then says no, and the caller holds
 * its request back ({@link #notifyOnRelease}) or asks its peer to try later.
 *
 * <h2>Buffers</h2>
 *
 * A released buffer is kept for the next request of its class. Lent and kept buffers together stay within the budget: a
 * request that would break it first drops kept buffers of other classes, largest first. Contents are not cleared: the one
 * who fills a buffer sets its limit to what was filled.
 *
 * <h2>Errors</h2>
 *
 * Asking for more than {@link #maxLengthBytes()} is a bug and throws {@link IllegalArgumentException}: lengths that a peer
 * claims are checked before they come here. Safe for any thread.
 */
public final class PayloadPool {
    /** Buffers start on a multiple of this many bytes. */
    public static final int ALIGNMENT_BYTES = 4096;

    private static final int SMALLEST_CLASS_BYTES = 4096;
    private static final int CLASS_FACTOR = 4;

    private final long budgetBytes;
    private final List<SizeClass> classes;
    private final AtomicLong lentBytes = new AtomicLong();
    private final AtomicLong keptBytes = new AtomicLong();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    /**
     * @param budgetBytes how much may be lent out at once; at least one buffer of the largest class
     * @param maxLengthBytes the largest request that will be made
     */
    public PayloadPool(long budgetBytes, int maxLengthBytes) {
        if (maxLengthBytes < 1 || maxLengthBytes > 1 << 28) {
            throw new IllegalArgumentException(
                    "payload length limit of " + maxLengthBytes + " bytes is not within 1.." + (1 << 28));
        }
        List<SizeClass> sizes = new ArrayList<>();
        int size = SMALLEST_CLASS_BYTES;
        while (size < maxLengthBytes) {
            sizes.add(new SizeClass(size));
            size = Math.min(size * CLASS_FACTOR, roundUpToPage(maxLengthBytes));
        }
        sizes.add(new SizeClass(size));
        if (budgetBytes < size) {
            throw new IllegalArgumentException("payload budget of " + budgetBytes
                    + " bytes does not hold one buffer of the largest class, " + size + " bytes");
        }
        this.budgetBytes = budgetBytes;
        this.classes = List.copyOf(sizes);
    }

    /** The largest request that can be met. */
    public int maxLengthBytes() {
        return classes.getLast().sizeBytes;
    }

    /** Memory lent out now, in whole buffers. */
    public long lentBytes() {
        return lentBytes.get();
    }

    /** The budget that this pool was made with. */
    public long budgetBytes() {
        return budgetBytes;
    }

    /**
     * Lends a payload whose buffer has position 0 and limit {@code lengthBytes}, or says no.
     *
     * @return null when the budget is used up
     */
    public @Nullable Payload tryAcquire(int lengthBytes) {
        SizeClass sizeClass = classFor(lengthBytes);
        long size = sizeClass.sizeBytes;
        if (lentBytes.addAndGet(size) > budgetBytes) {
            lentBytes.addAndGet(-size);
            return null;
        }
        ByteBuffer memory = sizeClass.kept.pollFirst();
        if (memory == null) {
            dropKeptBeyondBudget();
            memory = allocate(sizeClass.sizeBytes);
        } else {
            keptBytes.addAndGet(-size);
        }
        return new Pooled(sizeClass, memory, memory.duplicate().clear().limit(lengthBytes));
    }

    /**
     * Runs {@code task} once, soon after some payload has been released, on the releasing thread. Registering and then
     * trying once more closes the gap between a refusal and the registration.
     */
    public void notifyOnRelease(Runnable task) {
        waiting.add(task);
    }

    private SizeClass classFor(int lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > maxLengthBytes()) {
            throw new IllegalArgumentException(
                    "payload of " + lengthBytes + " bytes is not within 0.." + maxLengthBytes());
        }
        for (SizeClass sizeClass : classes) {
            if (lengthBytes <= sizeClass.sizeBytes) {
                return sizeClass;
            }
        }
        throw new AssertionError("the largest class holds every length that was checked");
    }

    private void dropKeptBeyondBudget() {
        for (int i = classes.size() - 1; i >= 0 && lentBytes.get() + keptBytes.get() > budgetBytes; i--) {
            SizeClass sizeClass = classes.get(i);
            while (lentBytes.get() + keptBytes.get() > budgetBytes && sizeClass.kept.pollFirst() != null) {
                keptBytes.addAndGet(-sizeClass.sizeBytes);
            }
        }
    }

    private void release(SizeClass sizeClass, ByteBuffer memory) {
        keptBytes.addAndGet(sizeClass.sizeBytes);
        sizeClass.kept.addFirst(memory);
        lentBytes.addAndGet(-sizeClass.sizeBytes);
        // Only those that wait now: a task that registers again is served by the next release.
        for (int n = waiting.size(); n > 0; n--) {
            Runnable task = waiting.poll();
            if (task == null) {
                break;
            }
            task.run();
        }
    }

    private static ByteBuffer allocate(int sizeBytes) {
        return ByteBuffer.allocateDirect(sizeBytes + ALIGNMENT_BYTES)
                .alignedSlice(ALIGNMENT_BYTES)
                .limit(sizeBytes)
                .slice();
    }

    private static int roundUpToPage(int bytes) {
        return (bytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
    }

    private static final class SizeClass {
        final int sizeBytes;
        final ConcurrentLinkedDeque<ByteBuffer> kept = new ConcurrentLinkedDeque<>();

        SizeClass(int sizeBytes) {
            this.sizeBytes = sizeBytes;
        }
    }

    private final class Pooled implements Payload {
        private final SizeClass sizeClass;
        private final ByteBuffer memory;
        private final ByteBuffer view;
        private final AtomicBoolean released = new AtomicBoolean();

        Pooled(SizeClass sizeClass, ByteBuffer memory, ByteBuffer view) {
            this.sizeClass = sizeClass;
            this.memory = memory;
            this.view = view;
        }

        @Override
        public ByteBuffer buffer() {
            if (released.get()) {
                throw new IllegalStateException("payload used after its release");
            }
            return view;
        }

        @Override
        public void release() {
            if (!released.compareAndSet(false, true)) {
                throw new IllegalStateException("payload released twice");
            }
            PayloadPool.this.release(sizeClass, memory);
        }
    }
}
