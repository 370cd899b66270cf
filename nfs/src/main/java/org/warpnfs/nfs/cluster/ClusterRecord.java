package org.warpnfs.nfs.cluster;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What all nodes of a cluster agree on. It is replaced as a whole, by compare and swap.
 *
 * <h2>Epochs</h2>
 *
 * Each node records its clients in a list of the present epoch. A grace period begins with a new epoch. Until it is
 * lifted the lists of the epoch before are those from which clients may reclaim, whatever nodes crash or start
 * meanwhile. Lifting makes the lists of the new epoch valid at one stroke for all nodes. So a client that did not
 * reclaim in time can never do so later, and one that did is never forgotten.
 *
 * <pre>
 *   event                          effect
 *   join                           the node runs as a new instance; if it has clients that may reclaim, they need a
 *                                  grace period, which begins unless one is running
 *   failed, or stopped with        it runs no longer, its clients need a grace period, which begins unless one is
 *   clients                        running
 *   stopped without clients        it is removed
 *   enforce                        the node grants no new state in this epoch
 *   done                           the node's clients no longer need the grace period
 *   abandon                        the clients of a node that does not run have been waited for long enough
 *   lift                           no client needs the period and all that run enforce it: lists of this epoch are
 *                                  valid, nodes that do not run are removed
 * </pre>
 *
 * @param identity of the cluster, 32 hexadecimal digits; the same for ever
 * @param lastInstance number of the latest start of any node
 * @param epoch the present one, from 1
 * @param recovery the epoch before, while a grace period runs, else 0
 * @param members by name, at most {@value #MAX_MEMBERS}
 */
public record ClusterRecord(
        String identity, int lastInstance, long epoch, long recovery, SortedMap<String, Member> members) {
    /** Limit of nodes. */
    public static final int MAX_MEMBERS = 256;

    public ClusterRecord {
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
        if (members.size() > MAX_MEMBERS) {
            throw new IllegalArgumentException("a cluster has at most " + MAX_MEMBERS + " nodes");
        }
    }

    /** The record of a cluster that no node has joined. */
    public static ClusterRecord empty(String identity) {
        return new ClusterRecord(identity, 0, 1, 0, Collections.emptySortedMap());
    }

    public boolean isGrace() {
        return recovery != 0;
    }

    public @Nullable Member member(String node) {
        return members.get(node);
    }

    /** True if this instance of the node has neither stopped nor been declared dead. */
    public boolean isRunning(String node, int instance) {
        Member member = members.get(node);
        return member != null && member.running() && member.instance() == instance;
    }

    /** True if a grace period runs and every node that runs grants nothing but reclaims. */
    public boolean isEnforcedByAll() {
        return isGrace()
                && members.values().stream().allMatch(member -> !member.running() || member.enforcing() == epoch);
    }

    /** True if the grace period can be lifted. */
    public boolean canLift() {
        return isEnforcedByAll() && members.values().stream().noneMatch(Member::need);
    }

    /**
     * A node starts. Its instance is the new {@link #lastInstance}.
     *
     * @throws IllegalStateException if the node is running, or the cluster is full
     */
    ClusterRecord join(String node) {
        Member before = members.get(node);
        if (before != null && before.running()) {
            throw new IllegalStateException("node " + node + " is running");
        }
        if (before == null && members.size() >= MAX_MEMBERS) {
            throw new IllegalStateException("the cluster has its " + MAX_MEMBERS + " nodes");
        }
        int instance = lastInstance == Integer.MAX_VALUE ? 1 : lastInstance + 1;
        Member.Records kept = before == null ? null : before.records();
        ClusterRecord next = new ClusterRecord(identity, instance, epoch, recovery, members).graceIf(kept != null);
        Member.Records valid = kept != null || next.isGrace() ? kept : new Member.Records(next.epoch, instance);
        return next.with(node, new Member(instance, true, kept != null, next.epoch, valid));
    }

    /** This instance of the node was declared dead. */
    ClusterRecord failed(String node, int instance) {
        return isRunning(node, instance) ? ended(node, true) : this;
    }

    /** This instance of the node stops, and has clients that want to reclaim, or none. */
    ClusterRecord stopped(String node, int instance, boolean hasClients) {
        return isRunning(node, instance) ? ended(node, hasClients) : this;
    }

    private ClusterRecord ended(String node, boolean hasClients) {
        Member member = members.get(node);
        if (member == null) {
            return this;
        }
        if (!hasClients || member.records() == null) {
            return change(node, _ -> null);
        }
        return graceIf(true).with(node, member.without(false, true, member.records()));
    }

    private ClusterRecord graceIf(boolean needed) {
        return needed && !isGrace() ? new ClusterRecord(identity, lastInstance, epoch + 1, epoch, members) : this;
    }

    /** The node has written its clients to its list of this epoch, and grants nothing but reclaims. */
    ClusterRecord enforce(String node, int instance) {
        return isRunning(node, instance) ? change(node, member -> member.enforcingSince(epoch)) : this;
    }

    /** The node's clients have reclaimed, or their time is up. */
    ClusterRecord done(String node, int instance) {
        return isRunning(node, instance) ? change(node, member -> member.without(true, false, member.records())) : this;
    }

    /**
     * Nobody waits any longer for the clients of a node that does not run. They may reclaim no more, even if it joins
     * before the period is lifted: otherwise several nodes that start and fail in turn would keep it up without end.
     */
    ClusterRecord abandon(String node, int instance) {
        Member member = members.get(node);
        return member != null && !member.running() && member.instance() == instance
                ? with(node, member.without(false, false, null))
                : this;
    }

    /** Ends the grace period. The caller has checked {@link #canLift}. */
    ClusterRecord lift() {
        SortedMap<String, Member> after = new TreeMap<>();
        members.forEach((node, member) -> {
            if (member.running()) {
                Member.Records own = new Member.Records(epoch, member.instance());
                after.put(node, new Member(member.instance(), true, false, member.enforcing(), own));
            }
        });
        return new ClusterRecord(identity, lastInstance, epoch, 0, after);
    }

    private ClusterRecord with(String node, Member member) {
        return change(node, _ -> member);
    }

    private ClusterRecord change(String node, UnaryOperator<@Nullable Member> how) {
        SortedMap<String, Member> after = new TreeMap<>(members);
        Member member = how.apply(members.get(node));
        if (member == null) {
            after.remove(node);
        } else {
            after.put(node, member);
        }
        return new ClusterRecord(identity, lastInstance, epoch, recovery, after);
    }
}
