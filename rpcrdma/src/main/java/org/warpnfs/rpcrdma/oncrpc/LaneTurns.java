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
 * Decides whose task of one lane runs next.
 *
 * <h2>Operation</h2>
 *
 * Clients take turns, one task each. The tasks of one client run in the order of their arrival. A lane has its usual
 * places and additional ones.
 *
 * <p>The usual places are shared by {@link FairShare}: one client alone gets half of them, the next half of what is
 * left, and so on.
 *
 * <p>A task that runs for longer than the patience is held, by a dead disk or by something that its client makes it
 * wait for. For a client that runs nothing, held tasks do not count. It gets a place as long as fewer other tasks run
 * than there are usual places. Once the usual places are taken, it gets an additional place, and a client has at most
 * one of those. So an attacker who wants to keep new clients out with tasks that never end needs more addresses than
 * there are additional places. Tasks that end in time keep nobody out, because clients take turns.
 *
 * <p>A task that waits together with others, as for a sync of a journal, has no place meanwhile. Such waits are shared
 * by {@link FairShare} too. A task beyond that keeps its place while it waits. When the wait is over the task runs
 * again even if no place is free, and keeps its part of these waits until it ends. So a client that ends no task can
 * bring no more of them than its share. Others of its kind wait until returned tasks end, but a client that runs
 * nothing does not: for its place returned tasks do not count.
 *
 * <p>A task that is held for much longer may never end: a daemon of the backend's cluster may be gone. It loses its
 * place and is counted with those that wait together, so that its client can go on with what needs nothing of that
 * cluster. Beyond their limit it keeps its place.
 *
 * <p>Only held tasks make room for additional ones, because a lane that is busy with many clients shall not have more
 * threads than configured.
 *
 * <h2>Errors</h2>
 *
 * None. Time is an argument. Guarded by the lock of {@link LaneThreads}.
 */
final class LaneTurns {
    /** The tasks of one client. */
    private static final class Client {
        final ClientAddress address;
        final Deque<LaneTask> waiting = new ArrayDeque<>();
        /** Tasks that run, including those that have returned. */
        int running;

        /** Tasks that have a part of the shared waits, because they wait, have returned or are overdue. */
        int sharing;

        Client(ClientAddress address) {
            this.address = address;
        }
    }

    /** A task from its beginning to its end. */
    static final class Running {
        private final Client client;
        private final LaneTask task;
        private long sinceNanos;

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
    private final int mostSharing;
    private final long patienceNanos;
    private final long overdueNanos;

    /** Clients that run or wait for something. */
    private final Map<ClientAddress, Client> clients = new HashMap<>();

    /** Clients that wait, the next in turn first. */
    private final Map<ClientAddress, Client> turns = new LinkedHashMap<>();

    /** Tasks that have a place, in the order in which they got it. */
    private final Set<Running> running = new LinkedHashSet<>();

    /** Tasks that gave up their place for a wait that they share, in the order in which it began. */
    private final Set<Running> sharing = new LinkedHashSet<>();

    /** Tasks that run again after a wait that they shared, in the order in which they returned. */
    private final Set<Running> returned = new LinkedHashSet<>();

    /** Tasks that have lost their place, in the order in which they did. */
    private final Set<Running> overdue = new LinkedHashSet<>();

    /**
     * @param usual the number of usual places, at least 1
     * @param beyond the number of additional places
     * @param sharing the number of tasks that may wait without a place, including those that have returned
     * @param patienceNanos the time after which a running task is held
     * @param overdueNanos the time after which it loses its place
     */
    LaneTurns(int usual, int beyond, int sharing, long patienceNanos, long overdueNanos) {
        this.usual = usual;
        this.most = usual + beyond;
        this.mostSharing = sharing;
        this.patienceNanos = patienceNanos;
        this.overdueNanos = overdueNanos;
    }

    void add(ClientAddress address, LaneTask task) {
        Client client = clients.computeIfAbsent(address, Client::new);
        client.waiting.add(task);
        turns.putIfAbsent(address, client);
    }

    /** Removes the task that was added last for this client and has not begun. */
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
        takeFromOverdue(nowNanos);
        return next(nowNanos) != null;
    }

