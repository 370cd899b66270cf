package org.warpnfs.rpcrdma.oncrpc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those who want to know that a connection has ended: calls of it that wait for something, so there are never more of
 * them than calls. Safe for any thread.
 */
final class ConnectionEnd {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionEnd.class);

    private final Set<Runnable> waiting = Collections.newSetFromMap(new IdentityHashMap<>(0));
    private boolean ended;

    /**
     * Runs {@code task} once at the end, or now if that has been. One object is one task.
     *
     * @return forgets the task
     */
    Runnable add(Runnable task) {
        synchronized (this) {
            if (!ended) {
                waiting.add(task);
                return () -> forget(task);
            }
        }
        task.run();
        return () -> {};
    }

    private synchronized void forget(Runnable task) {
        waiting.remove(task);
    }

    void ended() {
        List<Runnable> all;
        synchronized (this) {
            ended = true;
            all = new ArrayList<>(waiting);
            waiting.clear();
        }
        for (Runnable task : all) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("a call could not be told that its connection has ended, by a bug of the server", e);
            }
        }
    }
}
