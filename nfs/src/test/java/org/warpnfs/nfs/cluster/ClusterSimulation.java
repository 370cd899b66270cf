package org.warpnfs.nfs.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gateways, clients with locks, a store and a backend whose locks outlive a gateway for a while, from a seed.
 *
 * <p>It fails with an AssertionError if a lock is granted that an absent client may still reclaim, or if a client is
 * refused to reclaim although no grace period was lifted since its gateway ended, and its gateway was not given up.
 */
final class ClusterSimulation {
    static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** What a run is made of. {@code lingerNanos}: how long the backend keeps the locks of a gateway that has gone. */
    record Shape(int gateways, int clients, int files, long lingerNanos, double crashChance, double heldUpChance) {}

    final ClusterTiming timing;
    final long graceNanos;
    final SimStore store = new SimStore();
    final Map<String, SimGateway> gateways = new HashMap<>();
    final List<SimClient> clients = new ArrayList<>();
    private final Shape shape;
    private final Random random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<Integer, Holder> backend = new HashMap<>();
    private long now;
    private long sequence;
    private boolean calm;
    int granted;
    int reclaims;
    int refusals;
    int crashes;
    int stops;
    int lifted;

    private record Event(long at, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(sequence, other.sequence);
        }
    }

    private record Holder(SimClient client, SimGateway through) {}

    ClusterSimulation(Shape shape, ClusterTiming timing, long graceNanos, long seed) {
        this.shape = shape;
        this.timing = timing;
        this.graceNanos = graceNanos;
        this.random = new Random(seed);
        for (int number = 0; number < shape.gateways(); number++) {
            start("n%03d".formatted(number));
        }
        for (int number = 0; number < shape.clients(); number++) {
            clients.add(new SimClient(number, "n%03d".formatted(number % shape.gateways())));
        }
    }

    long now() {
        return now;
    }

    Random random() {
        return random;
    }

    void after(long nanos, Runnable action) {
        events.add(new Event(now + nanos, sequence++, action));
    }

    long latency() {
        return MILLI / 2 + (long) (random.nextDouble() * 8 * MILLI);
    }

    boolean crashesHere() {
        return !calm && random.nextDouble() < shape.crashChance();
    }

    /** One of three stops in order. */
    boolean crashesForGood() {
        return random.nextInt(3) != 0;
    }

    ClusterStore.Versioned read() {
        return store.read(!calm && random.nextInt(10) == 0 ? random.nextInt(3) : 0);
    }

    boolean replace(long version, ClusterRecord next) {
        ClusterRecord before = store.latest();
        if (!store.replace(version, next)) {
            return false;
        }
        boolean isLifted = before.isGrace() && !next.isGrace();
        if (isLifted) {
            lifted++;
        }
        for (SimClient client : clients) {
            SimGateway through = client.through;
            if (through != null && !isRunning(next, through) && (isLifted || isAbandoned(before, next, through.node))) {
                client.lapsed = true;
            }
        }
        return true;
    }

    private static boolean isAbandoned(ClusterRecord before, ClusterRecord next, String node) {
        Member waited = before.member(node);
        Member now = next.member(node);
        return waited != null && waited.need() && now != null && !now.running() && now.records() == null;
    }

    private static boolean isRunning(ClusterRecord record, SimGateway gateway) {
        return gateway.isInstanceIn(record);
    }

    private void start(String node) {
        SimGateway gateway = new SimGateway(this, node);
        gateways.put(node, gateway);
        gateway.start();
    }

    void crash(SimGateway gateway) {
        if (!gateway.dead) {
            end(gateway, shape.lingerNanos());
        }
    }

    /** The process has told the others, and then released what it had. */
    void stopped(SimGateway gateway) {
        stops++;
        end(gateway, 0);
    }

    private void end(SimGateway gateway, long lingerNanos) {
        gateway.dead = true;
        crashes++;
        after(lingerNanos, () -> release(gateway));
        long pause =
                (long) (random.nextDouble() * (random.nextInt(4) == 0 ? 2 * timing.absentNanos() : timing.deadNanos()));
        restart(gateway.node, pause);
    }

    private void restart(String node, long pause) {
        after(pause, () -> {
            SimGateway before = gateways.get(node);
            if (before == null || before.dead) {
                start(node);
            }
        });
    }

    private void release(SimGateway gateway) {
        backend.values().removeIf(holder -> holder.through() == gateway);
    }

    /** A new process of a node ends what its earlier ones have at the backend. */
    void takesOver(SimGateway gateway) {
        backend.values()
                .removeIf(holder ->
                        holder.through() != gateway && holder.through().node.equals(gateway.node));
    }

    boolean mayTake(int file) {
        return !backend.containsKey(file);
    }

    void grantNew(SimGateway gateway, SimClient client, int file) {
        for (SimClient other : clients) {
            if (other != client && other.holds.contains(file) && !other.lapsed) {
                throw new AssertionError("at " + now / MILLI + " ms client " + client.number + " gets file " + file
                        + " of client " + other.number + ", which may still reclaim it: " + store.latest());
            }
        }
        give(gateway, client, file);
        granted++;
    }

    private void give(SimGateway gateway, SimClient client, int file) {
        backend.put(file, new Holder(client, gateway));
        client.holds.add(file);
        client.through = gateway;
    }

    void reclaimed(SimGateway gateway, SimClient client) {
        if (client.through == gateway) {
            return;
        }
        if (client.lapsed) {
            throw new AssertionError("at " + now / MILLI + " ms client " + client.number
                    + " reclaims after a grace period was lifted without it");
        }
        for (int file : List.copyOf(client.holds)) {
            Holder holder = backend.get(file);
            if (holder != null && holder.client() != client) {
                throw new AssertionError("at " + now / MILLI + " ms client " + client.number + " reclaims file " + file
                        + ", which client " + holder.client().number + " has");
            }
            give(gateway, client, file);
        }
        reclaims++;
    }

    void refused(SimGateway gateway, SimClient client, String why) {
        if (!client.lapsed) {
            throw new AssertionError("at " + now / MILLI + " ms client " + client.number + " is refused by "
                    + gateway.node + ", " + why + ", although no grace period was lifted: " + store.latest());
        }
        refusals++;
        client.holds.clear();
        client.through = null;
        client.lapsed = false;
    }

    private void act(SimClient client) {
        SimGateway gateway = gateways.get(client.home);
        if (gateway == null || !gateway.listens()) {
            return;
        }
        SimGateway through = client.through;
        if (through != null && through != gateway) {
            gateway.reclaim(client);
        } else if (random.nextBoolean() && !client.holds.isEmpty()) {
            int file = client.holds.iterator().next();
            client.holds.remove(file);
            backend.remove(file);
            if (client.holds.isEmpty()) {
                client.through = null;
            }
        } else {
            gateway.lock(client, random.nextInt(shape.files()));
        }
    }

    /** Runs for that time: clients act, gateways crash and are held up. */
    void run(long nanos, long actEveryNanos) {
        long end = now + nanos;
        for (SimClient client : clients) {
            actAgain(client, end, actEveryNanos);
        }
        runUntil(end);
    }

    private void actAgain(SimClient client, long end, long everyNanos) {
        after((long) (random.nextDouble() * everyNanos), () -> {
            act(client);
            if (!calm && random.nextDouble() < shape.heldUpChance()) {
                SimGateway gateway = gateways.get(client.home);
                if (gateway != null && !gateway.dead) {
                    gateway.heldUpUntil = now + (long) (random.nextDouble() * 2 * timing.deadNanos());
                }
            }
            if (now < end) {
                actAgain(client, end, everyNanos);
            }
        });
    }

    /** No gateway crashes any more. */
    void calmDown() {
        calm = true;
    }

    /** Ends a gateway's process, and starts the next one after that time. */
    void fail(String node, long restartAfterNanos) {
        SimGateway gateway = gateways.get(node);
        if (gateway != null && !gateway.dead) {
            gateway.dead = true;
            crashes++;
            after(shape.lingerNanos(), () -> release(gateway));
            restart(node, restartAfterNanos);
        }
    }

    void runUntil(long end) {
        while (true) {
            Event event = events.peek();
            if (event == null || event.at() > end) {
                now = end;
                return;
            }
            events.remove();
            now = event.at();
            event.action().run();
        }
    }

    @Nullable
    SimGateway gateway(String node) {
        return gateways.get(node);
    }

    boolean everyoneWorks() {
        return gateways.values().stream().allMatch(SimGateway::grantsNew)
                && clients.stream().allMatch(client -> client.through == null || !client.through.dead);
    }
}
