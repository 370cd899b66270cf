package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackSender;
import org.warpnfs.nfs.v4.state.file.SharedFile;
import org.warpnfs.nfs.v4.state.recovery.RecoveryJournal;

/**
 * The one lock of the state, and the actions that follow when it is free again.
 *
 * <h2>Operation</h2>
 *
 * Nothing that can wait happens under the lock. Actions that a call decides on under the lock are done on the same
 * thread once the lock is free: callbacks are sent, and files that the request released are closed. Actions on behalf
 * of other clients are done by the background thread, and their files are closed by a thread of its own, which may wait
 * for a disk without end.
 */
final class StateLock {
    private static final Logger LOG = LoggerFactory.getLogger(StateLock.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final CallbackSender sender;
    private final Executor background;
    private final Executor closer;
    private final RecoveryJournal journal;
    private final Runnable flush;
    /** True while a write of the journal waits for the background thread: a disk that hangs has one, not one a call. */
    private final AtomicBoolean flushing = new AtomicBoolean();

    private boolean journaled;
    private List<CallbackCall> outbox = new ArrayList<>();
    private List<SharedFile> letGo = new ArrayList<>();
    private List<SharedFile> taken = new ArrayList<>();
    private List<Runnable> tasks = new ArrayList<>();
    private List<Runnable> following = new ArrayList<>();

    /**
     * @param background runs what no call waits for, including what may wait for the disk of the journal
     * @param closer closes files that no call waits for: a disk that is dead holds nothing else
     * @param flush writes what was noted in the journal, and does what has to follow; run on it after something was
     */
    StateLock(CallbackSender sender, Executor background, Executor closer, RecoveryJournal journal, Runnable flush) {
        this.sender = sender;
        this.background = background;
        this.closer = closer;
        this.journal = journal;
        this.flush = flush;
    }

    /** An action that needs the lock. */
    @FunctionalInterface
    interface Call<T, X extends Exception> {
        T run() throws X;
    }

    /** An action that needs the lock and returns nothing. */
    @FunctionalInterface
    interface Change<X extends Exception> {
        void run() throws X;
    }

    /** Runs {@code call} under the lock, then the actions that it left for afterwards. */
    <T, X extends Exception> T locked(Call<T, X> call) throws X {
        lock.lock();
        try {
            return call.run();
        } finally {
            unlock();
        }
    }

    /**
     * Runs a step of the background thread under the lock. The files that the step lets go of are left to the closer.
     */
    <T> T aside(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            taken.addAll(letGo);
            letGo.clear();
            unlock();
        }
    }

    /** Does the same as {@link #locked} for an action that returns nothing. */
    <X extends Exception> void change(Change<X> change) throws X {
        locked(() -> {
            change.run();
            return true;
        });
    }

    /** True if this thread has the lock. For tests of what must not happen under it. */
    boolean isHeldByThisThread() {
        return lock.isHeldByCurrentThread();
    }

    /** Leaves a callback to be sent without the lock. */
    void send(CallbackCall call) {
        outbox.add(call);
    }

    /**
     * Leaves a file that the request itself released. It is closed on the request's thread, so that no client can open
     * files faster than the backend closes them.
     */
    void letGo(SharedFile file) {
        letGo.add(file);
    }

    /** Leaves a file that was taken from another client. It is closed by the closer. */
    void taken(SharedFile file) {
        taken.add(file);
    }

    /** Leaves a task that this thread does without the lock, before the request is answered. */
    void follow(Runnable task) {
        following.add(task);
    }

    /** Runs a task on the background thread. Does not need the lock. */
    void background(Runnable task) {
        background.execute(task);
    }

    /** Leaves a task for the background thread. */
    void later(Runnable task) {
        tasks.add(task);
    }

    /**
     * Has the journal written, and done what has to follow, by the background thread. It is done even if another thread
     * has written it by then.
     */
    void flushLater() {
        journaled = true;
    }

    private void unlock() {
        boolean isNoted = journaled;
        journaled = false;
        List<CallbackCall> calls = List.of();
        List<SharedFile> own = List.of();
        List<SharedFile> others = List.of();
        List<Runnable> due = List.of();
        List<Runnable> next = List.of();
        if (!outbox.isEmpty()) {
            calls = outbox;
            outbox = new ArrayList<>();
        }
        if (!letGo.isEmpty()) {
            own = letGo;
            letGo = new ArrayList<>();
        }
        if (!taken.isEmpty()) {
            others = taken;
            taken = new ArrayList<>();
        }
        if (!tasks.isEmpty()) {
            due = tasks;
            tasks = new ArrayList<>();
        }
        if (!following.isEmpty()) {
            next = following;
            following = new ArrayList<>();
        }
        lock.unlock();
        next.forEach(StateLock::goOn);
        if (!calls.isEmpty()) {
            calls.forEach(this::carry);
        }
        if (!own.isEmpty()) {
            own.forEach(StateLock::release);
        }
        if (!due.isEmpty()) {
            due.forEach(background::execute);
        }
        if (!others.isEmpty()) {
            List<SharedFile> files = others;
            closer.execute(() -> files.forEach(StateLock::release));
        }
        if ((isNoted || journal.isDue()) && flushing.compareAndSet(false, true)) {
            background.execute(() -> {
                // Before, so that what is noted from now on gets a write of its own.
                flushing.set(false);
                flush.run();
            });
        }
    }

    private void carry(CallbackCall call) {
        try {
            sender.send(call);
        } catch (RuntimeException e) {
            // A call that fails must not keep the others from being sent.
            LOG.error("A callback could not be sent: a defect of this server", e);
        }
    }

    private static void goOn(Runnable next) {
        try {
            next.run();
        } catch (RuntimeException e) {
            LOG.error("What had to follow a change of state failed: a defect of this server", e);
        }
    }

    private static void release(SharedFile file) {
        try {
            file.release();
        } catch (RuntimeException e) {
            LOG.error("A file could not be closed: a defect of this server", e);
        }
    }
}
