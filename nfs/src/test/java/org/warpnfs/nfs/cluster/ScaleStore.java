package org.warpnfs.nfs.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The directory of a simulated cluster, in a file system whose metadata service does one operation at a time. It does
 * what {@link DirectoryStore} does, operation by operation, and counts.
 */
final class ScaleStore {
    private final ScaleSimulation world;
    private final Map<String, Beat> beats = new HashMap<>();
    private ClusterRecord latest = ClusterRecord.empty("00112233445566778899aabbccddeeff");
    private long version;
    private long freeAt;
    final Counts counts = new Counts();

    /** What was done since the last {@link #clear}. */
    static final class Counts {
        long recordReads;
        long beatsGiven;
        long beatsRead;
        long replaced;
        long refused;
        long lists;
        long operations;
        long reclaims;
        long busiestSecond;
        private long second;
        private long inSecond;

        void clear() {
            recordReads = 0;
            beatsGiven = 0;
            beatsRead = 0;
            replaced = 0;
            refused = 0;
            lists = 0;
            operations = 0;
            reclaims = 0;
            busiestSecond = 0;
            inSecond = 0;
        }
    }

    ScaleStore(ScaleSimulation world) {
        this.world = world;
    }

    ClusterRecord latest() {
        return latest;
    }

    /** Some operations after one another, and that many waits for stable storage. */
    void engine(int operations, int syncs, Runnable then) {
        long begin = Math.max(world.now(), freeAt);
        freeAt = begin + operations * world.costs.engineNanos();
        counts.operations += operations;
        long second = freeAt / ScaleSimulation.SECOND;
        if (second != counts.second) {
            counts.second = second;
            counts.inSecond = 0;
        }
        counts.inSecond += operations;
        counts.busiestSecond = Math.max(counts.busiestSecond, counts.inSecond);
        long waits = operations * world.costs.roundTripNanos() + syncs * world.costs.syncNanos();
        world.at(freeAt + world.vary(waits), then);
    }

    /** @param known the version that the reader has */
    void read(long known, Consumer<ClusterStore.Versioned> then) {
        counts.recordReads++;
        // A listing, and the file if it is another one; who finds one syncs its directory.
        boolean isNew = version != known;
        engine(isNew ? 3 : 1, isNew ? 1 : 0, () -> then.accept(new ClusterStore.Versioned(version, latest)));
    }

    void replace(long expected, ClusterRecord next, Consumer<Boolean> then) {
        // The new file and its sync; then the link.
        engine(3, 1, () -> {
            if (version != expected) {
                counts.refused++;
                engine(2, 0, () -> then.accept(false));
                return;
            }
            counts.replaced++;
            world.replaced(latest, next);
            version++;
            latest = next;
            engine(4, 1, () -> then.accept(true));
        });
    }

    void beat(String node, Beat beat, Runnable then) {
        counts.beatsGiven++;
        engine(1, 0, () -> {
            beats.put(node, beat);
            then.run();
        });
    }

    void beats(Set<String> nodes, Consumer<Map<String, Beat>> then) {
        counts.beatsRead += nodes.size();
        engine(nodes.size(), 0, () -> {
            Map<String, Beat> seen = new HashMap<>(beats);
            seen.keySet().retainAll(nodes);
            then.accept(seen);
        });
    }

    /** Writes the whole list of a node's clients. */
    void writeList(Runnable then) {
        counts.lists++;
        engine(5, 2, then);
    }

    /** Appends to the list of a node's clients. */
    void appendToList(Runnable then) {
        counts.lists++;
        engine(1, 1, then);
    }

    /** A client's OPEN or LOCK at the file system. */
    void reclaim(Runnable then) {
        counts.reclaims++;
        engine(1, 0, then);
    }
}
