package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The byte-range locks on one file, with POSIX arithmetic: an owner's new lock replaces what it held of the range, splitting and
 * joining as needed (RFC 8881 section 9.1.5: LOCK4_RESULT_LOCKTYPE_POSIX).
 *
 * <p>Locks of one owner never overlap, and neighbours of one kind are joined. Not safe for several threads.
 *
 * @param <O> who holds a lock
 */
final class ByteRangeLocks<O> {
    private final List<Held<O>> held = new ArrayList<>();

    /** One lock. */
    record Held<O>(O owner, boolean exclusive, ByteRange range) {}

    /** A lock of another owner that stands in the way, or null. */
    @Nullable
    Held<O> conflict(O owner, boolean exclusive, ByteRange range) {
        for (Held<O> lock : held) {
            if ((exclusive || lock.exclusive) && !lock.owner.equals(owner) && lock.range.overlaps(range)) {
                return lock;
            }
        }
        return null;
    }

    /** Gives {@code owner} the range; the caller has made sure that nobody stands in the way. */
    void lock(O owner, boolean exclusive, ByteRange range) {
        unlock(owner, range);
        held.add(new Held<>(owner, exclusive, range));
        join(owner);
    }

    /** Takes the range, or what the owner holds of it, away. */
    void unlock(O owner, ByteRange range) {
        List<Held<O>> rest = new ArrayList<>(held.size() + 1);
        for (Held<O> lock : held) {
            if (!lock.owner.equals(owner) || !lock.range.overlaps(range)) {
                rest.add(lock);
                continue;
            }
            if (Long.compareUnsigned(lock.range.first(), range.first()) < 0) {
                rest.add(new Held<>(owner, lock.exclusive, new ByteRange(lock.range.first(), range.first() - 1)));
            }
            if (Long.compareUnsigned(lock.range.last(), range.last()) > 0) {
                rest.add(new Held<>(owner, lock.exclusive, new ByteRange(range.last() + 1, lock.range.last())));
            }
        }
        held.clear();
        held.addAll(rest);
    }

    void unlockAll(O owner) {
        held.removeIf(lock -> lock.owner.equals(owner));
    }

    boolean holds(O owner) {
        return held.stream().anyMatch(lock -> lock.owner.equals(owner));
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    int size() {
        return held.size();
    }

    private void join(O owner) {
        List<Held<O>> own = new ArrayList<>();
        held.removeIf(lock -> lock.owner.equals(owner) && own.add(lock));
        own.sort(Comparator.comparing(lock -> lock.range.first(), Long::compareUnsigned));
        Held<O> open = own.getFirst();
        for (Held<O> lock : own.subList(1, own.size())) {
            if (lock.exclusive == open.exclusive && open.range.touches(lock.range)) {
                open = new Held<>(owner, open.exclusive, new ByteRange(open.range.first(), lock.range.last()));
            } else {
                held.add(open);
                open = lock;
            }
        }
        held.add(open);
    }
}
