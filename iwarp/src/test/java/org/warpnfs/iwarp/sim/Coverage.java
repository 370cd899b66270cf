package org.warpnfs.iwarp.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts how often each event happened over all seeds. The simulation proves nothing about an event that never happens.
 */
final class Coverage {
    private final Map<Object, Integer> seen = new HashMap<>();

    void see(Object thing) {
        seen.merge(thing, 1, Integer::sum);
    }

    /** The events that never happened. */
    Set<Object> missing(Set<Object> things) {
        Set<Object> missing = new HashSet<>(things);
        missing.removeAll(seen.keySet());
        return missing;
    }

    @Override
    public String toString() {
        return seen.toString();
    }
}
