package org.warpnfs.iwarp.qp;

import java.util.OptionalLong;

/** The one moment that a machine waits for, if it waits for one; its link is told of each change. */
final class Deadline {
    private final QueuePairLink link;
    private OptionalLong atNanos = OptionalLong.empty();

    Deadline(QueuePairLink link) {
        this.link = link;
    }

    /** When, on the clock of the link. */
    OptionalLong atNanos() {
        return atNanos;
    }

    /** So long from now, whatever was set before. */
    void set(long inNanos) {
        atNanos = OptionalLong.of(link.nowNanos() + inNanos);
        link.deadlineChanged();
    }

    void clear() {
        atNanos = OptionalLong.empty();
        link.deadlineChanged();
    }

    /** Clears it if its time has come; whether that was so. */
    boolean passed() {
        if (atNanos.isEmpty() || link.nowNanos() - atNanos.getAsLong() < 0) {
            return false;
        }
        clear();
        return true;
    }
}
