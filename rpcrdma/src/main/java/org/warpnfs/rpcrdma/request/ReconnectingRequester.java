package org.warpnfs.rpcrdma.request;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.Each;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.RequestException.Failure;

/**
 * A requester that reconnects when its connection ends.
 *
 * <h2>Operation</h2>
 *
 * Calls whose connection ended are sent again on the next connection with the same XID, so that a responder with a
 * reply cache recognizes them. The first call connects, and so does the first call after all attempts have failed.
 *
 * <pre>
 * state        event                              state after
 * idle         call                               connecting
 * connecting   connected                          connected; waiting calls are sent
 * connecting   failed, attempts left              pausing
 * connecting   failed, no attempts left           idle; waiting calls fail
 * pausing      the pause is over                  connecting
 * connected    ended, attempts left               pausing if calls wait, else idle
 * connected    ended, no attempts left            idle; waiting calls fail
 * any          close()                            closed; waiting and later calls fail
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * Payloads and sinks belong to the call until it ends here. A connection that failed no longer accesses them.
 *
 * <h2>Errors</h2>
 *
 * Calls fail with {@link Failure#DISCONNECTED} when the attempts are used up, with the reason of the last attempt. They
 * fail with {@link Failure#REFUSED} if there are more calls than the policy allows. Safe for any thread.
 */
public final class ReconnectingRequester implements Requester {
    /** Runs a task later. */
    @FunctionalInterface
    public interface Timer {
        void after(long delayNanos, Runnable task);
    }

    private enum State {
        IDLE,
        CONNECTING,
        PAUSING,
        CONNECTED,
        CLOSED
    }

    private final Supplier<? extends CompletableFuture<? extends Requester>> connections;
    private final RetryPolicy policy;
    private final Timer timer;
    private final Object lock = new Object();
    private final Queue<Attempt> waiting = new ArrayDeque<>();
    private int sent;
    private State state = State.IDLE;
    private volatile @Nullable Requester current;
    private volatile InetSocketAddress localAddress = new InetSocketAddress(0);
    private volatile InetSocketAddress remoteAddress = new InetSocketAddress(0);
    private int failures;
    private @Nullable Requester repliedOn;

    /** @param connections starts to connect; the future fails with a {@link RequestException} */
    public ReconnectingRequester(
            Supplier<? extends CompletableFuture<? extends Requester>> connections, RetryPolicy policy, Timer timer) {
        this.connections = connections;
        this.policy = policy;
        this.timer = timer;
    }

    @Override
    public void call(RpcMessage message, ChunkOffer offer, long deadlineNanos, ReplyHandler handler) {
        // Throws now if the message has no XID. Without one the call could not even be refused later.
        var _ = message.xid();
        Attempt attempt = new Attempt(message, offer, deadlineNanos, handler);
        String refusal = null;
        synchronized (lock) {
            if (state == State.CLOSED) {
                refusal = "the requester is closed";
            } else if (waiting.size() + sent >= policy.maxCalls()) {
                refusal = "too many calls wait";
            } else {
                waiting.add(attempt);
            }
        }
        if (refusal != null) {
            attempt.end(new RequestException(Failure.REFUSED, refusal));
            return;
        }
        proceed();
    }

    /** Sends the waiting calls or connects, as the state requires. */
    private void proceed() {
        Requester known = current;
        if (known != null && !known.open()) {
            // The connection ended while no call was outstanding, so nothing reported it.
            lost(known, new RequestException(Failure.DISCONNECTED, "the connection has ended"));
        }
        Requester on = null;
        List<Attempt> now = List.of();
        boolean connect = false;
        synchronized (lock) {
            if (state == State.CONNECTED) {
                on = current;
                now = new ArrayList<>(waiting);
                sent += now.size();
                waiting.clear();
            } else if (state == State.IDLE && !waiting.isEmpty()) {
                connect = true;
                state = State.CONNECTING;
            }
        }
        if (connect) {
            connect();
        } else if (on != null) {
            for (Attempt attempt : now) {
                attempt.sendOn(on);
            }
        }
    }

    private void connect() {
        CompletableFuture<? extends Requester> connecting;
        try {
            connecting = connections.get();
        } catch (IllegalStateException e) {
            connecting = CompletableFuture.failedFuture(e);
        }
        var _ = connecting.whenComplete((requester, failure) -> {
            if (failure == null) {
                connected(requester);
            } else {
                lost(null, asRequestException(failure));
            }
        });
    }

    private void connected(Requester requester) {
        boolean wanted;
        synchronized (lock) {
            wanted = state == State.CONNECTING;
            if (wanted) {
                state = State.CONNECTED;
                current = requester;
                localAddress = requester.localAddress();
                remoteAddress = requester.remoteAddress();
            }
        }
        if (wanted) {
            proceed();
        } else {
            requester.close();
        }
    }

