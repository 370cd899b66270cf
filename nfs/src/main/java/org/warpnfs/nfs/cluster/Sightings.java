package org.warpnfs.nfs.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one node has seen of the others, and since when. Not safe for several threads. */
final class Sightings {
    private final Map<String, Seen> seen = new HashMap<>();
    private final Map<String, Needed> needed = new HashMap<>();

    private record Needed(long epoch, long sinceNanos) {}

    private record Seen(
            int instance, boolean running, @Nullable Beat beat, long sinceNanos) {}

    /**
     * How long another node is known to have shown what it shows now. A change counts from after it was seen, and
     * silence to before it was asked for: so this node may be held up at any moment and does not take that for silence.
     */
    long unchangedNanos(View view, String node, Member member) {
        Beat beat = view.signs().beats().get(node);
        // A beat of another instance says nothing of this one: it may be the last of a process that was held up.
        Beat own = beat != null && beat.instance() == member.instance() ? beat : null;
        Seen before = seen.get(node);
        if (before == null
                || before.instance != member.instance()
                || before.running != member.running()
                || (member.running() && !Objects.equals(before.beat, own))) {
            seen.put(node, new Seen(member.instance(), member.running(), own, view.seenNanos()));
            return 0;
        }
        return view.signs().askedNanos() - before.sinceNanos;
    }

    /** True if another node has been seen before, whatever it showed. */
    boolean has(String node) {
        return seen.containsKey(node);
    }

    /** How long another node's clients have needed this grace period, through any number of its starts. */
    long neededNanos(View view, String node, Member member) {
        long epoch = view.record().epoch();
        Needed before = needed.get(node);
        if (!member.need()) {
            needed.remove(node);
            return 0;
        }
        if (before == null || before.epoch != epoch) {
            needed.put(node, new Needed(epoch, view.seenNanos()));
            return 0;
        }
        return view.signs().askedNanos() - before.sinceNanos;
    }

    void keepOnly(ClusterRecord record) {
        seen.keySet().retainAll(record.members().keySet());
        needed.keySet().retainAll(record.members().keySet());
    }
}
