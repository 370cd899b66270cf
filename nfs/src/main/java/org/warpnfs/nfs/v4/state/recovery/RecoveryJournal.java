package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recovery log as the state sees it: what has to be written is noted in order while the state's lock is held, and
 * written without it.
 *
 * <h2>Operation</h2>
 *
 * Whoever needs its entry on stable storage waits for it, and writes all that was noted until then with one sync. What
 * nobody waits for is written by the state's background thread.
 *
 * <h2>Errors</h2>
 *
 * A failed write fails for everyone whose entry was in it. Safe for any thread; {@link #await} and {@link #flush} wait
 * for the disk, so they are never called under the state's lock.
 */
public final class RecoveryJournal {
    private static final Logger LOG = LoggerFactory.getLogger(RecoveryJournal.class);

    /** One entry on its way to the disk. */
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
    private final ReentrantLock writing = new ReentrantLock();
    private final Object queueLock = new Object();
    private List<Entry> queue = new ArrayList<>();
    private boolean closed;

    /** @param log is closed with the journal */
    public RecoveryJournal(RecoveryLog log) {
        this.log = log;
    }

    /** Notes what is to be written behind everything noted before. Does not wait. */
    Entry note(RecoveryLog.Change change) {
        Entry entry = new Entry(change);
        synchronized (queueLock) {
            queue.add(entry);
        }
        return entry;
    }

    /** True if something waits to be written. */
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
        // Whatever is thrown, also an error of the virtual machine: nobody may wait for what is in no queue any more.
        IOException failure = new IOException("not written");
        try {
            if (closed) {
                throw new IOException("the server ends");
            }
            log.write(batch.stream().map(entry -> entry.change).toList());
            failure = null;
        } catch (IOException | RuntimeException e) {
            if (!closed) {
                LOG.error("The NFSv4 recovery log cannot be written: no new client can open files", e);
            }
            failure = e instanceof IOException io ? io : new IOException(e);
        } finally {
            for (Entry entry : batch) {
                entry.failure = failure;
                entry.written = failure == null;
            }
        }
    }

    /** Writes what is left; whatever is noted later fails. */
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
