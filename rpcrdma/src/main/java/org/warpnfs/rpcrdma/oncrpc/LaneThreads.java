package org.warpnfs.rpcrdma.oncrpc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;

/**
 * The threads of one lane, shared fairly between clients.
 *
 * <h2>Operation</h2>
 *
 * Clients take turns, one task each; the tasks of one client run in the order in which they came. A client that runs nothing gets any free thread.
 * One that runs tasks already gets another thread only if it then runs no more than half of what it and the free threads are together, and
 * never the last free one. So a client alone gets half of the threads and one more, the next half of what is left, and so on: what one client's
 * tasks wait for keeps no other client's from starting.
 *
 * <p>Threads start when they are needed first, and stay. Where the system has no more, those that there are do all; where there is none, tasks
 * are rejected.
 *
 * <h2>Buffers</h2>
 *
 * How many tasks wait is bounded by what the transports admit: calls of a connection, connections of a client.
 *
 * <h2>Errors</h2>
 *
 * What a task throws is logged; the thread goes on. Safe for any thread.
 */
final class LaneThreads {
    private static final Logger LOG = LoggerFactory.getLogger(LaneThreads.class);

    /** What one client has here. */
    private static final class Client {
        final ClientAddress address;
        final Deque<LaneTask> waiting = new ArrayDeque<>();
        int running;

        Client(ClientAddress address) {
            this.address = address;
        }
    }

    private final String name;
    private final int count;
    private final Threads maker;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final List<Thread> threads = new ArrayList<>();
    /** Those who run something or wait. */
    private final Map<ClientAddress, Client> clients = new HashMap<>();
    /** Those who wait, the next first. */
    private final Map<ClientAddress, Client> turns = new LinkedHashMap<>();

    private int running;
    private int idle;
    private int woken;
    private boolean closed;

    /**
     * @param name of its threads, before their numbers
     * @param count at least 1
     */
    LaneThreads(String name, int count) {
        this(name, count, Thread::new);
    }

    /** Makes threads, which the virtual machine may refuse to start. */
    interface Threads {
        Thread make(Runnable task, String name);
    }

    LaneThreads(String name, int count, Threads maker) {
        if (count < 1) {
            throw new IllegalArgumentException(count + " threads in a lane");
        }
        this.name = name;
        this.count = count;
        this.maker = maker;
    }

    void execute(ClientAddress address, LaneTask task) {
        lock.lock();
        try {
            if (closed) {
                throw new RejectedExecutionException("the operation threads are closed");
            }
            Client client = clients.computeIfAbsent(address, Client::new);
            client.waiting.add(task);
            turns.putIfAbsent(address, client);
            wakeOne();
            if (threads.isEmpty()) {
                client.waiting.removeLast();
                turns.remove(address);
                clients.remove(address);
                throw new RejectedExecutionException("no operation thread can be started");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more tasks; those that wait are still run. */
    void stopTaking() {
        lock.lock();
        try {
            closed = true;
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more tasks, interrupts those that run and refuses those that wait. */
    void close() {
        List<LaneTask> refused = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            for (Client client : turns.values()) {
                refused.addAll(client.waiting);
                client.waiting.clear();
            }
            turns.clear();
            threads.forEach(Thread::interrupt);
            work.signalAll();
        } finally {
            lock.unlock();
        }
        refused.forEach(LaneThreads::refuse);
    }

    /** Threads that there are, for {@link Thread#join}. */
    List<Thread> threads() {
        lock.lock();
        try {
            return List.copyOf(threads);
        } finally {
            lock.unlock();
        }
    }

    /** Tasks that wait for a thread. */
    int waitingCount() {
        lock.lock();
        try {
            return turns.values().stream()
                    .mapToInt(client -> client.waiting.size())
                    .sum();
        } finally {
            lock.unlock();
        }
    }

    /** If a task may start now, sees to it that a thread comes for it. */
    private void wakeOne() {
        if (next() == null) {
            return;
        }
        if (woken < idle) {
            woken++;
            work.signal();
        } else if (threads.size() < count) {
            Thread thread = maker.make(this::run, name + "-" + (threads.size() + 1));
            try {
                thread.start();
            } catch (OutOfMemoryError e) {
                // The system has no more threads. Those that there are take the task in its turn.
                LOG.error("{}: a thread cannot be started; there are {}", name, threads.size(), e);
                return;
            }
            threads.add(thread);
        }
    }

    /** Whose turn it is, or null if nobody may start a task now. */
    private @Nullable Client next() {
        int free = count - running;
        // Everyone who is passed over here runs something, so this looks at no more clients than there are threads.
        for (Client client : turns.values()) {
            if (client.running == 0 ? free > 0 : free > 1 && client.running <= free) {
                return client;
            }
        }
        return null;
    }

    private void run() {
        Client client = null;
        while (true) {
            LaneTask task;
            lock.lock();
            try {
                if (client != null) {
                    ended(client);
                }
                client = await();
                if (client == null) {
                    return;
                }
                task = begin(client);
            } finally {
                lock.unlock();
            }
            try {
                task.run();
            } catch (Throwable e) {
                LOG.error("{}: a task failed by a bug of the server", name, e);
            } finally {
                // An interrupt was for this task.
                var _ = Thread.interrupted();
            }
        }
    }

    /** Whose task comes next; null if there will be none. */
    private @Nullable Client await() {
        while (true) {
            Client client = next();
            if (client != null) {
                return client;
            }
            if (closed && turns.isEmpty()) {
                // The next one may wait for nothing but this.
                work.signalAll();
                return null;
            }
            idle++;
            work.awaitUninterruptibly();
            idle--;
            woken = Math.max(0, woken - 1);
        }
    }

    private LaneTask begin(Client client) {
        LaneTask task = client.waiting.remove();
        running++;
        client.running++;
        turns.remove(client.address);
        if (!client.waiting.isEmpty()) {
            turns.put(client.address, client);
        }
        if (!turns.isEmpty()) {
            wakeOne();
        }
        return task;
    }

    private void ended(Client client) {
        running--;
        client.running--;
        if (client.running == 0 && client.waiting.isEmpty()) {
            clients.remove(client.address);
        }
    }

    private static void refuse(LaneTask task) {
        try {
            task.refused();
        } catch (RuntimeException | Error e) {
            LOG.error("a task could not be refused, by a bug of the server", e);
        }
    }
}
