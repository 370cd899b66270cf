package org.warpnfs.server;

import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.cluster.ClusterRecord;
import org.warpnfs.nfs.cluster.ClusterTiming;

/**
 * Ends what nodes that died have left at the engine, so that calls of the others do not wait for it.
 *
 * <h2>Operation</h2>
 *
 * Locks are among what is ended, and the clients of the node may reclaim them. So it is ended once every gateway that
 * runs grants nothing but reclaims; or after the time in which one that cannot do so ends. The node that has declared
 * the other dead does it at once then. The others do it some time later, if that one has died too.
 *
 * <p>It is done by a thread of its own, which tries again until it succeeds, one node after the other.
 * {@link #declared} and {@link #saw} never wait, and are called by one thread.
 */
final class DeadNodes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeadNodes.class);

    private final ClusterTiming timing;
    private final Remains remains;
    private final LongUnaryOperator randomBelow;
    private final Map<String, Integer> running = new HashMap<>();
    private final Map<String, Integer> found = new HashMap<>();
    private final Map<String, Dead> waiting = new HashMap<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("cluster-dead").factory());
    private volatile boolean closed;

    private record Dead(int instance, long sinceNanos, long notBeforeNanos) {}

    /** @param randomBelow a number from 0 to one below its argument */
    DeadNodes(ClusterTiming timing, Remains remains, LongUnaryOperator randomBelow) {
        this.timing = timing;
        this.remains = remains;
        this.randomBelow = randomBelow;
    }

    /** This node has written into the record that the other is dead. */
    void declared(String node, int instance, long nowNanos) {
        found.put(node, instance);
        waiting.put(node, new Dead(instance, nowNanos, nowNanos));
    }

    /** This is what the record says. */
    void saw(ClusterRecord record, long nowNanos) {
        if (remains.isNothing()) {
            return;
        }
        running.forEach((node, instance) -> {
            if (!record.isRunning(node, instance)) {
                found(node, instance, nowNanos);
            }
        });
        running.clear();
        record.members().forEach((node, member) -> {
            if (member.running()) {
                running.put(node, member.instance());
            } else {
                found(node, member.instance(), nowNanos);
            }
        });
        found.keySet().retainAll(record.members().keySet());
        boolean isGuarded = !record.isGrace() || record.isEnforcedByAll();
        for (Iterator<Map.Entry<String, Dead>> all = waiting.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<String, Dead> each = all.next();
            Dead dead = each.getValue();
            if (nowNanos - dead.notBeforeNanos >= 0
                    && (isGuarded || nowNanos - dead.sinceNanos >= timing.deadNanos())) {
                all.remove();
                String node = each.getKey();
                if (!closed) {
                    thread.execute(() -> end(node, dead.instance, false));
                }
            }
        }
    }

    private void found(String node, int instance, long nowNanos) {
        Integer before = found.put(node, instance);
        if (before == null || before != instance) {
            long half = timing.deadNanos() / 2;
            long later = nowNanos + half + randomBelow.applyAsLong(half);
            waiting.put(node, new Dead(instance, nowNanos, later));
        }
    }

    /** If it fails it is tried again, after those of the other nodes that wait. */
    private void end(String node, int instance, boolean told) {
        try {
            remains.end(node, instance);
            return;
        } catch (IOException | RuntimeException e) {
            if (!told) {
                LOG.warn("what node {} has left stays until Ceph ends it, or this succeeds: {}", node, e.toString());
            }
        }
        try {
            var _ = thread.schedule(() -> end(node, instance, true), timing.beatNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("nothing more is ended", e);
        }
    }

    /** Ends nothing more. Does not wait for what is being ended. */
    @Override
    public void close() {
        closed = true;
        thread.shutdownNow();
    }
}
