package org.warpnfs.rpcrdma.oncrpc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.lanes.CallThread;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;

/**
 * The threads of one lane, shared fairly between clients.
 *
 * <h2>Operation</h2>
 *
 * {@link LaneTurns} decides whose task runs next, and when a new client may have a thread beyond the usual ones because
 * those are held.
 *
 * <p>Threads start when they are first needed. The usual threads stay, and so does one more, once it has been needed,
 * which watches for held threads. The other additional threads end when they find nothing to do. If the system has no
 * more threads, the existing ones do all the work. If there is none, tasks are rejected.
 *
 * <h2>Buffers</h2>
 *
 * The number of waiting tasks is bounded by what the transports admit: calls of a connection, connections of a client.
 *
 * <h2>Errors</h2>
 *
 * An exception of a task is logged, and the thread goes on. Safe for any thread.
 */
final class LaneThreads {
    /**
     * The most threads of a lane beyond the usual ones. To keep new clients out, an attacker needs more addresses than
     * this. Each thread costs its stack.
     */
    static final int BEYOND = 64;

    /** A task that runs for longer is held. A disk that is only busy takes less time. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(LaneThreads.class);

    private final String name;
    private final int usual;
    private final Threads maker;
    private final LogLimiter lines = new LogLimiter();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final List<Thread> threads = new ArrayList<>();
    private final LaneTurns turns;
    private int started;
    private int idle;
    private int woken;

    /** True while an idle thread waits for the moment at which a new client may have a place. */
    private boolean watched;

    private boolean closed;

    /**
     * @param name the beginning of the threads' names, before their numbers
     * @param usual the number of usual threads, at least 1
     */
    LaneThreads(String name, int usual) {
        this(name, usual, CallThread::new);
    }

    /** Creates threads. The virtual machine may refuse to start them. */
    interface Threads {
        Thread make(Runnable task, String name);
    }

    LaneThreads(String name, int usual, Threads maker) {
        if (usual < 1) {
            throw new IllegalArgumentException(usual + " threads in a lane");
        }
        this.name = name;
        this.usual = usual;
        this.maker = maker;
        this.turns = new LaneTurns(usual, BEYOND, PATIENCE.toNanos());
    }

    void execute(ClientAddress client, LaneTask task) {
        lock.lock();
        try {
            if (closed) {
                throw new RejectedExecutionException("the operation threads are closed");
            }
            turns.add(client, task);
            wakeOne();
            if (threads.isEmpty()) {
                turns.removeLast(client);
                throw new RejectedExecutionException("no operation thread can be started");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Accepts no more tasks. Waiting tasks are still run. */
    void stopTaking() {
        lock.lock();
        try {
            closed = true;
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Accepts no more tasks, interrupts running tasks and refuses waiting ones. */
    void close() {
        List<LaneTask> refused;
        lock.lock();
        try {
            closed = true;
            refused = turns.takeWaiting();
            threads.forEach(Thread::interrupt);
            work.signalAll();
        } finally {
            lock.unlock();
        }
        refused.forEach(LaneThreads::refuse);
    }

    /** The existing threads, for {@link Thread#join}. */
    List<Thread> threads() {
        lock.lock();
        try {
            return List.copyOf(threads);
        } finally {
            lock.unlock();
        }
    }

    /** The number of tasks that wait for a thread. */
    int waitingCount() {
        lock.lock();
        try {
            return turns.waitingCount();
        } finally {
            lock.unlock();
        }
    }

    /** The number of tasks that have run for longer than {@link #PATIENCE}. */
    int heldCount() {
        lock.lock();
        try {
            return turns.heldCount(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** The number of running tasks. */
    int runningCount() {
        lock.lock();
        try {
            return turns.runningCount();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Wakes or starts a thread if a task may start now, or may start later although no task ends. One woken thread is
     * enough: it wakes the next one if it leaves a task behind. Often the threads that are running already finish short
     * tasks before that. Waking a thread for each task would cost more than the task.
     */
    private void wakeOne() {
        if (woken > 0) {
            return;
        }
        long now = System.nanoTime();
        boolean ready = turns.ready(now);
        if (!ready && (watched || turns.nanosToNextPlace(now) == Long.MAX_VALUE)) {
            return;
        }
        if (woken < idle) {
            woken++;
            work.signal();
        } else if ((ready && threads.size() < usual) || threads.size() == turns.runningCount()) {
            // In the second case no thread is about to check.
            start();
        }
    }

    private void start() {
        Thread thread = maker.make(this::run, name + "-" + (started + 1));
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            // The system has no more threads. The existing ones take the task in its turn.
            lines.admit("threads", ClientAddress.NONE)
                    .ifPresent(more -> LOG.error(
                            "{}: a thread cannot be started; there are {} ({} more like it)",
                            name,
                            threads.size(),
                            more,
                            e));
            return;
        }
        started++;
        threads.add(thread);
    }

    private void run() {
        LaneTurns.Running task = null;
        while (true) {
            lock.lock();
            try {
                if (task != null) {
                    turns.ended(task);
                }
                task = await();
                if (task == null) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            try {
                task.task().run();
            } catch (Throwable e) {
                LOG.error("{}: a task failed by a bug of the server", name, e);
            } finally {
                // An interrupt was meant for this task.
                var _ = Thread.interrupted();
            }
        }
    }

    /** Begins the next task; null if this thread has to end. */
    private LaneTurns.@Nullable Running await() {
        while (true) {
            long now = System.nanoTime();
            LaneTurns.Running task = turns.begin(now);
            if (task != null) {
                if (!turns.nobodyWaits()) {
                    wakeOne();
                }
                return task;
            }
            if (closed && turns.nobodyWaits()) {
                // The next thread may be waiting only for this.
                work.signalAll();
                return null;
            }
            long untilPlaceNanos = watched ? Long.MAX_VALUE : turns.nanosToNextPlace(now);
            if (untilPlaceNanos == Long.MAX_VALUE && idle > 0 && threads.size() > usual + 1) {
                threads.remove(Thread.currentThread());
                return null;
            }
            idle++;
            if (untilPlaceNanos == Long.MAX_VALUE) {
                work.awaitUninterruptibly();
            } else {
                watched = true;
                try {
                    var _ = work.awaitNanos(untilPlaceNanos);
                } catch (InterruptedException e) {
                    // An interrupt is meant for a task, and this thread has none.
                    LOG.trace("{}: interrupted while idle", name);
                }
                watched = false;
            }
            idle--;
            woken = Math.max(0, woken - 1);
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
