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
import org.warpnfs.lanes.SharedWait;
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
 * <p>A task that waits for a sync needs its thread, but not its place: see {@link SharedWait}. So does a task that has
 * run for {@link #OVERDUE}.
 *
 * <p>Threads start when they are first needed. The usual threads stay, and so does one more, once it has been needed,
 * which watches for held threads. The other additional threads end when they have found nothing to do for a while. If
 * the system has no more threads, the existing ones do all the work. If there is none, tasks are rejected.
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

    /**
     * The most threads of a lane whose tasks wait for a sync together or are overdue. One client alone gets half of
     * them: as many as a Linux client over TCP has calls in flight, in its usual setting.
     */
    static final int SHARING = 128;

    /** How long a thread stays that has nothing to do. Threads that are needed for each sync need not start again. */
    private static final long KEPT_NANOS = Duration.ofSeconds(2).toNanos();

    /** A task that runs for longer is held. A disk that is only busy takes less time. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /**
     * A task that runs for longer loses its place. Until then a backend has found out that its cluster does not answer,
     * and ends further calls at once, so that these do not take the places again.
     */
    static final Duration OVERDUE = Duration.ofSeconds(8);

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
        this.turns = new LaneTurns(usual, BEYOND, SHARING, PATIENCE.toNanos(), OVERDUE.toNanos());
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
        } else if ((ready && threads.size() - turns.sharingCount() < usual) || threads.size() == turns.runningCount()) {
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
                SharedWait.ofTask(new TaskPlace(task));
                task.task().run();
            } catch (Throwable e) {
                LOG.error("{}: a task failed by a bug of the server", name, e);
            } finally {
                SharedWait.ofTask(null);
                // An interrupt was meant for this task.
                var _ = Thread.interrupted();
            }
        }
    }

    /** Begins the next task; null if this thread has to end. */
    private LaneTurns.@Nullable Running await() {
        boolean unneeded = false;
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
            boolean additional = threads.size() > usual + 1;
            if (unneeded && untilPlaceNanos == Long.MAX_VALUE && idle > 0 && additional) {
                threads.remove(Thread.currentThread());
                return null;
            }
            idle++;
            boolean watches = untilPlaceNanos != Long.MAX_VALUE;
            watched |= watches;
            try {
                if (watches) {
                    var _ = work.awaitNanos(untilPlaceNanos);
                } else if (additional) {
                    unneeded = work.awaitNanos(KEPT_NANOS) <= 0;
                } else {
                    work.awaitUninterruptibly();
                }
            } catch (InterruptedException e) {
                // An interrupt is meant for a task, and this thread has none.
                LOG.trace("{}: interrupted while idle", name);
            }
            watched &= !watches;
            idle--;
            woken = Math.max(0, woken - 1);
        }
    }

    /** The place of one task. For the task's thread. */
    private final class TaskPlace implements SharedWait.Place {
        private final LaneTurns.Running task;

        TaskPlace(LaneTurns.Running task) {
            this.task = task;
        }

        @Override
        public boolean leave() {
            lock.lock();
            try {
                boolean left = turns.leave(task, System.nanoTime());
                if (left && !turns.nobodyWaits()) {
                    wakeOne();
                }
                return left;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void takeAgain() {
            lock.lock();
            try {
                turns.takeAgain(task, System.nanoTime());
            } finally {
                lock.unlock();
            }
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
