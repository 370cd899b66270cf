package org.warpnfs.rpcrdma.oncrpc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks to run when a connection has ended. They belong to calls of the connection that wait for something, so
 * there are never more tasks than calls. Safe for any thread.
 */
final class ConnectionEnd {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionEnd.class);

    private final Set<Runnable> waiting = Collections.newSetFromMap(new IdentityHashMap<>(0));
    private boolean ended;

    /**
     * Runs {@code task} once at the end of the connection, or now if it has ended already. Tasks are compared by
     * identity.
     *
     * @return an action that removes the task
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
                LOG.error("a task for the end of a connection failed, by a bug of the server", e);
            }
        }
    }
}
