package org.warpnfs.rpcrdma.oncrpc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneExecutor;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;

/**
 * The threads of each {@link Lane}, which run programs. They are platform threads, because the POSIX identity belongs
 * to a thread, and calls into the C library would pin a virtual one.
 *
 * <p>Tasks of one lane never wait for tasks of another. Tasks that are not calls wait for neither. Clients take turns.
 * A client that runs nothing gets a thread even if others have taken all for calls that do not end: see
 * {@link LaneTurns}. Threads start when they are first needed. The number of waiting tasks is bounded by the credits
 * and limits of the transports. Safe for any thread.
 */
public final class OperationThreads implements LaneExecutor, AutoCloseable {
    private final Map<Lane, LaneThreads> lanes = new EnumMap<>(Lane.class);
    private final LaneThreads aside;
    private final Lane earliest;
    private final List<LaneThreads> all = new ArrayList<>();
    private volatile BooleanSupplier mayAnswer = () -> true;

    /**
     * @param count the number of threads of each lane, at least 1; up to {@link LaneThreads#BEYOND} more while calls
     *     hold them
     */
    public OperationThreads(int count) {
        this(count, Lane.EVENT_LOOP);
    }

    /**
     * @param count the number of threads of each lane, at least 1
     * @param earliest {@link Lane#SHORT} if no call may run on an event loop
     */
    public OperationThreads(int count, Lane earliest) {
        this.earliest = earliest;
        for (Lane lane : Lane.withThreads()) {
            lanes.put(lane, new LaneThreads("operation-" + lane.name().toLowerCase(Locale.ROOT), count));
        }
        aside = new LaneThreads("operation-aside", count);
        all.addAll(lanes.values());
        all.add(aside);
    }

    @Override
    public Lane earliest() {
        return earliest;
    }

    /** From now on calls are answered only while this holds. It is asked for each reply. */
    public void answerWhile(BooleanSupplier condition) {
        mayAnswer = condition;
    }

    @Override
    public boolean mayAnswer() {
        return mayAnswer.getAsBoolean();
    }

    @Override
    public void executeAside(ClientAddress client, LaneTask task) {
        aside.execute(client, task);
    }

    @Override
    public void execute(Lane lane, ClientAddress client, LaneTask task) {
        of(lane).execute(client, task);
    }

    /** The number of tasks that wait for a thread of a lane now. */
    public int waitingCount(Lane lane) {
        return of(lane).waitingCount();
    }

    /** The number of tasks of a lane that have run for so long that new clients get other threads. */
    public int heldCount(Lane lane) {
        return of(lane).heldCount();
    }

    /** The number of tasks that run in a lane now. */
    public int runningCount(Lane lane) {
        return of(lane).runningCount();
    }

    private LaneThreads of(Lane lane) {
        LaneThreads threads = lanes.get(lane);
        if (threads == null) {
            throw new IllegalArgumentException("lane " + lane + " has no threads of its own");
        }
        return threads;
    }

    /**
     * Accepts no more tasks, and waits for those that run or wait. A task that continues in another lane from then on
     * is refused.
     *
     * @return false if some still run after {@code limit}
     */
    public boolean drain(Duration limit) {
        long begin = System.nanoTime();
        all.forEach(LaneThreads::stopTaking);
        try {
            // The first threads may have started others for tasks that still waited.
            for (List<Thread> alive = alive(); !alive.isEmpty(); alive = alive()) {
                Duration left = limit.minusNanos(System.nanoTime() - begin);
                if (!alive.getFirst().join(left.isNegative() ? Duration.ZERO : left)) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private List<Thread> alive() {
        return all.stream()
                .flatMap(lane -> lane.threads().stream())
                .filter(Thread::isAlive)
                .toList();
    }

    /** Accepts no more tasks, interrupts those that run, and refuses those that wait. */
    @Override
    public void close() {
        all.forEach(LaneThreads::close);
    }
}
