package org.warpnfs.nfs.cluster;

import java.time.Duration;

/**
 * How long nodes wait for each other, in nanoseconds. Nodes never compare their clocks: each measures by its own, from
 * what it saw. So clocks may differ, and run at speeds that differ by a few percent.
 *
 * @param beatNanos pause between two signs of life
 * @param fenceNanos how long after the last one that it gave a node may serve; counted from before it was given
 * @param deadNanos how long after the last one that they saw others declare a node dead. What lies between the two
 *     covers a node that is held up between asking whether it may grant something and doing so
 * @param absentNanos how long clients of a node that does not run are waited for
 */
public record ClusterTiming(long beatNanos, long fenceNanos, long deadNanos, long absentNanos) {
    private static final Duration SHORTEST_DEAD = Duration.ofSeconds(2);
    private static final Duration LONGEST_DEAD = Duration.ofSeconds(20);

    public ClusterTiming {
        if (beatNanos < 1 || fenceNanos <= beatNanos || deadNanos <= fenceNanos || absentNanos < 0) {
            throw new IllegalArgumentException("a node must beat before it is fenced, and be fenced before it is dead");
        }
    }

    /**
     * The timing of a server: dead after a quarter of the lease, from 2 to 20 seconds.
     *
     * @param lease of its NFSv4 clients, in which they notice that their server has gone
     */
    public static ClusterTiming of(Duration lease) {
        long deadNanos = Math.clamp(lease.toNanos() / 4, SHORTEST_DEAD.toNanos(), LONGEST_DEAD.toNanos());
        return new ClusterTiming(deadNanos / 20, deadNanos / 4 * 3, deadNanos, lease.toNanos() * 2);
    }

    /** How long the clients of a node may keep a grace period from its end, however often the node starts. */
    public long recoveryNanos() {
        return 2 * absentNanos;
    }
}
