package org.warpnfs.nfs.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One process of a simulated gateway, which does what the server's seat in a cluster does. */
final class ScaleGateway {
    private static final int ATTEMPTS = 20;

    private final ScaleSimulation world;
    final String node;
    private final Joining joining;
    private @Nullable Membership membership;
    private long known = -1;
    private boolean recovering;
    private int awaited;
    private long graceEnd;
    private long latestGraceEnd;
    private long coresFreeAt;
    private int running;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final List<Runnable> unwritten = new ArrayList<>();
    private boolean writing;
    boolean dead;
    boolean listens;

    ScaleGateway(ScaleSimulation world, String node) {
        this.world = world;
        this.node = node;
        this.joining = new Joining(node, world.timing);
    }

    private void after(long nanos, Runnable next) {
        world.after(nanos, () -> run(next));
    }

    private void run(Runnable next) {
        if (!dead) {
            next.run();
        }
    }

    private void read(Consumer<ClusterStore.Versioned> then) {
        world.store.read(
                known,
                read -> run(() -> {
                    known = read.version();
                    then.accept(read);
                }));
    }

    private void see(Set<String> nodes, Consumer<Signs> then) {
        long asked = world.now();
        world.store.beats(nodes, beats -> run(() -> then.accept(new Signs(nodes, beats, asked))));
    }

    private void afterOthers(Runnable next) {
        after((long) (world.random().nextDouble() * world.timing.beatNanos() / 4), next);
    }

    /** @param awaitedClients how many clients of the process before may reclaim */
    void start(int awaitedClients) {
        awaited = awaitedClients;
        join();
    }

    private void join() {
        long began = world.now();
        read(read -> see(Set.of(node), signs -> {
            ClusterRecord next = joining.step(new View(read, signs, world.now()));
            if (next == null) {
                after(world.timing.beatNanos(), this::join);
                return;
            }
            world.store.replace(
                    read.version(),
                    next,
                    done -> run(() -> {
                        if (done) {
                            joined(new ClusterStore.Versioned(read.version() + 1, next), began);
                        } else {
                            afterOthers(this::join);
                        }
                    }));
        }));
    }

    private void joined(ClusterStore.Versioned joined, long began) {
        membership = new Membership(node, world.timing, joined, began, world.random());
        Member own = joined.record().member(node);
        recovering = own != null && own.need();
        after(0, this::beat);
        if (recovering) {
            awaitEnforced();
        } else {
            listens = true;
        }
    }

    private Membership member() {
        if (membership == null) {
            throw new IllegalStateException("not joined");
        }
        return membership;
    }

    private void awaitEnforced() {
        if (member().mayReclaim(world.now())) {
            listens = true;
            world.serves();
            graceEnd = world.now() + world.graceNanos;
            latestGraceEnd = graceEnd + world.graceNanos;
            awaitGraceEnd();
        } else {
            after(world.timing.beatNanos() / 4, this::awaitEnforced);
        }
    }

    private void awaitGraceEnd() {
        if (world.now() >= graceEnd) {
            recovered();
        } else {
            after(graceEnd - world.now(), this::awaitGraceEnd);
        }
    }

    /** A reclaim prolongs the grace period by a second, up to twice its length. */
    void prolong() {
        graceEnd = Math.clamp(world.now() + ScaleSimulation.SECOND, graceEnd, latestGraceEnd);
    }

    private void recovered() {
        if (recovering) {
            recovering = false;
            member().done();
        }
    }

    private void beat() {
        long began = world.now();
        world.store.beat(
                node, member().beat(), () -> run(() -> look(began, new Signs(Set.of(), Map.of(), began), ATTEMPTS)));
    }

    private void rest() {
        after(world.vary(world.timing.beatNanos()), this::beat);
    }

    private void look(long began, Signs before, int attempts) {
        if (attempts == 0) {
            rest();
            return;
        }
        read(read -> {
            Set<String> watched = member().watched(read.record());
            if (before.nodes().containsAll(watched)) {
                consider(began, read, before, attempts);
            } else {
                see(watched, signs -> consider(began, read, signs, attempts));
            }
        });
    }

    private void consider(long began, ClusterStore.Versioned read, Signs signs, int attempts) {
        member().renewed(began, world.now(), read);
        switch (member().step(world.now(), new View(read, signs, world.now()))) {
            case Membership.Step.Lost() -> {
                dead = true;
                world.lost();
            }
            case Membership.Step.Idle() -> rest();
            case Membership.Step.Look() -> look(began, signs, attempts - 1);
            case Membership.Step.Prepare(long epoch) ->
                world.store.writeList(() -> run(() -> {
                    member().prepared(epoch);
                    world.store.beat(node, member().beat(), () -> run(() -> look(began, signs, attempts - 1)));
                }));
            case Membership.Step.Propose(ClusterRecord next) ->
                world.store.replace(
                        read.version(),
                        next,
                        done -> run(() -> {
                            if (done) {
                                look(began, signs, attempts - 1);
                            } else {
                                afterOthers(() -> look(began, signs, attempts - 1));
                            }
                        }));
        }
    }

    boolean grantsNew() {
        return !dead && listens && membership != null && !membership.isEnforced(world.now());
    }

    boolean mayReclaim() {
        return recovering && member().mayReclaim(world.now());
    }

    /** Does a call: a thread, processor time, and then something that ends by telling so. */
    void call(Consumer<Runnable> work) {
        if (running >= world.costs.threads()) {
            waiting.add(() -> begin(work));
            return;
        }
        begin(work);
    }

    private void begin(Consumer<Runnable> work) {
        running++;
        coresFreeAt = Math.max(world.now(), coresFreeAt) + world.costs.callNanos() / world.costs.cores();
        world.at(
                coresFreeAt,
                () -> run(() -> work.accept(() -> run(() -> {
                    running--;
                    Runnable next = waiting.poll();
                    if (next != null) {
                        next.run();
                    }
                }))));
    }

    /** Writes a client to the list, together with all that wait for the same. */
    void record(Runnable then) {
        unwritten.add(then);
        if (!writing) {
            write();
        }
    }

    private void write() {
        writing = true;
        List<Runnable> batch = List.copyOf(unwritten);
        unwritten.clear();
        world.store.appendToList(() -> run(() -> {
            batch.forEach(Runnable::run);
            writing = false;
            if (!unwritten.isEmpty()) {
                write();
            }
        }));
    }

    /** A client has reclaimed everything. */
    void complete() {
        if (--awaited == 0) {
            recovered();
        }
    }

    boolean isRecovering() {
        return recovering;
    }
}
