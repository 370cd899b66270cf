package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackSender;
import org.warpnfs.nfs.v4.state.file.SharedFile;
import org.warpnfs.nfs.v4.state.recovery.RecoveryJournal;

/**
 * The one lock of the state, and what is done once it is free again.
 *
 * <h2>Operation</h2>
 *
 * Nothing that can wait happens under the lock. What a call decides on while it holds the lock is done when the lock is
 * free again, on the same thread: callbacks leave, and files that its request let go are closed. What others left
 * behind is done by the background thread.
 */
final class StateLock {
    private static final Logger LOG = LoggerFactory.getLogger(StateLock.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final CallbackSender sender;
    private final Executor background;
    private final RecoveryJournal journal;
    private List<CallbackCall> outbox = new ArrayList<>();
    private List<SharedFile> letGo = new ArrayList<>();
    private List<SharedFile> taken = new ArrayList<>();
    private List<Runnable> tasks = new ArrayList<>();

    /**
     * @param background runs what nobody waits for and what may wait for a disk
     * @param journal is written there when something was noted in it
     */
    StateLock(CallbackSender sender, Executor background, RecoveryJournal journal) {
        this.sender = sender;
        this.background = background;
        this.journal = journal;
    }

    /** What needs the lock. */
    @FunctionalInterface
    interface Call<T, X extends Exception> {
        T run() throws X;
    }

    /** What needs the lock and gives nothing. */
    @FunctionalInterface
    interface Change<X extends Exception> {
        void run() throws X;
    }

    /** Runs {@code call} under the lock, then what it left to be done without. */
    <T, X extends Exception> T locked(Call<T, X> call) throws X {
        lock.lock();
        try {
            return call.run();
        } finally {
            unlock();
        }
    }

    /** As {@link #locked}, for what gives nothing. */
    <X extends Exception> void change(Change<X> change) throws X {
        locked(() -> {
            change.run();
            return true;
        });
    }

    /** For tests of what must not happen under the lock. */
    boolean isHeldByThisThread() {
        return lock.isHeldByCurrentThread();
    }

    /** A callback, to be sent without the lock. */
    void send(CallbackCall call) {
        outbox.add(call);
    }

    /**
     * A file that the request itself has let go: closed on its thread, so that nobody opens faster than the backend
     * closes.
     */
    void letGo(SharedFile file) {
        letGo.add(file);
    }

    /** A file that was taken from someone else: closed on the background thread. */
    void taken(SharedFile file) {
        taken.add(file);
    }

    /** What is for the background thread. */
    void later(Runnable task) {
        tasks.add(task);
    }

    private void unlock() {
        List<CallbackCall> calls = List.of();
        List<SharedFile> own = List.of();
        List<SharedFile> others = List.of();
        List<Runnable> due = List.of();
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
        lock.unlock();
        calls.forEach(this::carry);
        own.forEach(StateLock::release);
        due.forEach(background::execute);
        if (!others.isEmpty()) {
            List<SharedFile> files = others;
            background.execute(() -> files.forEach(StateLock::release));
        }
        if (journal.isDue()) {
            background.execute(journal::flush);
        }
    }

    private void carry(CallbackCall call) {
        try {
            sender.send(call);
        } catch (RuntimeException e) {
            // One call that fails must not keep the others.
            LOG.error("A callback could not be sent: a defect of this server", e);
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
