package org.warpnfs.rpcrdma.tcp;

import io.netty.channel.Channel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The calls of one connection that have been started and may not begin: too much that they or others were answered has
 * not been taken.
 *
 * <h2>Operation</h2>
 *
 * They wait in the line of the {@link ReplyMemory}, on no thread. One whose connection has nothing but such calls
 * begins whatever others of its client have not taken: its peer takes its replies.
 *
 * <h2>Buffers</h2>
 *
 * A call holds its record meanwhile.
 *
 * <h2>Errors</h2>
 *
 * When the connection ends they end, and never begin. Event loop only, but for {@link #holdLater}.
 */
final class HeldCalls {
    private final Channel channel;
    private final TransportStatistics statistics;
    private final Runnable changed;
    private final Consumer<Throwable> defect;
    private final Map<TcpCall, ReplyMemory.Request> held = new LinkedHashMap<>();

    /**
     * @param channel the connection's
     * @param changed runs on its event loop when there are more or fewer of them
     * @param defect hears there of a call that could not be handed up, by a defect of ours
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

    /** Takes a call that may not begin; from any thread. */
    void holdLater(TcpCall call) {
        statistics.increment(Counter.REPLY_MEMORY_WAITS);
        count(1);
        try {
            channel.eventLoop().execute(() -> hold(call));
        } catch (RejectedExecutionException e) {
            // The event loop is gone, and the connection with it.
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

    /** If the connection has no calls but these the oldest is as good as alone. */
    void beginIfAlone(int callsInFlight) {
        if (!held.isEmpty() && held.size() == callsInFlight) {
            Map.Entry<TcpCall, ReplyMemory.Request> oldest =
                    held.entrySet().iterator().next();
            oldest.getKey().claim().alone(oldest.getValue());
        }
    }

    /** On whatever thread made room. */
    private void mayBegin(TcpCall call) {
        try {
            channel.eventLoop().execute(() -> begin(call));
        } catch (RejectedExecutionException e) {
            // It has ended with its connection.
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
            // Room came from what the connection gives back at its end.
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
        held.forEach((call, request) -> {
            call.claim().cancel(request);
            end(call);
        });
        held.clear();
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
