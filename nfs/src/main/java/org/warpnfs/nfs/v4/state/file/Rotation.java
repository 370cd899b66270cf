package org.warpnfs.nfs.v4.state.file;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A map whose values are looked at some at a time, each in its turn, so that no call has to look at all of them.
 * Guarded by the lock of the state.
 */
final class Rotation<K, V> {
    private final LinkedHashMap<K, V> all = new LinkedHashMap<>(2);
    private int leftInRound;

    void put(K key, V value) {
        all.put(key, value);
    }

    void remove(K key, V value) {
        all.remove(key, value);
    }

    @Nullable
    V get(K key) {
        return all.get(key);
    }

    int size() {
        return all.size();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    Collection<V> values() {
        return all.values();
    }

    /** The next values, at most so many. The next call goes on behind them. */
    List<V> next(int most) {
        int count = Math.min(most, all.size());
        if (count == all.size()) {
            return List.copyOf(all.values());
        }
        List<V> next = new ArrayList<>(count);
        while (next.size() < count) {
            Map.Entry<K, V> first = all.pollFirstEntry();
            all.putLast(first.getKey(), first.getValue());
            next.add(first.getValue());
        }
        return next;
    }

    /** The next values of a round, in which each has its turn. Begins one if none is under way. */
    List<V> nextOfRound(int most) {
        if (leftInRound == 0) {
            leftInRound = all.size();
        }
        List<V> next = next(Math.min(most, leftInRound));
        leftInRound = next.isEmpty() ? 0 : leftInRound - next.size();
        return next;
    }

    /** True if a round has stopped before its end. */
    boolean isInRound() {
        return leftInRound > 0;
    }
}
