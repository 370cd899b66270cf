package org.warpnfs.nfs.cluster;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A running node of a cluster: what it may grant, and what it proposes.
 *
 * <h2>Operation</h2>
 *
 * Its owner gives signs of life, reads the record and the signs of {@link #watched} again and again, hands them to
 * {@link #step}, and carries out what that returns. Time is an argument, from a clock that never goes back.
 *
 * <p>When something happens to a large cluster, every node has to change its part of the record. Each tells what it
 * wants by its sign of life first, and by chance some few write it into the record for all. That takes two signs of
 * life longer at most. A death is written at once, by those who see it.
 *
 * <pre>
 *   what it has seen last                     new state    reclaims by its own clients
 *   no grace period                           granted      refused
 *   one that some node does not enforce yet   refused      refused, for now
 *   one that every node enforces              refused      granted until its own clients are done, or have
 *                                                          had {@link ClusterTiming#recoveryNanos}
 *   no sign of life given for fenceNanos      refused      refused, for ever
 *   it was declared dead, or stops            refused      refused, for ever
 *   one that it could not enforce, since its  refused      refused, for ever
 *   list cannot be written, for deadNanos
 * </pre>
 *
 * What it has seen may be out of date. Then it grants new state after another node has begun a grace period, until it
 * has seen that; no client reclaims before.
 *
 * <p>{@link #isEnforced}, {@link #mayReclaim}, {@link #isLost} and {@link #mayAnswer} are safe for any thread and never
 * wait. The other methods are called by one thread.
 */
public final class Membership {
    /** What the owner has to do. */
    public sealed interface Step {
        /** Nothing, until the next sign of life is due. */
        record Idle() implements Step {}

        /** Look at the signs of {@link #watched} again, which has grown, and step again. */
        record Look() implements Step {}

        /**
         * Write the clients that have state to this node's list of that epoch, call {@link #prepared}, give a sign of
         * life, which tells the others, and step again.
         */
        record Prepare(long epoch) implements Step {}

        /**
         * Replace the record that was handed over with this one, and step again. If another was first, after a pause.
         */
        record Propose(ClusterRecord next) implements Step {}

        /** Stop at once: clients of this instance may reclaim elsewhere. */
        record Lost() implements Step {}
    }

    /** How many of all nodes write for the others, more or less. */
    private static final int WRITERS = 4;

    private static final int MOST_TURNS = 2;

    private final String node;
    private final int instance;
    private final ClusterTiming timing;
    private final RandomGenerator random;
    private final Sightings sightings = new Sightings();
    /** Those that tell nothing: they have shown the same for long, or their signs cannot be read. */
    private final Set<String> silent = new HashSet<>();

    /** Those that have given a sign of life since this node joined, and have not been silent since. */
    private final Set<String> heard = new HashSet<>();

    private final long joinedNanos;
    private long beats;
    private int turnsLeftToOthers;
    private boolean writing;
    private long preparedEpoch;
    private long beganEpoch;
    private long beganEpochNanos;
    private long latestVersion;
    private volatile boolean enforced;
    private volatile boolean enforcedByAll;
    private volatile boolean done;
    private volatile boolean lost;
    private volatile boolean left;
    private volatile long renewedNanos;

    /**
     * A node that has just joined.
     *
     * @param joined the record that it wrote, and its version
     * @param beganNanos a time before it began to write it
     * @param random says when it is this node that writes for others
     */
    public Membership(
            String node, ClusterTiming timing, ClusterStore.Versioned joined, long beganNanos, RandomGenerator random) {
        ClusterRecord record = joined.record();
        this.node = node;
        this.instance = record.lastInstance();
        this.timing = timing;
        this.random = random;
        this.latestVersion = joined.version();
        this.renewedNanos = beganNanos;
        this.joinedNanos = beganNanos;
        this.enforced = record.isGrace();
        this.enforcedByAll = record.isEnforcedByAll();
        // Its list is new, and nobody has state.
        this.preparedEpoch = record.epoch();
    }

    public String node() {
        return node;
    }

    public int instance() {
        return instance;
    }

    /** True while this node must grant no new state. */
    public boolean isEnforced(long nowNanos) {
        return enforced || isLost(nowNanos);
    }

    /** True while every node grants nothing but reclaims, and this one's clients are not done. */
    public boolean mayReclaim(long nowNanos) {
        // Once they are done another node may lift the period, and grant, before this one sees it.
        return enforcedByAll && !done && !isLost(nowNanos);
    }

    /** True if this instance may grant nothing any more, for good. */
    public boolean isLost(long nowNanos) {
        if (!lost && nowNanos - renewedNanos >= timing.fenceNanos()) {
            lost = true;
        }
        return lost;
    }

    /**
     * False if another node may have given to others what clients of this one had. What a call did may then have come
     * too late, so it must not be answered: whoever asks again is answered by that node. To be asked after the call has
     * had its effect. A node that stops in order answers what it has begun.
     */
    public boolean mayAnswer(long nowNanos) {
        return !isLost(nowNanos) || left;
    }

    /**
     * A sign of life was given, and then the record was read. One that can write but not read must not go on: it would
     * never see that it was declared dead. The others' signs do not matter to that.
     *
     * @param beganNanos a time before it was
     * @param nowNanos the present time; a sign that took too long comes too late
     * @param read the record. If it says that this node is dead, or that a grace period has begun, no new state is
     *     granted from now on, however long it takes to look at the others
     */
    public void renewed(long beganNanos, long nowNanos, ClusterStore.Versioned read) {
        if (read.version() >= latestVersion) {
            // Its clock may have stood still, so that only the record tells.
            if (!read.record().isRunning(node, instance)) {
                lost = true;
            }
            if (read.record().isGrace()) {
                enforced = true;
            }
        }
        if (!isLost(nowNanos)) {
            renewedNanos = beganNanos;
        }
    }

    /** The next sign of life. */
    public Beat beat() {
        return new Beat(instance, ++beats, preparedEpoch, done);
    }

    /** The nodes whose signs of life are to be looked at. */
    public Set<String> watched(ClusterRecord record) {
        if (writing) {
            return Ring.all(record, node);
        }
        Member own = record.member(node);
        if (own != null && own.need() && record.isGrace() && !record.isEnforcedByAll()) {
            // Many may have failed with it. Whoever has not given a sign of life since may be one of them.
            return Ring.beyond(record, node, name -> !heard.contains(name));
        }
        return Ring.watched(record, node, silent::contains);
    }

    /** This node's clients have reclaimed, or their time is up. Safe for any thread. */
    public void done() {
        done = true;
    }

    /** This node is about to stop, and grants nothing any more. Safe for any thread. */
    public void leave(long nowNanos) {
        if (!isLost(nowNanos)) {
            left = true;
        }
        lost = true;
    }

    /** The list of that epoch is on stable storage and has every client that has state. */
    public void prepared(long epoch) {
        preparedEpoch = epoch;
    }

    /**
     * Considers what was read.
     *
     * @param nowNanos the present time
     */
    public Step step(long nowNanos, View view) {
        ClusterStore.Versioned read = view.read();
        if (read.version() < latestVersion) {
            return new Step.Idle();
        }
        latestVersion = read.version();
        ClusterRecord record = read.record();
        Member own = record.member(node);
        if (own == null || isLost(nowNanos) || !record.isRunning(node, instance)) {
            lost = true;
            return new Step.Lost();
        }
        if (!record.isGrace()) {
            enforcedByAll = false;
            enforced = false;
        } else {
            // Before the list is written and the others are told: whoever gets state now is in the list.
            enforced = true;
            enforcedByAll = record.isEnforcedByAll();
            if (own.enforcing() != record.epoch()) {
                if (beganEpoch != record.epoch()) {
                    beganEpoch = record.epoch();
                    beganEpochNanos = nowNanos;
                } else if (nowNanos - beganEpochNanos >= timing.deadNanos()) {
                    // It keeps the clients of others from what they had.
                    lost = true;
                    return new Step.Lost();
                }
                if (preparedEpoch != record.epoch()) {
                    return new Step.Prepare(record.epoch());
                }
            }
        }
        if (own.need() && nowNanos - joinedNanos >= timing.recoveryNanos()) {
            done = true;
        }
        ClusterRecord urgent = withDeaths(view);
        ClusterRecord next = withOwn(view, own, urgent);
        if (next.equals(record)) {
            writing = false;
            turnsLeftToOthers = 0;
            return new Step.Idle();
        }
        if (!writing && urgent.equals(record) && !isTurn(record)) {
            return new Step.Idle();
        }
        if (urgent.equals(record) && !view.signs().hasTried(Ring.all(record, node))) {
            writing = true;
            return new Step.Look();
        }
        next = withOthers(view, next);
        return new Step.Propose(next.canLift() ? next.lift() : next);
    }

    /** True if this node writes what it and others want. Of many nodes only some do, and the rest need not. */
    private boolean isTurn(ClusterRecord record) {
        int running = Ring.all(record, node).size() + 1;
        if (turnsLeftToOthers == MOST_TURNS || random.nextInt(running) < WRITERS) {
            return true;
        }
        turnsLeftToOthers++;
        return false;
    }

    /** Declares dead who has been silent for too long. */
    private ClusterRecord withDeaths(View view) {
        ClusterRecord record = view.record();
        ClusterRecord next = record;
        sightings.keepOnly(record);
        silent.retainAll(record.members().keySet());
        heard.retainAll(record.members().keySet());
        for (String name : view.signs().unread().keySet()) {
            silent.add(name);
            heard.remove(name);
        }
        for (String name : view.signs().nodes()) {
            Member member = record.member(name);
            if (member == null || !member.running()) {
                silent.remove(name);
                heard.remove(name);
                continue;
            }
            boolean isKnown = sightings.has(name);
            long unchangedNanos = sightings.unchangedNanos(view, name, member);
            if (isKnown && unchangedNanos == 0) {
                heard.add(name);
            }
            if (unchangedNanos >= timing.deadNanos() / 2) {
                silent.add(name);
                heard.remove(name);
            } else {
                silent.remove(name);
            }
            if (unchangedNanos >= timing.deadNanos()) {
                next = next.failed(name, member.instance());
            }
        }
        return next;
    }

    /** What this node wants, and ends what any node may end. */
    private ClusterRecord withOwn(View view, Member own, ClusterRecord from) {
        ClusterRecord record = view.record();
        ClusterRecord next = from;
        if (record.isGrace() && own.enforcing() != record.epoch()) {
            next = next.enforce(node, instance);
        }
        if (own.need() && done) {
            next = next.done(node, instance);
        }
        for (Map.Entry<String, Member> other : record.members().entrySet()) {
            String name = other.getKey();
            Member member = other.getValue();
            if (name.equals(node)) {
                continue;
            }
            long neededNanos = sightings.neededNanos(view, name, member);
            if (!member.running()
                    && (sightings.unchangedNanos(view, name, member) >= timing.absentNanos()
                            || neededNanos >= timing.recoveryNanos())) {
                next = next.abandon(name, member.instance());
            }
        }
        return next.canLift() ? next.lift() : next;
    }

    /** What others have told by their signs of life. */
    private static ClusterRecord withOthers(View view, ClusterRecord from) {
        ClusterRecord record = view.record();
        ClusterRecord next = from;
        for (Map.Entry<String, Beat> sign : view.signs().beats().entrySet()) {
            String name = sign.getKey();
            Beat beat = sign.getValue();
            Member member = record.member(name);
            if (member == null || !next.isGrace() || next.epoch() != record.epoch()) {
                continue;
            }
            if (beat.prepared() == record.epoch() && member.enforcing() != record.epoch()) {
                next = next.enforce(name, beat.instance());
            }
            if (beat.done() && member.need()) {
                next = next.done(name, beat.instance());
            }
        }
        return next;
    }

    /**
     * The record in which this node has stopped.
     *
     * @param hasClients false if no client of this instance wants to reclaim; those of the one before may do so
     */
    public ClusterRecord stopped(ClusterRecord record, boolean hasClients) {
        Member own = record.member(node);
        boolean waited = own != null && own.need() && !done;
        return record.stopped(node, instance, hasClients || waited);
    }
}
