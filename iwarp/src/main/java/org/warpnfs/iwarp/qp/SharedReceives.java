package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.SharedReceiveQueue;

/**
 * A shared receive queue.
 *
 * <h2>Operation</h2>
 *
 * Each queue pair has a {@link Share} of it, and takes a receive when a message of its begins.
 *
 * <h2>Buffers</h2>
 *
 * Those that wait for a message.
 *
 * <h2>Errors</h2>
 *
 * As {@link SharedReceiveQueue} says. Safe for any thread.
 */
public final class SharedReceives implements SharedReceiveQueue {
    /** In place of a share: the receive waits. */
    private final Share nobody = new Share(task -> {});

    private final Object lock = new Object();
    private final LocalRnic rnic;
    private final ReceiveAccount account;
    private final int maxPerQueuePair;
    private final Queue<PostedReceive> waiting = new ArrayDeque<>();

    /** Who has the receive of each id, until it is posted again. */
    private final Map<Long, Share> holders = new HashMap<>();

    private int limit;
    private @Nullable Runnable limitReached;
    private boolean closed;

    SharedReceives(LocalRnic rnic, int depth, int maxPerQueuePair) {
        if (depth < 1 || maxPerQueuePair < 1) {
            throw new IllegalArgumentException("a queue of " + depth + ", of which " + maxPerQueuePair + " for each");
        }
        this.rnic = rnic;
        this.account = new ReceiveAccount(rnic.receives(depth), rnic.receiveBytes(Long.MAX_VALUE));
        this.maxPerQueuePair = maxPerQueuePair;
    }

    /** What one queue pair has taken. */
    static final class Share {
        private final TaskRunner runner;
        private final Set<Long> held = new HashSet<>();

        /** @param runner runs tasks on the queue pair's owner thread, later */
        Share(TaskRunner runner) {
            this.runner = runner;
        }
    }

    /** Runs a task later. */
    @FunctionalInterface
    interface TaskRunner {
        void execute(Runnable task);
    }

    boolean isOf(LocalRnic other) {
        return rnic == other;
    }

    @Override
    public void postReceive(long workRequestId, ByteBuffer buffer) {
        PostedReceive receive = new PostedReceive(workRequestId, buffer);
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("the shared receive queue is closed");
            }
            Share holder = holders.get(workRequestId);
            if (holder == nobody) {
                throw new IllegalArgumentException("a receive with id " + workRequestId + " waits already");
            }
            account.take(receive);
            if (holder != null) {
                holder.held.remove(workRequestId);
            }
            holders.put(workRequestId, nobody);
            waiting.add(receive);
        }
    }

    /** The next receive; null if there is none, or none for this share. */
    @Nullable
    PostedReceive take(Share share) {
        Runnable told = null;
        PostedReceive receive;
        synchronized (lock) {
            receive = share.held.size() < maxPerQueuePair ? waiting.poll() : null;
            if (receive == null) {
                rnic.sharedReceiveRefused();
                return null;
            }
            receive.uncount();
            holders.put(receive.id(), share);
            share.held.add(receive.id());
            if (waiting.size() < limit) {
                told = disarm();
            }
        }
        if (told != null) {
            share.runner.execute(told);
        }
        return receive;
    }

    /** A queue pair has ended: nobody has what it had taken, whether it is posted again or not. */
    void leave(Share share) {
        synchronized (lock) {
            share.held.forEach(id -> holders.remove(id, share));
            share.held.clear();
        }
    }

    /** Receives that queue pairs have taken and that were not posted again. */
    int takenCount() {
        synchronized (lock) {
            return holders.size() - waiting.size();
        }
    }

    private @Nullable Runnable disarm() {
        Runnable told = limitReached;
        limit = 0;
        limitReached = null;
        return told;
    }

    @Override
    public int size() {
        synchronized (lock) {
            return waiting.size();
        }
    }

    @Override
    public void armLimit(int below, Runnable reached) {
        Runnable told = null;
        synchronized (lock) {
            limit = below;
            limitReached = reached;
            if (waiting.size() < limit) {
                told = disarm();
            }
        }
        if (told != null) {
            told.run();
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            waiting.clear();
            holders.clear();
            account.close();
        }
    }
}
