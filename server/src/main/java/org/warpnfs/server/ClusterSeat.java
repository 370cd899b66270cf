package org.warpnfs.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.cluster.Addresses;
import org.warpnfs.nfs.cluster.ClusterRecord;
import org.warpnfs.nfs.cluster.ClusterStore;
import org.warpnfs.nfs.cluster.ClusterTiming;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.cluster.Membership;
import org.warpnfs.nfs.cluster.Signs;
import org.warpnfs.nfs.cluster.View;
import org.warpnfs.nfs.export.Gateways;
import org.warpnfs.nfs.fence.FenceStore;
import org.warpnfs.nfs.nlm.NsmStore;
import org.warpnfs.nfs.v4.state.recovery.ClusterRecoveryLog;
import org.warpnfs.nfs.v4.state.recovery.RecoveryLog;
import org.warpnfs.nfs.v4.state.recovery.SharedGrace;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PluginChoice;

/**
 * A gateway's place in its cluster, once it has joined ({@link ClusterStart}): it gives signs of life on a thread of
 * its own, and leaves. Another thread, which touches nothing shared, ends the process in time if what is shared hangs.
 *
 * <h2>Operation</h2>
 *
 * A stop tells the others before it releases anything. If this process was declared dead, or cannot tell whether it
 * was, it ends.
 *
 * <h2>Errors</h2>
 *
 * While what is shared cannot be read or written, the node goes on until its last sign of life is too old. Safe for any
 * thread.
 */
