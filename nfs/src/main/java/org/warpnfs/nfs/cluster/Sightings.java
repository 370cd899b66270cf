package org.warpnfs.nfs.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Since when one node has seen no change of the others. Not safe for several threads. */
final class Sightings {
    private final Map<String, Seen> seen = new HashMap<>();

    private record Seen(
            int instance, boolean running, @Nullable Beat beat, long sinceNanos) {}

    /** How long ago this node saw the first of what it sees now of another. */
    long unchangedNanos(long nowNanos, String node, Member member, @Nullable Beat beat) {
        // A beat of another instance says nothing of this one: it may be the last of a process that was held up.
        Beat own = beat != null && beat.instance() == member.instance() ? beat : null;
        Seen before = seen.get(node);
        if (before == null
                || before.instance != member.instance()
                || before.running != member.running()
                || (member.running() && !Objects.equals(before.beat, own))) {
            before = new Seen(member.instance(), member.running(), own, nowNanos);
            seen.put(node, before);
        }
        return nowNanos - before.sinceNanos;
    }

    void keepOnly(ClusterRecord record) {
        seen.keySet().retainAll(record.members().keySet());
    }
}
