package org.warpnfs.nfs.locks;

import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileIdentity;

/**
 * The locks on one file, and who waits for some. Guarded by the lock of the service; an instance equals only itself.
 */
final class FileLocks {
    /** Number of releases that an owner is owed before they are taken for one of all that it has not locked. */
    private static final int MAX_OWED = 16;

    private final FileIdentity identity;
    private final ByteRangeLocks<Locker> held = new ByteRangeLocks<>(Locker::isGone);
    /** In the order of their coming. */
    private final Set<Waiting> waiting = new LinkedHashSet<>(2);

    private final Map<Locker, Reservation> pending = new HashMap<>(2);
    /** In the order in which they are made. */
    private final LinkedHashSet<BackendLocks.Owed> owed = new LinkedHashSet<>(2);

    /** Whether the first has to be made once more: it was asked for again while it may have been under way. */
    private boolean firstAgain;

    private final Map<Locker, Set<BackendLocks.Owed>> owedOf = new HashMap<>(2);
    /** Those in line whom a release has still to look at; null if there is none. */
    private @Nullable Deque<Waiting> toLookAt;

    private boolean looksAtAllAgain;
    private boolean releasesLater;
    private boolean looksAgain;
    private long looksAgainNanos;
    private @Nullable BackendLocks backend;
    private int sides;
    private long pauseMillis;

    FileLocks(FileIdentity identity) {
        this.identity = identity;
    }

    FileIdentity identity() {
        return identity;
    }

    ByteRangeLocks<Locker> held() {
        return held;
    }

    Set<Waiting> waiting() {
        return waiting;
    }

    /** The file's locks at its backend; null if it has none, or nobody has asked for any. */
    @Nullable
    BackendLocks backend() {
        return backend;
    }

    void backend(BackendLocks locks) {
        backend = locks;
    }

    /** What is granted here and not yet at the backend, by owner. */
    Map<Locker, Reservation> pending() {
        return pending;
    }

    /**
     * Notes what the backend has still to release. The first one may be under way already, with what the owner had
     * locked before, so it stands for no later one.
     */
    void owe(Locker owner, ByteRange range) {
        BackendLocks.Owed first = owed.isEmpty() ? null : owed.getFirst();
        List<BackendLocks.Owed> later = owedOf.getOrDefault(owner, Set.of()).stream()
                .filter(other -> !other.equals(first))
                .toList();
        BackendLocks.Owed all = new BackendLocks.Owed(owner, ByteRange.ALL);
        BackendLocks.Owed asked = new BackendLocks.Owed(owner, range);
        if (later.contains(asked) || later.contains(all)) {
            return;
        }
        if (first != null && later.size() >= MAX_OWED) {
            later.forEach(this::remove);
            asked = all;
        }
        if (asked.equals(first)) {
            firstAgain = true;
            return;
        }
        owed.add(asked);
        owedOf.computeIfAbsent(owner, _ -> new LinkedHashSet<>(2)).add(asked);
    }

    /** Notes that a release was made. */
    void isMade(BackendLocks.Owed release) {
        boolean again = firstAgain && !owed.isEmpty() && release.equals(owed.getFirst());
        remove(release);
        if (again) {
            firstAgain = false;
            owe(release.owner(), release.range());
        }
    }

    private void remove(BackendLocks.Owed release) {
        if (owed.remove(release)) {
            owedOf.computeIfPresent(release.owner(), (_, others) -> {
                others.remove(release);
                return others.isEmpty() ? null : others;
            });
        }
    }

    /** Notes a release that could not be made: the others come first. */
    void putOff(BackendLocks.Owed release) {
        if (owed.contains(release)) {
            firstAgain &= !release.equals(owed.getFirst());
            remove(release);
            owe(release.owner(), release.range());
        }
    }

    /** Notes that releases are to be made later. Returns false if that was noted before. */
    boolean releaseLater() {
        boolean isFirst = !releasesLater;
        releasesLater = true;
        return isFirst;
    }

    /** Notes that the releases that were to be made later are made now. */
    void releasesNow() {
        releasesLater = false;
    }

    /** Notes when those in line are looked at again. Returns false if they are no later than that already. */
    boolean looksAgain(long atNanos) {
        if (looksAgain && looksAgainNanos - atNanos <= 0) {
            return false;
        }
        looksAgain = true;
        looksAgainNanos = atNanos;
        return true;
    }

    /** Notes that those in line are looked at now, as was noted for that time. */
    void looksNow(long atNanos) {
        looksAgain &= looksAgainNanos != atNanos;
    }

    /** Those in line whom somebody is about to look at; null if nobody is, and empty if it is all of them. */
    @Nullable
    Deque<Waiting> toLookAt() {
        return toLookAt;
    }

    void toLookAt(@Nullable Deque<Waiting> line) {
        toLookAt = line;
    }

