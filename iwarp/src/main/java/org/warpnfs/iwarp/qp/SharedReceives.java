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
 * Each queue pair has a {@link Share} of the queue and takes a receive when a message begins.
 *
 * <h2>Buffers</h2>
 *
 * Those of receives that wait for a message.
 *
 * <h2>Errors</h2>
 *
 * See {@link SharedReceiveQueue}. Safe for any thread.
 */
public final class SharedReceives implements SharedReceiveQueue {
    /** The holder of receives that wait in the queue. */
    private final Share nobody = new Share(task -> {});

    private final Object lock = new Object();
    private final LocalRnic rnic;
    private final ReceiveAccount account;
    private final int maxPerQueuePair;
    private final Queue<PostedReceive> waiting = new ArrayDeque<>();

    /** The holder of the receive of each id, until the id is posted again. */
    private final Map<Long, Share> holders = new HashMap<>();

    private int limit;
    private @Nullable Runnable limitReached;
    private boolean closed;

    SharedReceives(LocalRnic rnic, int depth, int maxPerQueuePair) {
        if (depth < 1 || maxPerQueuePair < 1) {
            throw new IllegalArgumentException("shared receive queue of depth " + depth + " with " + maxPerQueuePair
                    + " for each queue pair: both are at least 1");
        }
        this.rnic = rnic;
        this.account = new ReceiveAccount(rnic.receives(depth), rnic.receiveBytes(Long.MAX_VALUE));
        this.maxPerQueuePair = maxPerQueuePair;
    }

    /** The receives that one queue pair has taken. */
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

    /** Takes the next receive; null if there is none, or if the share is used up. */
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

    /** A queue pair has ended, so it no longer holds the receives that it had taken. */
    void leave(Share share) {
        synchronized (lock) {
            share.held.forEach(id -> holders.remove(id, share));
            share.held.clear();
        }
    }

    /** The number of receives that queue pairs have taken and that were not posted again. */
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
