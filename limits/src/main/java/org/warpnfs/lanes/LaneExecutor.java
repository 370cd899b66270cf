package org.warpnfs.lanes;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.warpnfs.limits.ClientAddress;

/** Threads in lanes, fair between clients. Safe for any thread. */
public interface LaneExecutor extends Executor {
    /**
     * Runs a call, or the rest of one, on a thread of a lane when it is the client's turn.
     *
     * @throws RejectedExecutionException if no tasks are taken any more; none of the task's methods is called then
     */
    void execute(Lane lane, ClientAddress client, LaneTask task);

    /**
     * Runs what is no call, but may be what a call waits for, so it must not wait behind calls: the reply to a call
     * that went to a client, the end of a connection.
     *
     * @throws RejectedExecutionException as {@link #execute(Lane, ClientAddress, LaneTask)}
     */
    void executeAside(ClientAddress client, LaneTask task);

    /** Runs what belongs to no client. */
    @Override
    default void execute(Runnable task) {
        executeAside(ClientAddress.NONE, new LaneTask() {
            @Override
            public void run() {
                task.run();
            }

            @Override
            public void refused() {
                // As other executors do it: what was queued when they close is forgotten.
            }
        });
    }

    /** An executor without lanes, whose threads run everything. */
    static LaneExecutor over(Executor executor) {
        if (executor instanceof LaneExecutor lanes) {
            return lanes;
        }
        return new LaneExecutor() {
            @Override
            public void execute(Lane lane, ClientAddress client, LaneTask task) {
                executor.execute(task::run);
            }

            @Override
            public void executeAside(ClientAddress client, LaneTask task) {
                executor.execute(task::run);
            }
        };
    }
}
