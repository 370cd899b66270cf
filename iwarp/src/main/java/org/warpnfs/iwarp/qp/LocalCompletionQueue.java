package org.warpnfs.iwarp.qp;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionQueue;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.QueuePair;

/**
 * A completion queue.
 *
 * <h2>Operation</h2>
 *
 * An entry is reserved when something is posted, filled when it completes, and free again when the completion has been
 * polled.
 *
 * <h2>Buffers</h2>
 *
 * Refers to the buffers of completions that have not been polled yet.
 *
 * <h2>Errors</h2>
 *
 * See {@link CompletionQueue}. Safe for any thread.
 */
public final class LocalCompletionQueue implements CompletionQueue {
    private final Object lock = new Object();
    private final LocalRnic rnic;
    private final int capacity;
    private final Runnable notification;
    private final Queue<Entry> entries = new ArrayDeque<>();
    private int solicited;
    private int reserved;
    private int users;
    private @Nullable Event armed;
    private boolean closed;

    LocalCompletionQueue(LocalRnic rnic, int capacity, Runnable notification) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a completion queue of " + capacity);
        }
        this.rnic = rnic;
        this.capacity = capacity;
        this.notification = notification;
    }

    boolean isOf(LocalRnic other) {
        return rnic == other;
    }

    /** Adds a queue pair that completes to this queue. */
    void attach() {
        synchronized (lock) {
            checkOpen();
            users++;
        }
    }

    void checkOpen() {
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("the completion queue is closed");
            }
        }
    }

    /** Removes a queue pair that has ended. */
    void detach() {
        synchronized (lock) {
            users--;
        }
    }

    /** Reserves an entry for a future completion. Returns false if none is free. */
    boolean tryReserve() {
        synchronized (lock) {
            if (entries.size() + reserved >= capacity) {
                rnic.completionRefused();
                return false;
            }
            reserved++;
            return true;
        }
    }

    /** Reserves an entry for a future completion. Throws if none is free. */
    void reserve() {
        if (!tryReserve()) {
            throw new LimitReachedException("completion queue of " + capacity + " is full");
        }
    }

    /** Releases an entry that was reserved and is not needed. */
    void cancel() {
        synchronized (lock) {
            reserved--;
        }
    }

    /** Fills a reserved entry. */
    void add(QueuePair queuePair, Completion completion) {
        Entry entry = new Entry(queuePair, completion);
        synchronized (lock) {
            reserved--;
            entries.add(entry);
            if (entry.solicited()) {
                solicited++;
            }
            if (armed == null || (armed == Event.SOLICITED && !entry.solicited())) {
                return;
            }
            armed = null;
        }
        notification.run();
    }

    @Override
    public @Nullable Entry poll() {
        synchronized (lock) {
            Entry oldest = entries.poll();
            if (oldest != null && oldest.solicited()) {
                solicited--;
            }
            return oldest;
        }
    }

    @Override
    public int size() {
        synchronized (lock) {
            return entries.size();
        }
    }

    @Override
    public boolean arm(Event event) {
        synchronized (lock) {
            if (event == Event.NEXT ? !entries.isEmpty() : solicited > 0) {
                return false;
            }
            armed = armed == Event.NEXT ? Event.NEXT : event;
            return true;
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            if (users > 0) {
                throw new IllegalStateException(users + " queue pairs complete to it");
            }
            closed = true;
        }
    }
}
