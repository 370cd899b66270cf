package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;

/**
 * The queue in front of the recovery log. Entries are noted in order under the lock of the state, and written without
 * it.
 *
 * <h2>Operation</h2>
 *
 * A thread that needs its entry on stable storage waits for it, and writes everything that was noted until then with
 * one sync. Entries that no thread waits for are written by the state's background thread.
 *
 * <h2>Errors</h2>
 *
 * A failed write fails for everyone whose entry was in it. Safe for any thread. {@link #await} and {@link #flush} wait
 * for the disk, so they are never called under the lock of the state.
 */
public final class RecoveryJournal {
    private static final Logger LOG = LoggerFactory.getLogger(RecoveryJournal.class);

    /** An entry to be written. */
    public static final class Entry {
        private final RecoveryLog.Change change;
        private volatile boolean written;
        private volatile @Nullable IOException failure;

        private Entry(RecoveryLog.Change change) {
            this.change = change;
        }

        boolean isDone() {
            return written || failure != null;
        }

        boolean hasFailed() {
            return failure != null;
        }
    }

    private final RecoveryLog log;
    private final LogLimiter lines = new LogLimiter();
    private final ReentrantLock writing = new ReentrantLock();
    private final Object queueLock = new Object();
    private List<Entry> queue = new ArrayList<>();
    private boolean closed;

    /** @param log is closed with the journal */
    public RecoveryJournal(RecoveryLog log) {
        this.log = log;
    }

    /** Notes a change, to be written after everything noted before. Does not wait. */
    Entry note(RecoveryLog.Change change) {
        Entry entry = new Entry(change);
        synchronized (queueLock) {
            queue.add(entry);
        }
        return entry;
    }

    /** True if an entry waits to be written. */
    public boolean isDue() {
        synchronized (queueLock) {
            return !queue.isEmpty();
        }
    }

    /** Returns once the entry is on stable storage. */
    public void await(Entry entry) throws IOException {
        while (!entry.isDone()) {
            flush();
        }
        IOException failure = entry.failure;
        if (failure != null) {
            throw new IOException(failure);
        }
    }

    /** Writes everything noted so far. */
    public void flush() {
        writing.lock();
        try {
            List<Entry> batch;
            synchronized (queueLock) {
                batch = queue;
                queue = new ArrayList<>();
            }
            if (!batch.isEmpty()) {
                write(batch);
            }
        } finally {
            writing.unlock();
        }
    }

    private void write(List<Entry> batch) {
        // The failure for any throwable, including an error of the virtual machine: no thread may wait for an entry
        // that is no longer in a queue.
        IOException failure = new IOException("not written");
        try {
            if (closed) {
                throw new IOException("the server is shutting down");
            }
            log.write(batch.stream().map(entry -> entry.change).toList());
            failure = null;
        } catch (IOException | RuntimeException e) {
            if (!closed) {
                log(e);
            }
            failure = e instanceof IOException io ? io : new IOException(e);
        } finally {
            for (Entry entry : batch) {
                entry.failure = failure;
                entry.written = failure == null;
            }
        }
    }

    /** Each client tries again for as long as it fails. */
    private void log(Exception e) {
        lines.admit("recovery log", ClientAddress.NONE)
                .ifPresent(more -> LOG.error(
                        "The NFSv4 recovery log cannot be written: no new client can open files ({} more like it)",
                        more,
                        e));
    }

    /** Writes what is left. Entries that are noted later fail. */
    public void close() {
        writing.lock();
        try {
            flush();
            closed = true;
            log.close();
        } finally {
            writing.unlock();
        }
    }
}