    /**
     * A connection could not be made, or has ended.
     *
     * @param ended the connection that has ended; null if it was never made
     */
    private void lost(@Nullable Requester ended, RequestException why) {
        List<Attempt> given = new ArrayList<>();
        long pauseNanos = -1;
        synchronized (lock) {
            boolean ours = ended == null ? state == State.CONNECTING : state == State.CONNECTED && ended == current;
            if (!ours) {
                return;
            }
            current = ended == null ? current : null;
            failures = ended != null && ended == repliedOn ? 0 : failures + 1;
            repliedOn = null;
            state = State.IDLE;
            if (failures >= policy.attempts()) {
                failures = 0;
                given.addAll(waiting);
                waiting.clear();
            } else if (!waiting.isEmpty() || sent > 0) {
                state = State.PAUSING;
                pauseNanos = policy.delayNanos(failures);
            }
        }
        endAll(given, why);
        if (pauseNanos == 0) {
            pauseOver();
        } else if (pauseNanos > 0) {
            timer.after(pauseNanos, this::pauseOver);
        }
    }

    private void pauseOver() {
        synchronized (lock) {
            if (state != State.PAUSING) {
                return;
            }
            state = State.IDLE;
        }
        proceed();
    }

    @Override
    public void endOverdue(long nowNanos) {
        List<Attempt> over = new ArrayList<>();
        Requester on;
        synchronized (lock) {
            for (Iterator<Attempt> attempts = waiting.iterator(); attempts.hasNext(); ) {
                Attempt attempt = attempts.next();
                if (attempt.deadlineNanos != NO_DEADLINE && nowNanos - attempt.deadlineNanos > 0) {
                    attempts.remove();
                    over.add(attempt);
                }
            }
            on = current;
        }
        try {
            endAll(over, new RequestException(Failure.TIMED_OUT, "no connection was made in time"));
        } finally {
            if (on != null) {
                on.endOverdue(nowNanos);
            }
        }
    }

    /** Ends each of them, even if the handler of one throws, since nobody else would. */
    private static void endAll(List<Attempt> attempts, RequestException why) {
        Each.of(attempts, attempt -> attempt.end(why));
    }

    /** True once {@link #close()} was called. */
    public boolean closed() {
        synchronized (lock) {
            return state == State.CLOSED;
        }
    }

    @Override
    public boolean open() {
        Requester on = current;
        return on != null && on.open();
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public void close() {
        List<Attempt> given;
        Requester on;
        synchronized (lock) {
            state = State.CLOSED;
            given = new ArrayList<>(waiting);
            waiting.clear();
            on = current;
        }
        endAll(given, new RequestException(Failure.DISCONNECTED, "the requester was closed"));
        if (on != null) {
            on.close();
        }
    }

    private static RequestException asRequestException(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof RequestException known
                ? known
                : new RequestException(Failure.DISCONNECTED, String.valueOf(cause.getMessage()));
    }

    /** One call, on any of the connections. */
    private final class Attempt implements ReplyHandler {
        private final RpcMessage message;
        private final ChunkOffer offer;
        private final long deadlineNanos;
        private final ReplyHandler handler;
        private @Nullable Requester on;
        private int timesSent;

        Attempt(RpcMessage message, ChunkOffer offer, long deadlineNanos, ReplyHandler handler) {
            this.message = message;
            this.offer = offer;
            this.deadlineNanos = deadlineNanos;
            this.handler = handler;
        }

        /**
         * Sends the call on a connection. The connection releases the payloads that it is given, so it is given views,
         * because the payloads may be needed again.
         */
        void sendOn(Requester requester) {
            on = requester;
            timesSent++;
            List<RpcMessage.Item> views = new ArrayList<>(message.items().size());
            for (RpcMessage.Item item : message.items()) {
                views.add(new RpcMessage.Item(
                        item.offsetBytes(), Payload.unpooled(item.payload().bytes())));
            }
            requester.call(new RpcMessage(message.xdr(), views), offer, deadlineNanos, this);
        }

        @Override
        public void replied(XdrStream reply, List<ByteBuffer> written) {
            synchronized (lock) {
                sent--;
                repliedOn = on;
                failures = 0;
            }
            message.release();
            handler.replied(reply, written);
        }

        @Override
        public void failed(RequestException why) {
            boolean again;
            synchronized (lock) {
                sent--;
                again = why.failure() == Failure.DISCONNECTED && state != State.CLOSED && timesSent < policy.attempts();
                if (again) {
                    waiting.add(this);
                }
            }
            if (!again) {
                end(why);
            }
            if (why.failure() == Failure.DISCONNECTED && on != null) {
                lost(on, why);
                // Another connection may have been made already.
                proceed();
            }
        }

        void end(RequestException why) {
            try {
                message.release();
            } finally {
                handler.failed(why);
            }
        }
    }
}
