package org.warpnfs.nfs.locks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The byte-range locks on one file, with POSIX semantics: an owner's new lock replaces what the owner had of the range,
 * with splits and joins as needed (RFC 8881, section 9.1.5: LOCK4_RESULT_LOCKTYPE_POSIX).
 *
 * <p>Locks of one owner never overlap, and adjacent ones of one kind are joined. Every operation takes logarithmic time
 * in the number of locks. If an owner releases all its locks, they are only marked as dead; later calls remove them,
 * {@value #PORTION} at a time. Not safe for several threads.
 *
 * @param <O> owner of a lock
 */
final class ByteRangeLocks<O> {
    /** Number of dead locks that each call removes. */
    private static final int PORTION = 64;
    /** Number of dead locks that one search removes before it gives up for now: a few milliseconds. */
    private static final int MAX_DEAD_IN_THE_WAY = 4096;
    /** Number of locks that {@link #covers} looks at. Adjacent ones of one kind are one. */
    private static final int MOST_PIECES = 256;

    private final Predicate<O> isGone;
    private final Map<O, Holder<O>> holders = new HashMap<>();
    private final RangeTree<Holder<O>> exclusive = new RangeTree<>();
    private final RangeTree<Holder<O>> shared = new RangeTree<>();
    private final Queue<Holder<O>> dead = new ArrayDeque<>();
    private int size;

    /** One lock. */
    record Held<O>(O owner, boolean exclusive, ByteRange range) {}

    /** The locks of one owner. A dead one is never used again. */
    private static final class Holder<O> {
        final O owner;
        final TreeMap<Long, Piece<O>> pieces = new TreeMap<>(Long::compareUnsigned);
        boolean dead;

        Holder(O owner) {
            this.owner = owner;
        }

        /** The first piece that overlaps the range, or one behind it; null if there is none. */
        Map.@Nullable Entry<Long, Piece<O>> from(ByteRange range) {
            Map.Entry<Long, Piece<O>> next = pieces.floorEntry(range.first());
            return next == null || !next.getValue().range().overlaps(range) ? pieces.higherEntry(range.first()) : next;
        }
    }

    private record Piece<O>(boolean exclusive, RangeTree.Node<Holder<O>> node) {
        ByteRange range() {
            return node.range;
        }
    }

    ByteRangeLocks() {
        this(_ -> false);
    }

    /** @param isGone true for owners whose locks no longer count although they were not released yet */
    ByteRangeLocks(Predicate<O> isGone) {
        this.isGone = isGone;
    }

    /**
     * A conflicting lock of another owner, or null.
     *
     * @throws LocksBusyException if the search met too many locks of owners that are gone; it removes them, so a
     *     repeated search meets fewer
     */
    @Nullable
    Held<O> conflict(O owner, boolean isExclusive, ByteRange range) throws LocksBusyException {
        clearDead(PORTION);
        Holder<O> asker = holders.get(owner);
        Held<O> found = conflict(exclusive, true, asker, range);
        return found == null && isExclusive ? conflict(shared, false, asker, range) : found;
    }

    /**
     * Owners other than {@code owner} whose locks conflict with the range, at most {@code most}. Some may be missing
     * after {@code mostSteps} nodes of the trees.
     */
    Set<O> conflicting(O owner, boolean isExclusive, ByteRange range, int most, long mostSteps) {
        Holder<O> asker = holders.get(owner);
        Set<O> found = new LinkedHashSet<>();
        long last = visited() + mostSteps;
        Predicate<RangeTree.Node<Holder<O>>> isEnough = node -> {
            Holder<O> holder = node.holder;
            if (!holder.dead && !isGone.test(holder.owner)) {
                found.add(holder.owner);
            }
            return found.size() == most || visited() - last >= 0;
        };
        exclusive.eachOverlapping(asker, range, isEnough);
        if (isExclusive && found.size() < most && visited() - last < 0) {
            shared.eachOverlapping(asker, range, isEnough);
        }
        return found;
    }

    private @Nullable Held<O> conflict(
            RangeTree<Holder<O>> tree, boolean isExclusive, @Nullable Holder<O> asker, ByteRange range)
            throws LocksBusyException {
        for (int inTheWay = 0; inTheWay < MAX_DEAD_IN_THE_WAY; inTheWay++) {
            RangeTree.Node<Holder<O>> node = tree.overlapping(asker, range);
            if (node == null) {
                return null;
            }
            Holder<O> holder = node.holder;
            if (!holder.dead && !isGone.test(holder.owner)) {
                return new Held<>(holder.owner, isExclusive, node.range);
            }
            tree.remove(node);
            holder.pieces.remove(node.range.first());
            size -= holder.dead ? 0 : 1;
        }
        throw new LocksBusyException();
    }

    /** Locks the range for {@code owner}. The caller has checked that there is no conflict. */
    void lock(O owner, boolean isExclusive, ByteRange range) {
        unlock(owner, range);
        Holder<O> holder = holders.computeIfAbsent(owner, Holder::new);
        long first = range.first();
        long last = range.last();
        Map.Entry<Long, Piece<O>> before = first == 0 ? null : holder.pieces.floorEntry(first - 1);
        if (before != null
                && before.getValue().exclusive() == isExclusive
                && before.getValue().range().touches(range)) {
            first = before.getKey();
            take(holder, before.getValue());
        }
        Piece<O> behind = last == -1 ? null : holder.pieces.get(last + 1);
        if (behind != null && behind.exclusive() == isExclusive) {
            last = behind.range().last();
            take(holder, behind);
        }
        put(holder, isExclusive, new ByteRange(first, last));
    }

    /** Releases what the owner has locked of the range. */
    void unlock(O owner, ByteRange range) {
        clearDead(PORTION);
        Holder<O> holder = holders.get(owner);
        if (holder == null || holder.pieces.isEmpty()) {
            return;
        }
        if (Long.compareUnsigned(range.first(), holder.pieces.firstKey()) <= 0
                && Long.compareUnsigned(
                                range.last(),
                                holder.pieces.lastEntry().getValue().range().last())
                        >= 0) {
            unlockAll(owner);
            return;
        }
        Map.Entry<Long, Piece<O>> next = holder.from(range);
        while (next != null && next.getValue().range().overlaps(range)) {
            Piece<O> piece = next.getValue();
            ByteRange had = piece.range();
            take(holder, piece);
            if (Long.compareUnsigned(had.first(), range.first()) < 0) {
                put(holder, piece.exclusive(), new ByteRange(had.first(), range.first() - 1));
            }
            if (Long.compareUnsigned(had.last(), range.last()) > 0) {
                put(holder, piece.exclusive(), new ByteRange(range.last() + 1, had.last()));
            }
            next = holder.pieces.higherEntry(had.first());
        }
    }

    private void put(Holder<O> holder, boolean isExclusive, ByteRange range) {
        RangeTree.Node<Holder<O>> node = new RangeTree.Node<>(holder, range);
        tree(isExclusive).add(node);
        holder.pieces.put(range.first(), new Piece<>(isExclusive, node));
        size++;
    }

    private void take(Holder<O> holder, Piece<O> piece) {
        tree(piece.exclusive()).remove(piece.node());
        holder.pieces.remove(piece.range().first());
        size--;
    }

    private RangeTree<Holder<O>> tree(boolean isExclusive) {
        return isExclusive ? exclusive : shared;
    }

    /** Releases all locks of the owner. */
    void unlockAll(O owner) {
        Holder<O> holder = holders.remove(owner);
        if (holder != null) {
            holder.dead = true;
            size -= holder.pieces.size();
            dead.add(holder);
            clearDead(PORTION);
        }
    }

    private void clearDead(int most) {
        int left = most;
        while (left > 0) {
            Holder<O> holder = dead.peek();
            if (holder == null) {
                return;
            }
            Map.Entry<Long, Piece<O>> piece = holder.pieces.pollFirstEntry();
            if (piece == null) {
                dead.remove();
            } else {
                tree(piece.getValue().exclusive()).remove(piece.getValue().node());
            }
            left--;
        }
    }

    boolean holds(O owner) {
        return holdsOf(owner) > 0;
    }

    /** The owner's locks, ordered by first byte, at most {@code most}. */
    List<Held<O>> of(O owner, int most) {
        Holder<O> holder = holders.get(owner);
        return holder == null
                ? List.of()
                : holder.pieces.values().stream()
                        .limit(most)
                        .map(piece -> new Held<>(owner, piece.exclusive(), piece.range()))
                        .toList();
    }

    /** The parts of the owner's locks that are in the range, ordered by first byte. */
    List<Held<O>> in(O owner, ByteRange range) {
        Holder<O> holder = holders.get(owner);
        List<Held<O>> found = new ArrayList<>();
        Map.Entry<Long, Piece<O>> next = holder == null ? null : holder.from(range);
        while (holder != null && next != null && next.getValue().range().overlaps(range)) {
            Piece<O> piece = next.getValue();
            found.add(new Held<>(owner, piece.exclusive(), piece.range().common(range)));
            next = holder.pieces.higherEntry(next.getKey());
        }
        return found;
    }

    /**
     * True if the owner has locked every byte of the range, at least as strongly as that. A range in more than
     * {@value #MOST_PIECES} locks counts as not covered.
     */
    boolean covers(O owner, boolean isExclusive, ByteRange range) {
        Holder<O> holder = holders.get(owner);
        Map.Entry<Long, Piece<O>> next = holder == null ? null : holder.from(range);
        long first = range.first();
        for (int pieces = 0; holder != null && next != null && pieces < MOST_PIECES; pieces++) {
            Piece<O> piece = next.getValue();
            if (Long.compareUnsigned(piece.range().first(), first) > 0 || (isExclusive && !piece.exclusive())) {
                return false;
            }
            if (Long.compareUnsigned(piece.range().last(), range.last()) >= 0) {
                return true;
            }
            first = piece.range().last() + 1;
            next = holder.pieces.higherEntry(next.getKey());
        }
        return false;
    }

    /** Number of locks of the owner. */
    int holdsOf(O owner) {
        Holder<O> holder = holders.get(owner);
        return holder == null ? 0 : holder.pieces.size();
    }

    /** Number of locks that searches have examined so far. */
    long visited() {
        return exclusive.visited() + shared.visited();
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }
}
