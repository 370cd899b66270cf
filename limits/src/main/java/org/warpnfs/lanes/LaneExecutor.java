package org.warpnfs.lanes;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.warpnfs.limits.ClientAddress;

/** Runs tasks on the threads of lanes, fairly between clients. Safe for any thread. */
public interface LaneExecutor extends Executor {
    /**
     * The first lane that calls may use. If it is {@link Lane#EVENT_LOOP}, such calls run on the thread on which they
     * arrive, and this executor is not asked.
     */
    default Lane earliest() {
        return Lane.SHORT;
    }

    /**
     * Asked when a call has had its effect, just before its reply leaves. If it is false the call is dropped: whatever
     * it did, its caller must not rely on it. Never waits.
     */
    default boolean mayAnswer() {
        return true;
    }

    /**
     * Runs a call, or the rest of one, on a thread of a lane when it is the client's turn.
     *
     * @param lane any but {@link Lane#EVENT_LOOP}
     * @throws RejectedExecutionException if no more tasks are accepted; none of the task's methods is called then
     */
    void execute(Lane lane, ClientAddress client, LaneTask task);

    /**
     * Runs a task that is not a call but that a call may wait for, so that it does not wait behind calls. Examples are
     * the reply to a backward call and the end of a connection.
     *
     * @throws RejectedExecutionException as {@link #execute(Lane, ClientAddress, LaneTask)}
     */
    void executeAside(ClientAddress client, LaneTask task);

    /** Runs a task that belongs to no client. */
    @Override
    default void execute(Runnable task) {
        executeAside(ClientAddress.NONE, new LaneTask() {
            @Override
            public void run() {
                task.run();
            }

            @Override
            public void refused() {
                // Like other executors, this one drops queued tasks when it is closed.
            }
        });
    }

    /** An executor without lanes: the threads of {@code executor} run everything. */
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
