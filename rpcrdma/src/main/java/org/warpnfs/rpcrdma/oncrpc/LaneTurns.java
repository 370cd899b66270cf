package org.warpnfs.rpcrdma.oncrpc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/**
 * Whose task of one lane runs next.
 *
 * <h2>Operation</h2>
 *
 * Clients take turns, one task each; the tasks of one client run in the order in which they came. A lane has its usual
 * places and some more.
 *
 * <p>The usual places are shared by {@link FairShare}: a client alone gets half of them, the next half of what is left,
 * and so on.
 *
 * <p>A task that runs for longer than the patience is held: by a disk that is dead, or by what its client makes it wait
 * for. For a client that runs nothing, a newcomer, tasks that are held do not count: it gets a place as long as fewer
 * tasks than there are usual places run beside them. Such a place is one of those beyond the usual ones once these are
 * taken, and a client has at most one of them. So whoever wants to keep newcomers out by tasks that never end needs
 * more addresses than there are places beyond the usual ones. Tasks that end in time keep nobody out: turns pass.
 *
 * <p>Why only what is held makes room: a lane at work with many clients is not to have more threads than it was given.
 *
 * <h2>Errors</h2>
 *
 * None. Time is an argument. Guarded by the lock of {@link LaneThreads}.
 */
final class LaneTurns {
    /** What one client has here. */
    private static final class Client {
        final ClientAddress address;
        final Deque<LaneTask> waiting = new ArrayDeque<>();
        int running;

        Client(ClientAddress address) {
            this.address = address;
        }
    }

    /** A task that has a place, from its begin to its end. */
    static final class Running {
        private final Client client;
        private final LaneTask task;
        private final long sinceNanos;

        private Running(Client client, LaneTask task, long sinceNanos) {
            this.client = client;
            this.task = task;
            this.sinceNanos = sinceNanos;
        }

        LaneTask task() {
            return task;
        }
    }

    private final int usual;
    private final int most;
    private final long patienceNanos;

    /** Those who run something or wait. */
    private final Map<ClientAddress, Client> clients = new HashMap<>();

    /** Those who wait, the next first. */
    private final Map<ClientAddress, Client> turns = new LinkedHashMap<>();

    /** What runs, the first begun first. */
    private final Set<Running> running = new LinkedHashSet<>();

    /**
     * @param usual places, at least 1
     * @param beyond places more for newcomers
     * @param patienceNanos after which a task that runs is held
     */
    LaneTurns(int usual, int beyond, long patienceNanos) {
        this.usual = usual;
        this.most = usual + beyond;
        this.patienceNanos = patienceNanos;
    }

    void add(ClientAddress address, LaneTask task) {
        Client client = clients.computeIfAbsent(address, Client::new);
        client.waiting.add(task);
        turns.putIfAbsent(address, client);
    }

    /** Takes back the task that was added last for this client, which has not begun. */
    void removeLast(ClientAddress address) {
        Client client = clients.get(address);
        if (client == null || client.waiting.isEmpty()) {
            throw new IllegalStateException("nothing of " + address + " waits");
        }
        client.waiting.removeLast();
        if (client.waiting.isEmpty()) {
            turns.remove(address);
            forgetIfIdle(client);
        }
    }

    /** True if a task may begin now. */
    boolean ready(long nowNanos) {
        return next(nowNanos) != null;
    }

    /** Begins the task whose turn it is; null if none may begin now. */
    @Nullable
    Running begin(long nowNanos) {
        Client client = next(nowNanos);
        if (client == null) {
            return null;
        }
        Running begun = new Running(client, client.waiting.remove(), nowNanos);
        running.add(begun);
        client.running++;
        turns.remove(client.address);
        if (!client.waiting.isEmpty()) {
            turns.put(client.address, client);
        }
        return begun;
    }

    void ended(Running task) {
        running.remove(task);
        task.client.running--;
        forgetIfIdle(task.client);
    }

    private void forgetIfIdle(Client client) {
        if (client.running == 0 && client.waiting.isEmpty()) {
            clients.remove(client.address);
        }
    }

    /**
     * How long until a newcomer that waits may have a place though nothing ends: until one task more is held.
     *
     * @return {@link Long#MAX_VALUE} if no newcomer waits, or there will be no place for it
     */
    long nanosToNextPlace(long nowNanos) {
        if (running.size() >= most || newcomer() == null) {
            return Long.MAX_VALUE;
        }
        for (Running task : running) {
            long left = patienceNanos - (nowNanos - task.sinceNanos);
            if (left > 0) {
                return left;
            }
        }
        return 0;
    }

    private @Nullable Client next(long nowNanos) {
        int free = usual - running.size();
        // Everyone who is passed over here runs something, so this looks at no more clients than there are places.
        for (Client client : turns.values()) {
            if (client.running == 0) {
                return free > 0 || placeBeyond(nowNanos) ? client : null;
            }
            if (FairShare.allows(client.running, 1, free)) {
                return client;
            }
        }
        return null;
    }

    private @Nullable Client newcomer() {
        for (Client client : turns.values()) {
            if (client.running == 0) {
                return client;
            }
        }
        return null;
    }

    private boolean placeBeyond(long nowNanos) {
        return running.size() < most && running.size() - heldCount(nowNanos) < usual;
    }

    /** Tasks that run for longer than the patience. */
    int heldCount(long nowNanos) {
        int held = 0;
        for (Running task : running) {
            if (nowNanos - task.sinceNanos < patienceNanos) {
                break;
            }
            held++;
        }
        return held;
    }

    /** Tasks that have a place. */
    int runningCount() {
        return running.size();
    }

    /** Tasks that wait for one. */
    int waitingCount() {
        return turns.values().stream().mapToInt(client -> client.waiting.size()).sum();
    }

    boolean nobodyWaits() {
        return turns.isEmpty();
    }

    /** Takes all tasks that wait, to be refused. */
    List<LaneTask> takeWaiting() {
        List<LaneTask> taken = new ArrayList<>();
        for (Client client : turns.values()) {
            taken.addAll(client.waiting);
            client.waiting.clear();
            forgetIfIdle(client);
        }
        turns.clear();
        return taken;
    }
}
