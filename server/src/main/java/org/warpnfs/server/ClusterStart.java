package org.warpnfs.server;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.cluster.ClusterRecord;
import org.warpnfs.nfs.cluster.ClusterStore;
import org.warpnfs.nfs.cluster.ClusterTiming;
import org.warpnfs.nfs.cluster.Joining;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.cluster.View;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.ConfigException;

/**
 * How a gateway takes its {@linkplain ClusterSeat seat}. It waits until the engine of its exports answers, until the
 * earlier process of the same node no longer serves, and then until every other node keeps new state from its clients.
 */
final class ClusterStart {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterStart.class);
    /** However short leases are. */
    private static final Duration LEAST_START = Duration.ofMinutes(1);

    /**
     * The record in which this node is.
     *
     * @param proposedNanos when it began to write it
     */
    record Joined(ClusterStore.Versioned record, long proposedNanos) {}

    private final ClusterChoice choice;
    private final ClusterTiming timing;
    private final ClusterStore store;
    private final SignsInSight signs;

    private ClusterStart(ClusterChoice choice, ClusterTiming timing, ClusterStore store, SignsInSight signs) {
        this.choice = choice;
        this.timing = timing;
        this.store = store;
        this.signs = signs;
    }

    /**
     * Joins the cluster once the engine of the exports answers, and waits until the node's clients may reclaim.
     *
     * @param shared stays open until the seat is closed
     * @param ended is told, on a thread of its own, if this process must end
     * @throws ConfigException if it cannot join; one line gives the reason
     */
    static ClusterSeat take(ClusterChoice choice, Duration lease, SharedState shared, Runnable ended)
            throws ConfigException {
        Duration two = lease.multipliedBy(2);
        return take(choice, lease, shared, ended, two.compareTo(LEAST_START) < 0 ? LEAST_START : two);
    }

    /**
     * Does the same.
     *
     * @param startLimit a process that does not {@linkplain ClusterSeat#serving serve} so long after it has joined
     *     ends: the others grant nothing meanwhile
     */
    static ClusterSeat take(
            ClusterChoice choice, Duration lease, SharedState shared, Runnable ended, Duration startLimit)
            throws ConfigException {
        try {
            awaitEngine(shared.remains(), startLimit);
            ClusterTiming timing = ClusterTiming.of(lease);
            SignsInSight signs = new SignsInSight(choice, timing, shared);
            ClusterStart start = new ClusterStart(choice, timing, shared.store(), signs);
            Joined joined = start.join();
            ClusterSeat seat = new ClusterSeat(choice, timing, shared, signs, joined, startLimit, ended);
            boolean done = false;
            try {
                start.awaitEnforced(seat, joined.record().record());
                endFormer(shared.remains(), seat.instance());
                done = true;
            } finally {
                if (!done) {
                    seat.close();
                }
            }
            return seat;
        } catch (IOException e) {
            throw new ConfigException(shared.flag() + ": " + e.getMessage(), e);
        }
    }

    /** One that has joined keeps the clients of all others from new state, so it must not wait for its exports then. */
    private static void awaitEngine(Remains remains, Duration limit) throws IOException, ConfigException {
        if (remains.isNothing()) {
            return;
        }
        FutureTask<Void> answer = new FutureTask<>(() -> {
            remains.awaitEngine();
            return null;
        });
        Thread.ofPlatform().daemon().name("cluster-engine").start(answer);
        try {
            Void _ = answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ConfigException(
                    "--cluster: the metadata servers of Ceph do not answer, so this gateway does not join", e);
        } catch (ExecutionException e) {
            throw new IOException(Objects.requireNonNullElse(e.getCause(), e).getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** After every other node grants nothing: locks are among what is ended. */
    private static void endFormer(Remains remains, int instance) {
        try {
            remains.endFormer(instance);
        } catch (IOException e) {
            LOG.warn("what an earlier process had in Ceph stays until the cluster ends it: {}", e.getMessage());
        }
    }

    private Joined join() throws IOException, ConfigException {
        Joining joining = new Joining(choice.node(), timing);
        long deadline = BootClock.nanos() + 3 * timing.deadNanos();
        boolean told = false;
        while (BootClock.nanos() - deadline < 0) {
            ClusterStore.Versioned read = store.read();
            ClusterRecord next;
            try {
                next = joining.step(new View(read, signs.look(Set.of(choice.node())), BootClock.nanos()));
            } catch (IllegalStateException e) {
                throw new ConfigException("--cluster: " + e.getMessage(), e);
            }
            if (next != null) {
                // Not before: another process of this name may run elsewhere.
                store.publish(choice.node(), choice.addresses());
            }
            long proposedNanos = BootClock.nanos();
            if (next != null && store.replace(read.version(), next)) {
                return new Joined(new ClusterStore.Versioned(read.version() + 1, next), proposedNanos);
            }
            if (next != null) {
                Pause.beforeNextTry(timing);
            } else {
                if (!told) {
                    LOG.info(
                            "cluster {}: node {} did not stop in order; waiting {} s for a sign of life of it",
                            choice.name(),
                            choice.node(),
                            Duration.ofNanos(timing.deadNanos()).toSeconds());
                    told = true;
                }
                Pause.nanos(timing.beatNanos());
            }
        }
        throw new ConfigException(
                "--node " + choice.node() + ": is running elsewhere, as its signs of life say; stop it first");
    }

    private void awaitEnforced(ClusterSeat seat, ClusterRecord record) throws ConfigException {
        Member own = record.member(choice.node());
        if (own == null || !own.need()) {
            return;
        }
        BooleanSupplier reclaims = seat.reclaims();
        long deadline = BootClock.nanos() + 3 * timing.deadNanos();
        while (!reclaims.getAsBoolean() && BootClock.nanos() - deadline < 0 && seat.isRunning()) {
            Pause.nanos(timing.beatNanos() / 4);
        }
        if (!reclaims.getAsBoolean()) {
            throw new ConfigException("--cluster " + choice.name()
                    + ": not every node keeps new state from its clients, so the clients of node " + choice.node()
                    + " cannot reclaim; see the logs of the others");
        }
    }
}
