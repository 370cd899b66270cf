package org.warpnfs.nfs.locks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is granted here and not yet at the backend. Others are kept out already; what its owner had before counts
 * until the reservation {@linkplain #settle ends}.
 *
 * <p>Guarded by the lock of the service, but for the methods that are public.
 */
public final class Reservation {
    /** Number of parts that releases may leave of the range. With more, the request is not wanted any more. */
    private static final int MAX_PARTS = 256;

    private final Function<Reservation, LockAttempt> settling;
    private final Locker owner;
    private final boolean exclusive;
    private final ByteRange range;
    /** What the owner had of the range before, and has not released since. */
    private List<HeldLock> before;
    /** What of the range the owner has not released since. */
    private List<ByteRange> wanted;
    /** The request that stands in line if the lock is somebody else's; null if it does not wait. */
    private final @Nullable Waiting orWait;

    /** True if the line made it; false if its owner asks, and hears the result. */
    private final boolean ofTheLine;

    private final CountDownLatch ended = new CountDownLatch(1);
    /** True if the owner's locks on the file were all released meanwhile. */
    private boolean cancelled;
    /** True if the request was cancelled meanwhile: the owner has what it had before. */
    private boolean unwanted;

    Reservation(
            Function<Reservation, LockAttempt> settling,
            Locker owner,
            boolean exclusive,
            ByteRange range,
            List<HeldLock> before,
            @Nullable Waiting orWait,
            boolean ofTheLine) {
        this.settling = settling;
        this.owner = owner;
        this.exclusive = exclusive;
        this.range = range;
        this.before = before;
        this.wanted = List.of(range);
        this.orWait = orWait;
        this.ofTheLine = ofTheLine;
    }

    /**
     * Takes the lock at the backend, and confirms it here or restores what was. Must be called once, by a thread that
     * has no lock; waits as the backend does, but not long for others that wait for it.
     *
     * @return what became of it; its {@code more} comes on top of that of the reservation
     */
    public LockAttempt settle() {
        return settling.apply(this);
    }

    /** Waits until it has ended, at most that long. Returns false if it has not. */
    public boolean await(long millis) {
        try {
            return ended.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    Locker owner() {
        return owner;
    }

    boolean exclusive() {
        return exclusive;
    }

    ByteRange range() {
        return range;
    }

    List<HeldLock> before() {
        return before;
    }

    /** What of the range is locked if the backend grants it. */
    List<ByteRange> wanted() {
        return wanted;
    }

    /**
     * The owner releases a range while this is on its way: as if the release had come after the lock. So no release
     * waits for a lock.
     */
    void release(ByteRange released) {
        List<HeldLock> stillBefore = new ArrayList<>();
        for (HeldLock had : before) {
            had.range()
                    .without(released)
                    .forEach(part -> stillBefore.add(new HeldLock(had.owner(), had.exclusive(), part)));
        }
        before = stillBefore;
        wanted =
                wanted.stream().flatMap(part -> part.without(released).stream()).toList();
        if (wanted.size() > MAX_PARTS) {
            // A request of the line is tried anew, for all of its range.
            unwanted |= !ofTheLine;
            wanted = List.of();
        }
    }

    /** True if the owner has released a part of the range while this is on its way. */
    boolean isReleased() {
        return !wanted.equals(List.of(range));
    }

    @Nullable
    Waiting orWait() {
        return orWait;
    }

    boolean isOfTheLine() {
        return ofTheLine;
    }

    void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    void unwant() {
        unwanted = true;
    }

    boolean isUnwanted() {
        return unwanted;
    }

    void end() {
        ended.countDown();
    }
}
