package org.warpnfs.rpcrdma.tcp;

import io.netty.channel.Channel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.warpnfs.limits.Each;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The calls of one connection that have been started but may not begin, because too many replies to them or to other
 * calls of the client have not been taken.
 *
 * <h2>Operation</h2>
 *
 * They wait in the queue of the {@link ReplyMemory}, on no thread. If a connection has only such calls, its peer has
 * taken all its replies. Then one call begins, whatever other connections of its client have not taken.
 *
 * <h2>Buffers</h2>
 *
 * A call holds its record while it waits.
 *
 * <h2>Errors</h2>
 *
 * When the connection ends, the calls end and never begin. For the event loop only, except {@link #holdLater}.
 */
final class HeldCalls {
    private final Channel channel;
    private final TransportStatistics statistics;
    private final Runnable changed;
    private final Consumer<Throwable> defect;
    private final Map<TcpCall, ReplyMemory.Request> held = new LinkedHashMap<>();

    /**
     * @param channel the channel of the connection
     * @param changed runs on the channel's event loop when the number of held calls changes
     * @param defect is called there if a call could not be passed up, because of a defect of ours
     */
    HeldCalls(Channel channel, TransportStatistics statistics, Runnable changed, Consumer<Throwable> defect) {
        this.channel = channel;
        this.statistics = statistics;
        this.changed = changed;
        this.defect = defect;
    }

    int count() {
        return held.size();
    }

    /** Takes a call that may not begin. May be called from any thread. */
    void holdLater(TcpCall call) {
        statistics.increment(Counter.REPLY_MEMORY_WAITS);
        count(1);
        try {
            channel.eventLoop().execute(() -> hold(call));
        } catch (RejectedExecutionException e) {
            // The event loop has stopped, and the connection has ended.
            end(call);
        }
    }

    private void hold(TcpCall call) {
        if (!channel.isActive()) {
            end(call);
            return;
        }
        held.put(call, call.claim().await(() -> mayBegin(call)));
        changed.run();
    }

    /** If the connection has only held calls, the oldest counts as its only one. */
    void beginIfAlone(int callsInFlight) {
        if (!held.isEmpty() && held.size() == callsInFlight) {
            Map.Entry<TcpCall, ReplyMemory.Request> oldest =
                    held.entrySet().iterator().next();
            oldest.getKey().claim().alone(oldest.getValue());
        }
    }

    /** A call may begin. Called on the thread that made room. */
    private void mayBegin(TcpCall call) {
        try {
            channel.eventLoop().execute(() -> begin(call));
        } catch (RejectedExecutionException e) {
            // The call has ended with its connection.
            call.claim().refuse();
        }
    }

    private void begin(TcpCall call) {
        if (held.remove(call) == null) {
            call.claim().refuse();
            return;
        }
        if (channel.isActive()) {
            count(-1);
            handUp(call);
        } else {
            // The room came from what the connection gave back at its end.
            call.claim().refuse();
            end(call);
        }
        changed.run();
    }

    private void handUp(TcpCall call) {
        try {
            call.begin();
        } catch (Throwable e) {
            call.abandon();
            defect.accept(e);
        }
    }

    /** The connection has ended. */
    void close() {
        List<Map.Entry<TcpCall, ReplyMemory.Request>> all = List.copyOf(held.entrySet());
        held.clear();
        Each.of(all, each -> {
            TcpCall call = each.getKey();
            Each.inOrder(() -> call.claim().cancel(each.getValue()), () -> end(call));
        });
    }

    private void end(TcpCall call) {
        count(-1);
        call.abandon();
    }

    private void count(int more) {
        statistics.add(Counter.CALLS_HELD, more);
        statistics.add(Counter.CALLS_RUNNING, -more);
    }
}
