package org.warpnfs.nfs.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Many gateways and very many clients through the failure of some of them, from a seed. Gateways decide by the real
 * {@link Joining}, {@link Membership} and {@link ClusterRecord}. Clients are counted costs: when they notice, when they
 * connect again, and what they ask for.
 *
 * <p>It fails with an AssertionError if any gateway grants new state while a client reclaims.
 */
final class ScaleSimulation {
    static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    /** Pauses of a Linux client between attempts to connect: doubled each time, up to half of a lease. */
    private static final long FIRST_PAUSE = 3 * SECOND;

    private static final long CLIENT_ROUND_TRIP = SECOND / 5000;
    /** EXCHANGE_ID, CREATE_SESSION and RECLAIM_COMPLETE. */
    private static final int CALLS_OF_A_SESSION = 3;

    final ClusterTiming timing;
    final ScaleCosts costs;
    final long graceNanos;
    final ScaleStore store;
    private final Random random;
    private final int clientsOfEach;
    private final Map<String, ScaleGateway> gateways = new HashMap<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long sequence;
    private long failedAt;
    private int served;
    private final List<Long> recovered = new ArrayList<>();
    private final Result result = new Result();

    /** Times in nanoseconds after the failure; -1 for never. */
    static final class Result {
        long dead = -1;
        long enforced = -1;
        long served = -1;
        long lifted = -1;
        int lost;
        int refused;
        long[] recovered = {};

        long recovered(double part) {
            return recovered.length == 0 ? -1 : recovered[(int) Math.ceil(part * recovered.length) - 1];
        }
    }

    private record Event(long at, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(sequence, other.sequence);
        }
    }

    ScaleSimulation(int gateways, int clientsOfEach, ScaleCosts costs, long leaseSeconds, long seed) {
        this.timing = ClusterTiming.of(Duration.ofSeconds(leaseSeconds));
        this.graceNanos = leaseSeconds * SECOND;
        this.costs = costs;
        this.clientsOfEach = clientsOfEach;
        this.random = new Random(seed);
        this.store = new ScaleStore(this);
        for (int number = 0; number < gateways; number++) {
            String node = name(number);
            // Operators start gateways over a while.
            after((long) (random.nextDouble() * 10 * SECOND), () -> start(node, 0));
        }
    }

    static String name(int number) {
        return "n%03d".formatted(number);
    }

    long now() {
        return now;
    }

    Random random() {
        return random;
    }

    void after(long nanos, Runnable action) {
        at(now + nanos, action);
    }

    void at(long time, Runnable action) {
        events.add(new Event(time, sequence++, action));
    }

    /** That time, a quarter longer at most. */
    long vary(long nanos) {
        return nanos + (long) (random.nextDouble() * nanos / 4);
    }

    void runFor(long nanos) {
        long end = now + nanos;
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

    private void start(String node, int awaited) {
        ScaleGateway gateway = new ScaleGateway(this, node);
        gateways.put(node, gateway);
        gateway.start(awaited);
    }

    /**
     * The processes of these nodes end, all at once.
     *
     * @param restartNanos after that time others take their names and addresses over; negative for never
     */
    void fail(List<String> nodes, long restartNanos) {
        failedAt = now;
        store.counts.clear();
        for (String node : nodes) {
            ScaleGateway gateway = gateways.get(node);
            if (gateway != null) {
                gateway.dead = true;
            }
            if (restartNanos >= 0) {
                after(vary(restartNanos), () -> start(node, clientsOfEach));
                served++;
            }
            for (int client = 0; client < clientsOfEach && restartNanos >= 0; client++) {
                // Half have calls in flight. The others renew their leases after two thirds of them.
                long noticed = random.nextBoolean() ? 0 : (long) (random.nextDouble() * graceNanos * 2 / 3);
                after(noticed, () -> connect(node, FIRST_PAUSE));
            }
        }
    }

    private void connect(String node, long pause) {
        ScaleGateway gateway = gateways.get(node);
        if (gateway == null || gateway.dead || !gateway.listens) {
            after(pause, () -> connect(node, Math.min(2 * pause, graceNanos / 2)));
            return;
        }
        session(gateway, CALLS_OF_A_SESSION - 1);
    }

    private void session(ScaleGateway gateway, int calls) {
        if (calls > 0) {
            gateway.call(done -> {
                done.run();
                after(CLIENT_ROUND_TRIP, () -> session(gateway, calls - 1));
            });
            return;
        }
        gateway.record(() -> reclaim(gateway, costs.reclaims()));
    }

    private void reclaim(ScaleGateway gateway, int left) {
        if (left == 0) {
            gateway.call(done -> {
                done.run();
                recovered.add(now - failedAt);
                gateway.complete();
            });
            return;
        }
        gateway.call(done -> {
            if (!gateway.isRecovering()) {
                result.refused++;
                done.run();
                return;
            }
            if (!gateway.mayReclaim() || gateways.values().stream().anyMatch(ScaleGateway::grantsNew)) {
                throw new AssertionError("at " + now / 1_000_000 + " ms a client of " + gateway.node
                        + " reclaims while a gateway grants new state: " + store.latest());
            }
            gateway.prolong();
            store.reclaim(() -> {
                done.run();
                after(CLIENT_ROUND_TRIP, () -> reclaim(gateway, left - 1));
            });
        });
    }

    void replaced(ClusterRecord before, ClusterRecord after) {
        if (failedAt == 0) {
            return;
        }
        if (result.dead < 0 && after.isGrace()) {
            result.dead = now - failedAt;
        }
        if (before.isGrace() && !after.isGrace()) {
            result.lifted = now - failedAt;
        }
    }

    void serves() {
        if (result.enforced < 0) {
            result.enforced = now - failedAt;
        }
        served--;
        if (served == 0) {
            result.served = now - failedAt;
        }
    }

    void lost() {
        result.lost++;
    }

    Result result() {
        result.recovered = recovered.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(result.recovered);
        return result;
    }

    boolean everyoneWorks() {
        return gateways.values().stream().allMatch(gateway -> gateway.dead || gateway.grantsNew());
    }
}