final class ClusterSeat implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterSeat.class);
    private static final int ATTEMPTS = 20;
    private static final long TAKING_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long LAST_WORD_NANOS = Duration.ofMillis(200).toNanos();

    private final ClusterChoice choice;
    private final ClusterTiming timing;
    private final SharedState shared;
    private final ClusterStore store;
    private final Runnable ended;
    private final ClusterStore.Versioned joined;
    private final Membership membership;
    private final ClusterRecoveryLog log;
    private final Addresses addresses;
    private final SignsInSight signs;
    private final DeadNodes dead;
    private final long limitNanos;
    private final long startedNanos;
    private volatile boolean serving;
    private final Thread thread;
    private volatile boolean recovered;
    private volatile ClusterHooks hooks = ClusterHooks.NONE;
    private final AtomicBoolean ending = new AtomicBoolean();
    private volatile boolean leaving;
    private volatile boolean left;
    private volatile long leavingNanos;
    private volatile boolean closed;
    private boolean wasEnforced;
    private long failures;
    private String addressFailure = "";

    /**
     * The seat of a node that has joined.
     *
     * @param join when it has joined, and what the record was then
     * @param startLimit a process that does not {@linkplain #serving serve} so long after that ends
     */
    ClusterSeat(
            ClusterChoice choice,
            ClusterTiming timing,
            SharedState shared,
            SignsInSight signs,
            ClusterStart.Joined join,
            Duration startLimit,
            Runnable ended)
            throws IOException {
        this.choice = choice;
        this.timing = timing;
        this.shared = shared;
        this.store = shared.store();
        this.ended = ended;
        this.addresses = new Addresses(choice.node(), choice.addresses());
        this.signs = signs;
        this.dead = new DeadNodes(
                timing, shared.remains(), below -> ThreadLocalRandom.current().nextLong(below));
        this.joined = join.record();
        ClusterRecord record = joined.record();
        // Counted from before the join was written; what it waited for other processes is no part of it.
        this.membership = new Membership(choice.node(), timing, joined, join.proposedNanos(), new SplittableRandom());
        Member own = Objects.requireNonNull(record.member(choice.node()));
        byte[] identity = HexFormat.of().parseHex(record.identity());
        ClusterRecoveryLog.Place place = new ClusterRecoveryLog.Place(
                identity,
                (record.identity() + "/" + choice.node()).getBytes(StandardCharsets.US_ASCII),
                new OfMembership(),
                () -> recovered = true);
        try {
            this.log = ClusterRecoveryLog.open(shared.takeOver(own.instance()), own, record.epoch(), place);
        } catch (IOException e) {
            // Otherwise the others would wait for a sign of life, at each start.
            boolean _ = tellOfStop(true);
            throw e;
        }
        this.wasEnforced = record.isGrace();
        this.limitNanos = startLimit.toNanos();
        this.startedNanos = BootClock.nanos();
        LOG.info(
                "cluster {}: node {} has joined as instance {}, epoch {}, {} client(s) may reclaim",
                choice.name(),
                choice.node(),
                record.lastInstance(),
                record.epoch(),
                log.reclaimers().size());
        this.thread = Thread.ofPlatform().daemon().name("cluster").start(this::run);
        Thread.ofPlatform().daemon().name("cluster-fence").start(this::watch);
    }

    /** Asks for the time itself: a caller may have waited since it did, while others took this node for dead. */
    private final class OfMembership implements SharedGrace {
        @Override
        public boolean isEnforced(long nowNanos) {
            return membership.isEnforced(BootClock.nanos());
        }

        @Override
        public boolean mayReclaim(long nowNanos) {
            return membership.mayReclaim(BootClock.nanos());
        }
    }

    /** False if the thread that gives signs of life has ended. */
    boolean isRunning() {
        return thread.isAlive();
    }

    /** The server has started. */
    void serving() {
        serving = true;
    }

    /** The backend, in which what it opens bears the name of this instance of this node. */
    PluginChoice backendOf(PluginChoice backend) {
        return shared.remains().backendOf(membership.instance(), backend);
    }

    /**
     * To be called before a file system is opened.
     *
     * @throws ConfigException if the others cannot be told of it
     */
    void opening(String source) throws ConfigException {
        try {
            shared.remains().opening(membership.instance(), source);
        } catch (IOException e) {
            throw new ConfigException(shared.flag() + ": " + e.getMessage(), e);
        }
    }

    private void learnAddresses(ClusterRecord record) {
        try {
            addresses.update(record, store);
            addressFailure = "";
        } catch (IOException e) {
            if (!addressFailure.equals(e.getMessage())) {
                addressFailure = String.valueOf(e.getMessage());
                LOG.warn("cluster {}: {}", choice.name(), addressFailure);
            }
        }
    }

    RecoveryLog log() {
        return log;
    }

    /** Where NSM of this node keeps its records. */
    NsmStore nsm() throws IOException {
        return shared.nsm();
    }

    /** Where metadata servers of pNFS tell data servers which layouts have ended. */
    FenceStore fences() throws IOException {
        return shared.fences();
    }

    /** The name of this node. */
    String node() {
        return choice.node();
    }

    /** The number of this process among those of its node, which grows. */
    int instance() {
        return membership.instance();
    }

    /** The gateways of which clients are told. */
    Gateways gateways() {
        return addresses::hosts;
    }

    /** True if what clients had may have been given to others: no grace period waits for this node. */
    boolean isForgiving() {
        Member own = joined.record().member(choice.node());
        return own != null && own.need();
    }

    BooleanSupplier enforced() {
        return () -> membership.isEnforced(BootClock.nanos());
    }

    /** False if this node may have been taken over: no call may be answered any more. */
    boolean mayAnswer() {
        return membership.mayAnswer(BootClock.nanos());
    }

    /** Whether clients of this node may reclaim now. */
    BooleanSupplier reclaims() {
        return () -> membership.mayReclaim(BootClock.nanos());
    }

    void connect(ClusterHooks programs) {
        hooks = programs;
    }

    private void run() {
        while (!closed) {
            try {
                beat();
                if (failures > 0) {
                    LOG.info("cluster {}: what it shares can be used again", choice.name());
                    failures = 0;
                }
            } catch (IOException | RuntimeException e) {
                if (closed) {
                    // Whoever closes interrupts this thread.
                    return;
                }
                if (failures++ == 0) {
                    LOG.error("cluster {}: what it shares cannot be used: {}", choice.name(), e.toString());
                }
            }
            if (membership.isLost(BootClock.nanos()) && !leaving) {
                end();
                return;
            }
            Pause.nanos(timing.beatNanos());
        }
    }

    /** Touches no file, so it ends this process in time even if a call to the store never returns. */
    private void watch() {
        while (!closed) {
            long now = BootClock.nanos();
            boolean stuck = leaving && !left && now - leavingNanos >= 3 * timing.deadNanos();
            if (stuck || (!leaving && membership.isLost(now))) {
                end();
                return;
            }
            if (!serving && !leaving && now - startedNanos >= limitNanos) {
                LOG.error("cluster {}: node {} has joined, and does not serve yet", choice.name(), choice.node());
                end();
                return;
            }
            Pause.nanos(timing.beatNanos());
        }
    }

    private void end() {
        if (!ending.compareAndSet(false, true)) {
            return;
        }
        closed = true;
        // First: the log may hang too.
        Thread.ofPlatform().name("cluster-end").start(() -> {
            Pause.nanos(Math.min(timing.beatNanos(), LAST_WORD_NANOS));
            ended.run();
        });
        LOG.error(
                "cluster {}: node {} was declared dead, or could not use in time what the cluster shares or what it"
                        + " exports. This process ends, since its clients may reclaim elsewhere",
                choice.name(),
                choice.node());
    }

    private void beat() throws IOException {
        long began = BootClock.nanos();
        store.beat(choice.node(), membership.beat());
        Signs seen = new Signs(Set.of(), Map.of(), began);
        // Not for longer than the next sign of life can wait.
        long until = began + 2 * timing.beatNanos();
        for (int attempt = 0; attempt < ATTEMPTS && !closed; attempt++) {
            if (attempt > 0 && BootClock.nanos() - until >= 0) {
                return;
            }
            if (recovered && !hooks.isRecovering()) {
                membership.done();
            }
            ClusterStore.Versioned read = store.read();
            requireSame(read.record());
            // Before it looks at the others, which takes long if their signs cannot be read.
            membership.renewed(began, BootClock.nanos(), read);
            dead.saw(read.record(), BootClock.nanos());
            Set<String> watched = membership.watched(read.record());
            if (!seen.hasTried(watched)) {
                seen = signs.look(watched);
            }
            long now = BootClock.nanos();
            switch (membership.step(now, new View(read, seen, now))) {
                case Membership.Step.Lost() -> {
                    return;
                }
                case Membership.Step.Idle() -> {
                    noticeLift();
                    learnAddresses(read.record());
                    return;
                }
                case Membership.Step.Look() -> {}
                case Membership.Step.Prepare(long epoch) -> {
                    prepare(epoch);
                    store.beat(choice.node(), membership.beat());
                }
                case Membership.Step.Propose(ClusterRecord next) -> {
                    if (store.replace(read.version(), next)) {
                        tell(read.record(), next);
                    } else {
                        Pause.beforeNextTry(timing);
                    }
                }
            }
        }
    }

    /** Others would found a second cluster, which knows nothing of what clients of this one have. */
    private void requireSame(ClusterRecord record) throws IOException {
        if (!record.identity().equals(joined.record().identity())) {
            throw new IOException("the record of the cluster was removed, or replaced by that of another one");
        }
    }

    /** From now on nobody gets new state. Those who were permitted to have got it when this returns. */
    private void prepare(long epoch) throws IOException {
        LOG.info("cluster {}: epoch {}: clients of another node may reclaim, new locks wait", choice.name(), epoch);
        wasEnforced = true;
        hooks.awaitPermitted();
        long until = BootClock.nanos() + Math.min(TAKING_NANOS, timing.fenceNanos() / 4);
        while (hooks.isTaking() && BootClock.nanos() - until < 0) {
            Pause.nanos(timing.beatNanos() / 4);
        }
        hooks.withdrawPermits();
        log.enter(epoch);
        membership.prepared(epoch);
    }

    private void noticeLift() {
        boolean enforced = membership.isEnforced(BootClock.nanos());
        if (wasEnforced && !enforced) {
            LOG.info("cluster {}: the grace period is over", choice.name());
            hooks.lifted();
        }
        wasEnforced = enforced;
    }

    private void tell(ClusterRecord before, ClusterRecord after) {
        before.members().forEach((node, member) -> {
            Member now = after.member(node);
            if (member.running() && (now == null || !now.running())) {
                LOG.warn("cluster {}: node {} gives no sign of life and is declared dead", choice.name(), node);
                dead.declared(node, member.instance(), BootClock.nanos());
            }
        });
    }

    /**
     * Tells the others that this node stops, and waits until none of them grants anything that its clients may reclaim.
     * Must be called before anything is released.
     */
    void leave() {
        if (leaving || closed) {
            return;
        }
        leavingNanos = BootClock.nanos();
        leaving = true;
        // Whoever gets state from now on would be missing in what the others are told.
        membership.leave(BootClock.nanos());
        hooks.withdrawPermits();
        hooks.awaitPermitted();
        boolean hasClients = log.hasClients() || hooks.hasClients();
        try {
            shared.remains().leaving(membership.instance());
        } catch (IOException e) {
            LOG.debug("the others may end what this node closes itself", e);
        }
        try {
            long until = BootClock.nanos() + timing.deadNanos();
            while (!tellOfStop(hasClients)) {
                if (BootClock.nanos() - until >= 0) {
                    throw new IOException("other nodes replace the record all the time");
                }
                Pause.beforeNextTry(timing);
            }
            until = BootClock.nanos() + timing.deadNanos();
            while (hasClients && BootClock.nanos() - until < 0) {
                ClusterRecord record = store.read().record();
                if (!record.isGrace() || record.isEnforcedByAll()) {
                    break;
                }
                Pause.nanos(timing.beatNanos() / 2);
            }
        } catch (IOException e) {
            LOG.warn("cluster {}: the others were not told of the stop: {}", choice.name(), e.toString());
        } finally {
            left = true;
        }
    }

    private boolean tellOfStop(boolean hasClients) throws IOException {
        ClusterStore.Versioned read = store.read();
        ClusterRecord next = membership.stopped(read.record(), hasClients);
        return next.equals(read.record()) || store.replace(read.version(), next);
    }

    /** Leaves if it has not, and ends the thread. */
    @Override
    public void close() {
        leave();
        closed = true;
        thread.interrupt();
        try {
            thread.join(timing.deadNanos() / 1_000_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        dead.close();
        log.close();
    }
}
