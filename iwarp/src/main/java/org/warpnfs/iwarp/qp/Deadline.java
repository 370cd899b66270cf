package org.warpnfs.iwarp.qp;

import java.util.OptionalLong;

/** The only deadline of a machine, if one is set. The link is told of each change. */
final class Deadline {
    private final QueuePairLink link;
    private OptionalLong atNanos = OptionalLong.empty();

    Deadline(QueuePairLink link) {
        this.link = link;
    }

    /** The deadline, on the clock of the link. */
    OptionalLong atNanos() {
        return atNanos;
    }

    /** Sets the deadline relative to now and replaces any earlier one. */
    void set(long inNanos) {
        atNanos = OptionalLong.of(link.nowNanos() + inNanos);
        link.deadlineChanged();
    }

    void clear() {
        atNanos = OptionalLong.empty();
        link.deadlineChanged();
    }

    /** Whether the deadline has passed. If so, clears it. */
    boolean passed() {
        if (atNanos.isEmpty() || link.nowNanos() - atNanos.getAsLong() < 0) {
            return false;
        }
        clear();
        return true;
    }
}
