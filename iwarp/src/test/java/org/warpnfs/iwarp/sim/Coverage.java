package org.warpnfs.iwarp.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** How often each thing happened, over all seeds: what never does is not proven. */
final class Coverage {
    private final Map<Object, Integer> seen = new HashMap<>();

    void see(Object thing) {
        seen.merge(thing, 1, Integer::sum);
    }

    /** What of these never happened. */
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
