package org.warpnfs.nfs.cluster;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One process of a simulated gateway. Each access to the store is a step of its own, between which it may crash or be
 * held up.
 */
final class SimGateway {
    private final ClusterSimulation world;
    final String node;
    private final Joining joining;
    private final Set<Integer> recorded = new LinkedHashSet<>();
    private Set<Integer> reclaimers = Set.of();
    private final Set<Integer> awaited = new LinkedHashSet<>();
    private @Nullable Membership membership;
    private String list = "";
    private long graceEnd = Long.MAX_VALUE;
    private boolean recovering;
    private boolean stopping;
    boolean dead;
    long heldUpUntil;
    /** When it could serve every request of its own clients; -1 before. */
    long readyAt = -1;

    SimGateway(ClusterSimulation world, String node) {
        this.world = world;
        this.node = node;
        this.joining = new Joining(node, world.timing);
    }

    void start() {
        step(this::join);
    }

    /** Does what comes next after a random time, unless the process has ended by then. */
    private void step(Runnable next) {
        world.after(world.latency(), () -> run(next));
    }

    private void run(Runnable next) {
        if (dead) {
            return;
        }
        if (heldUpUntil > world.now()) {
            world.after(heldUpUntil - world.now(), () -> run(next));
            return;
        }
        if (world.crashesHere()) {
            if (membership == null || stopping || world.crashesForGood()) {
                world.crash(this);
                return;
            }
            stopping = true;
            membership.leave(world.now());
            step(this::leave);
        }
        next.run();
    }

    /** Reads signs of life. The process may be held up before and after. */
    private void see(Set<String> nodes, Consumer<Signs> then) {
        long asked = world.now();
        step(() -> {
            Signs signs = new Signs(nodes, world.store.beats(nodes), asked);
            step(() -> then.accept(signs));
        });
    }

    private void join() {
        ClusterStore.Versioned read = world.read();
        see(Set.of(node), signs -> {
            long began = world.now();
            ClusterRecord next = joining.step(new View(read, signs, world.now()));
            if (next == null) {
                world.after(world.timing.beatNanos(), () -> run(this::join));
                return;
            }
            step(() -> {
                boolean replaced = world.replace(read.version(), next);
                step(() -> {
                    if (replaced) {
                        joined(new ClusterStore.Versioned(read.version() + 1, next), began);
                    } else {
                        join();
                    }
                });
            });
        });
    }

    private void joined(ClusterStore.Versioned joined, long began) {
        ClusterRecord record = joined.record();
        membership = new Membership(node, world.timing, joined, began, world.random());
        list = SimStore.key(node, new Member.Records(record.epoch(), membership.instance()));
        Member own = record.member(node);
        if (own != null && own.need() && own.records() != null) {
            reclaimers = Set.copyOf(world.store.list(SimStore.key(node, own.records())));
            awaited.addAll(reclaimers);
            recovering = true;
            if (awaited.isEmpty()) {
                recovered();
            }
        }
        step(this::beat);
    }

    private Membership member() {
        if (membership == null) {
            throw new IllegalStateException("not joined");
        }
        return membership;
    }

    private void beat() {
        long began = world.now();
        giveSign(() -> look(began, new Signs(Set.of(), Map.of(), began)));
    }

    private void giveSign(Runnable then) {
        step(() -> {
            world.store.beat(node, member().beat());
            step(then);
        });
    }

    private void look(long began, Signs before) {
        if (stopping) {
            return;
        }
        ClusterStore.Versioned read = world.read();
        Set<String> watched = member().watched(read.record());
        if (before.nodes().containsAll(watched)) {
            consider(began, read, before);
        } else {
            see(watched, signs -> consider(began, read, signs));
        }
    }

