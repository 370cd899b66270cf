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
 * {@link LaneTurns} says whose task runs next, and when a newcomer may have a thread beyond the usual ones because
 * those are held.
 *
 * <p>Threads start when they are needed first. The usual ones stay, and one more that watches for threads that are
 * held, once it has been needed; the others beyond the usual ones end when they find nothing to do. Where the system
 * has no more threads, those that there are do all; where there is none, tasks are rejected.
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
    /**
     * Threads of a lane beyond the usual ones: more addresses than this are needed to keep newcomers out. Each costs
     * its stack.
     */
    static final int BEYOND = 64;

    /** Longer than a disk takes that is merely busy. */
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

    /** True while an idle thread waits for the moment at which a newcomer may have a place. */
    private boolean watched;

    private boolean closed;

    /**
     * @param name of its threads, before their numbers
     * @param usual threads, at least 1
     */
    LaneThreads(String name, int usual) {
        this(name, usual, CallThread::new);
    }

    /** Makes threads, which the virtual machine may refuse to start. */
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
            return turns.waitingCount();
        } finally {
            lock.unlock();
        }
    }

    /** Tasks that have run for longer than {@link #PATIENCE}. */
    int heldCount() {
        lock.lock();
        try {
            return turns.heldCount(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Tasks that run. */
    int runningCount() {
        lock.lock();
        try {
            return turns.runningCount();
        } finally {
            lock.unlock();
        }
    }

    /**
     * If a task may start now, or after a while though nothing ends, sees to it that a thread looks. One on the way is
     * enough: it wakes the next if it leaves a task behind, and short tasks are often done by then, by those who run
     * already. To wake one for each task costs more than the task.
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
            // In the second case nobody is on the way who would look.
            start();
        }
    }

    private void start() {
        Thread thread = maker.make(this::run, name + "-" + (started + 1));
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            // The system has no more threads. Those that there are take the task in its turn.
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
                // An interrupt was for this task.
                var _ = Thread.interrupted();
            }
        }
    }

    /** The task that comes next, begun; null if this thread has to end. */
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
                // The next one may wait for nothing but this.
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
                    // An interrupt is for a task, and this thread has none.
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
