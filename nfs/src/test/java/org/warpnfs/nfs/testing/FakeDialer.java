package org.warpnfs.nfs.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.warpnfs.nfs.v4.callback.CallbackDialer;

/** A dialer that connects to nobody. Each attempt waits for the test, and so does the clock. */
public final class FakeDialer implements CallbackDialer {
    /** An attempt, and the connection that it leads to. */
    public static final class Attempt implements Connection {
        public final InetSocketAddress remote;
        public final ReplyKeeper transport;
        private final CompletableFuture<Connection> future = new CompletableFuture<>();
        private boolean closed;

        Attempt(InetSocketAddress remote) {
            this.remote = remote;
            this.transport = new ReplyKeeper(remote);
        }

        public boolean closed() {
            return closed;
        }

        /** The server's next call, or null. The caller reads it from after the RPC header. */
        public byte[] nextCall() {
            return transport.nextBackwardCall();
        }

        /** Sends a client's reply, accepted and successful. */
        public void answer(int xid, int... results) {
            try {
                transport.answerBackward(new CallWriter()
                        .words(xid, 1, 0, 0, 0, 0)
                        .words(results)
                        .toBytes());
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        public void succeed() {
            future.complete(this);
        }

        public void fail() {
            future.completeExceptionally(new IOException("refused"));
        }

        @Override
        public RpcTransport transport() {
            return transport;
        }

        @Override
        public void close() {
            closed = true;
            transport.end();
        }
    }

    private static final class Timer extends CompletableFuture<Void> {
        final long atNanos;
        final Runnable task;

        Timer(long atNanos, Runnable task) {
            this.atNanos = atNanos;
            this.task = task;
        }
    }

    public final List<Attempt> attempts = new ArrayList<>();
    private final List<Timer> timers = new ArrayList<>();
    private long nowNanos;

    public Attempt last() {
        return attempts.getLast();
    }

    public long open() {
        return attempts.stream().filter(attempt -> !attempt.closed()).count();
    }

    /** Number of timers that are still running. */
    public long waiting() {
        return timers.stream().filter(timer -> !timer.isDone()).count();
    }

    public void pass(long nanos) {
        nowNanos += nanos;
        List<Timer> due;
        do {
            due = timers.stream()
                    .filter(timer -> !timer.isDone() && timer.atNanos <= nowNanos)
                    .toList();
            for (Timer timer : due) {
                if (timer.complete(null)) {
                    timer.task.run();
                }
            }
        } while (!due.isEmpty());
    }

    @Override
    public CompletionStage<Connection> dial(InetSocketAddress remote) {
        attempts.add(new Attempt(Objects.requireNonNull(remote)));
        return last().future;
    }

    @Override
    public Future<?> after(long delayNanos, Runnable task) {
        timers.add(new Timer(nowNanos + delayNanos, task));
        return timers.getLast();
    }
}