    private void consider(long began, ClusterStore.Versioned read, Signs signs) {
        if (stopping) {
            return;
        }
        member().renewed(began, world.now(), read);
        switch (member().step(world.now(), new View(read, signs, world.now()))) {
            case Membership.Step.Lost() -> world.crash(this);
            case Membership.Step.Idle() -> {
                notice();
                world.after(world.timing.beatNanos(), () -> run(this::beat));
            }
            case Membership.Step.Look() -> step(() -> look(began, signs));
            case Membership.Step.Prepare(long epoch) -> {
                String fresh = SimStore.key(node, new Member.Records(epoch, member().instance()));
                Set<Integer> clients = Set.copyOf(recorded);
                // What a crash leaves of it.
                world.store.create(fresh, half(clients));
                step(() -> {
                    Set<Integer> all = new LinkedHashSet<>(clients);
                    all.addAll(recorded);
                    world.store.create(fresh, all);
                    list = fresh;
                    member().prepared(epoch);
                    giveSign(() -> look(began, signs));
                });
            }
            case Membership.Step.Propose(ClusterRecord next) ->
                step(() -> {
                    world.replace(read.version(), next);
                    step(() -> look(began, signs));
                });
        }
    }

    private static Set<Integer> half(Set<Integer> clients) {
        Set<Integer> half = new LinkedHashSet<>();
        for (int client : clients) {
            if (half.size() * 2 < clients.size()) {
                half.add(client);
            }
        }
        return half;
    }

    /** A stop in order: the others are told before anything is released. */
    private void leave() {
        ClusterStore.Versioned read = world.read();
        step(() -> {
            ClusterRecord next = member().stopped(read.record(), !recorded.isEmpty());
            if (next.equals(read.record()) ? world.store.latest().equals(next) : world.replace(read.version(), next)) {
                step(() -> awaitEnforced(world.now() + world.timing.deadNanos()));
            } else {
                step(this::leave);
            }
        });
    }

    private void awaitEnforced(long until) {
        ClusterRecord record = world.store.latest();
        if (!record.isGrace() || record.isEnforcedByAll()) {
            world.stopped(this);
        } else if (world.now() >= until) {
            world.crash(this);
        } else {
            step(() -> awaitEnforced(until));
        }
    }

    private void notice() {
        long now = world.now();
        if (recovering && graceEnd == Long.MAX_VALUE && member().mayReclaim(now)) {
            graceEnd = now + world.graceNanos;
            world.takesOver(this);
        }
        if (recovering && now >= graceEnd) {
            recovered();
        }
        if (readyAt < 0 && !member().isEnforced(now)) {
            readyAt = now;
        }
    }

    private void recovered() {
        recovering = false;
        member().done();
    }

    boolean isInstanceIn(ClusterRecord record) {
        return membership != null && record.isRunning(node, membership.instance());
    }

    /** True if its clients can talk to it. */
    boolean listens() {
        return !dead
                && !stopping
                && heldUpUntil <= world.now()
                && membership != null
                && (!recovering || graceEnd != Long.MAX_VALUE);
    }

    boolean grantsNew() {
        return listens() && !member().isEnforced(world.now());
    }

    /** A client asks for a lock that it did not have. */
    void lock(SimClient client, int file) {
        record(client, () -> {
            if (grantsNew() && world.mayTake(file)) {
                world.grantNew(this, client, file);
            }
        });
    }

    /** A client reclaims all that it has. */
    void reclaim(SimClient client) {
        if (!recovering || !member().mayReclaim(world.now())) {
            if (!recovering) {
                world.refused(this, client, "no grace");
            }
            return;
        }
        if (!reclaimers.contains(client.number)) {
            world.refused(this, client, "not in the list");
            return;
        }
        record(client, () -> {
            if (recovering && listens() && member().mayReclaim(world.now())) {
                world.reclaimed(this, client);
                awaited.remove(client.number);
                if (awaited.isEmpty()) {
                    recovered();
                }
            }
        });
    }

    /** Writes the client to the list before it gets its first lock. */
    private void record(SimClient client, Runnable then) {
        if (recorded.contains(client.number)) {
            then.run();
            return;
        }
        step(() -> {
            world.store.append(list, Set.of(client.number));
            recorded.add(client.number);
            step(then);
        });
    }
}