    /** Begins the next task; null if none may begin now. */
    @Nullable
    Running begin(long nowNanos) {
        takeFromOverdue(nowNanos);
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
        boolean waits = sharing.remove(task) || overdue.remove(task);
        if (returned.remove(task) || waits) {
            task.client.sharing--;
        }
        // A task that failed while its wait began or ended has no place.
        if (!waits) {
            running.remove(task);
            task.client.running--;
        }
        forgetIfIdle(task.client);
    }

    /**
     * A running task begins to wait together with others.
     *
     * @return false if it keeps its place, because its client has as many such waits as it may have, or if it has none
     */
    boolean leave(Running task, long nowNanos) {
        Client client = task.client;
        if (!returned.remove(task)) {
            if (!running.contains(task) || !mayShare(client)) {
                return false;
            }
            running.remove(task);
            client.sharing++;
        }
        client.running--;
        task.sinceNanos = nowNanos;
        sharing.add(task);
        return true;
    }

    private boolean mayShare(Client client) {
        return FairShare.allows(client.sharing, 1, mostSharing - sharing.size() - returned.size() - overdue.size());
    }

    /** Takes their places from tasks that have run for so long that they may never end. */
    private void takeFromOverdue(long nowNanos) {
        for (Running task : overdueOf(running, nowNanos)) {
            if (mayShare(task.client)) {
                running.remove(task);
                task.client.sharing++;
                task.client.running--;
                overdue.add(task);
            }
        }
        for (Running task : overdueOf(returned, nowNanos)) {
            returned.remove(task);
            task.client.running--;
            overdue.add(task);
        }
    }

    private List<Running> overdueOf(Set<Running> tasks, long nowNanos) {
        List<Running> found = List.of();
        for (Running task : tasks) {
            if (nowNanos - task.sinceNanos < overdueNanos) {
                break;
            }
            if (found.isEmpty()) {
                found = new ArrayList<>();
            }
            found.add(task);
        }
        return found;
    }

    /** A task that left its place runs again. */
    void takeAgain(Running task, long nowNanos) {
        sharing.remove(task);
        task.sinceNanos = nowNanos;
        returned.add(task);
        task.client.running++;
    }

    private void forgetIfIdle(Client client) {
        if (client.running == 0 && client.sharing == 0 && client.waiting.isEmpty()) {
            clients.remove(client.address);
        }
    }

    /**
     * The time until a waiting client may get a place although no task ends: until one more task is held, for a new
     * client, or overdue.
     *
     * @return {@link Long#MAX_VALUE} if nobody waits, or there will be no place
     */
    long nanosToNextPlace(long nowNanos) {
        if (turns.isEmpty()) {
            return Long.MAX_VALUE;
        }
        takeFromOverdue(nowNanos);
        return Math.min(nanosToOverdue(nowNanos), nanosToPlaceBeyond(nowNanos));
    }

    private long nanosToOverdue(long nowNanos) {
        long left = Long.MAX_VALUE;
        if (!returned.isEmpty()) {
            left = overdueNanos - (nowNanos - returned.iterator().next().sinceNanos);
        }
        for (Running task : running) {
            if (mayShare(task.client)) {
                return Math.min(left, overdueNanos - (nowNanos - task.sinceNanos));
            }
        }
        return left;
    }

    private long nanosToPlaceBeyond(long nowNanos) {
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
        int free = usual - running.size() - returned.size();
        // Every client that is skipped here runs something, so this checks no more clients than there are places.
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
        return running.size() < most && running.size() - heldCount(running, nowNanos) < usual;
    }

    /** The number of tasks that have run, or waited together with others, for longer than the patience. */
    int heldCount(long nowNanos) {
        return heldCount(running, nowNanos)
                + heldCount(sharing, nowNanos)
                + heldCount(returned, nowNanos)
                + overdue.size();
    }

    private int heldCount(Set<Running> tasks, long nowNanos) {
        int held = 0;
        for (Running task : tasks) {
            if (nowNanos - task.sinceNanos < patienceNanos) {
                break;
            }
            held++;
        }
        return held;
    }

    /** The number of tasks that have begun and not ended. */
    int runningCount() {
        return running.size() + returned.size() + sharingCount();
    }

    /** The number of those that have no place, because they wait together with others or are overdue. */
    int sharingCount() {
        return sharing.size() + overdue.size();
    }

    /** The number of tasks that wait for a place. */
    int waitingCount() {
        return turns.values().stream().mapToInt(client -> client.waiting.size()).sum();
    }

    boolean nobodyWaits() {
        return turns.isEmpty();
    }

    /** Removes all waiting tasks, which are to be refused. */
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