    /** True if all in line are to be looked at once more, after the present ones. */
    boolean looksAtAllAgain() {
        return looksAtAllAgain;
    }

    void lookAtAllAgain(boolean again) {
        looksAtAllAgain = again;
    }

    /** Sets the number of owners that have something at the backend. */
    void sides(int number) {
        sides = number;
    }

    /** The pause of trials for those who wait for somebody else at the backend; 0 if nobody does. */
    long pauseMillis() {
        return pauseMillis;
    }

    void pauseMillis(long millis) {
        pauseMillis = millis;
    }

    /** True if nothing is known of the file any more. */
    boolean isUnused() {
        return held.isEmpty()
                && waiting.isEmpty()
                && pending.isEmpty()
                && owed.isEmpty()
                && sides == 0
                && pauseMillis == 0;
    }

    /**
     * Locks the range for the owner as strongly as it is asked for, or was locked before. The caller has checked that
     * there is no conflict.
     *
     * @param orWait stands in line if somebody else has a lock at the backend; null if the request does not wait
     * @param ofTheLine true if it is in line already, and its waiter is told when it is granted
     */
    Reservation reserve(Locker owner, boolean exclusive, ByteRange range, @Nullable Waiting orWait, boolean ofTheLine) {
        BackendLocks at = backend;
        if (at == null) {
            throw new IllegalStateException("a reservation without a backend");
        }
        List<HeldLock> before = heldIn(owner, range);
        held.lock(owner, exclusive, range);
        if (!exclusive) {
            relock(before.stream().filter(HeldLock::exclusive).toList());
        }
        Reservation reservation = new Reservation(at::settle, owner, exclusive, range, before, orWait, ofTheLine);
        pending.put(owner, reservation);
        return reservation;
    }

    /** Gives the owner back what it had before. */
    void restore(Reservation reservation) {
        held.unlock(reservation.owner(), reservation.range());
        relock(reservation.before());
    }

    /**
     * Locks what is reserved as it was asked for.
     *
     * @return true if the backend may have more of it than that
     */
    boolean confirm(Reservation reservation) {
        reservation.wanted().forEach(part -> held.lock(reservation.owner(), reservation.exclusive(), part));
        boolean isLess = !reservation.wanted().equals(List.of(reservation.range()));
        return isLess
                || (!reservation.exclusive() && reservation.before().stream().anyMatch(HeldLock::exclusive));
    }

    /** What the owner has locked and the backend was asked for already. */
    List<HeldLock> heldAtBackend(Locker owner) {
        Reservation reservation = pending.get(owner);
        return reservation == null ? heldIn(owner, ByteRange.ALL) : heldBefore(reservation);
    }

    /** What the owner had locked before the reservation. */
    List<HeldLock> heldBefore(Reservation reservation) {
        List<HeldLock> had = new ArrayList<>(reservation.before());
        ByteRange range = reservation.range();
        if (range.first() != 0) {
            had.addAll(heldIn(reservation.owner(), new ByteRange(0, range.first() - 1)));
        }
        if (range.last() != ByteRange.TO_EOF) {
            had.addAll(heldIn(reservation.owner(), new ByteRange(range.last() + 1, ByteRange.TO_EOF)));
        }
        return had;
    }

    /** The first release that the backend owes; null if there is none. */
    BackendLocks.@Nullable Due nextOwed() {
        BackendLocks.Owed next = owed.isEmpty() ? null : owed.getFirst();
        return next == null
                ? null
                : new BackendLocks.Due(
                        next,
                        !holds(next.owner()) && !pending.containsKey(next.owner()),
                        heldIn(next.owner(), next.range()));
    }

    private void relock(List<HeldLock> locks) {
        locks.forEach(lock -> held.lock(lock.owner(), lock.exclusive(), lock.range()));
    }

    /** The parts of the owner's locks that are in the range, ordered by first byte. */
    List<HeldLock> heldIn(Locker owner, ByteRange range) {
        return held.in(owner, range).stream().map(HeldLock::of).toList();
    }

    boolean holds(Locker owner) {
        return held.holds(owner);
    }

    @Nullable
    HeldLock conflict(Locker owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        ByteRangeLocks.Held<Locker> found = held.conflict(owner, exclusive, range);
        return found == null ? null : HeldLock.of(found);
    }

    /** True if the owner of a request has locked by others what it asks for. */
    boolean isServed(Waiting request) {
        return held.covers(request.owner(), request.exclusive(), request.range());
    }

    /** True if no held lock conflicts. If too many dead ones are in the way, the next release looks again. */
    boolean isFree(Waiting request) {
        try {
            return held.conflict(request.owner(), request.exclusive(), request.range()) == null;
        } catch (LocksBusyException e) {
            return false;
        }
    }
}
