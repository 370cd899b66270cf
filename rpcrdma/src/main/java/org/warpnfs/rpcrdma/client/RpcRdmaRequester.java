package org.warpnfs.rpcrdma.client;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.RequestException.Failure;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;

/**
 * The requester's end of one RDMA connection.
 *
 * <h2>Operation</h2>
 *
 * Calls are sent as credits allow ({@link CallSender}), and their replies end them ({@link ReplyReceiver}). Calls that
 * are made at about the same time are sent with one flush. This class accepts calls on any thread and manages the
 * beginning and the end of the connection.
 *
 * <h2>Buffers</h2>
 *
 * A call's payloads, sources and sinks are registered while it is outstanding. They are given back when no more bytes
 * of them can be sent or placed.
 *
 * <h2>Errors</h2>
 *
 * A reply that is not valid fails its call and ends the connection. When the connection ends, all calls fail. Calls are
 * not repeated ({@link org.warpnfs.rpcrdma.request.ReconnectingRequester} does that). Safe for any thread. Handlers are
 * called on the connection's owner thread.
 */
public final class RpcRdmaRequester implements Requester {
    private static final Logger LOG = LoggerFactory.getLogger(RpcRdmaRequester.class);

    /** The parts that exist once the queue pair has been created. */
    private record Parts(QueuePair queuePair, CallSender calls, ReplyReceiver replies) {}

    private final RequesterOptions options;
    private final BackwardCalls backwardCalls;
    private final CompletableFuture<RpcRdmaRequester> connected = new CompletableFuture<>();
    private final Queue<PendingCall> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicInteger submittedCount = new AtomicInteger();
    private final AtomicBoolean submissionScheduled = new AtomicBoolean();
    private volatile @Nullable Parts parts;
    private volatile @Nullable ConnectionParameters parameters;

    private RpcRdmaRequester(RequesterOptions options, BackwardCalls backwardCalls) {
        this.options = options;
        this.backwardCalls = backwardCalls;
    }

    /**
     * Connects.
     *
     * @param backwardCalls answers the calls of the responder
     */
    public static CompletableFuture<RpcRdmaRequester> connect(
            Connector connector, InetSocketAddress remote, RequesterOptions options, BackwardCalls backwardCalls) {
        RpcRdmaRequester requester = new RpcRdmaRequester(options, backwardCalls);
        ByteBuffer privateData = options.privateData().encoded();
        connector.connect(
                remote, new ConnectOptions(privateData, options.ird(), options.ord()), requester.new Events());
        return requester.connected;
    }

    /** Connects. Backward calls are answered immediately: RPC message in, reply out. */
    public static CompletableFuture<RpcRdmaRequester> connect(
            Connector connector,
            InetSocketAddress remote,
            RequesterOptions options,
            UnaryOperator<ByteBuffer> backwardCalls) {
        return connect(connector, remote, options, BackwardCalls.answeredBy(backwardCalls));
    }

    @Override
    public void call(RpcMessage message, ChunkOffer offer, long deadlineNanos, ReplyHandler handler) {
        PendingCall call = new PendingCall(message, offer, deadlineNanos, handler);
        Parts p = parts();
        if (submittedCount.incrementAndGet() > CallSender.MAX_WAITING) {
            submittedCount.decrementAndGet();
            call.fail(Failure.REFUSED, "too many calls wait");
            return;
        }
        submitted.add(call);
        if (submissionScheduled.compareAndSet(false, true)) {
            p.queuePair.execute(() -> takeSubmitted(p));
        }
    }

    private void takeSubmitted(Parts p) {
        // Cleared first, so that a call added from now on schedules the next round.
        submissionScheduled.set(false);
        for (PendingCall call = submitted.poll(); call != null; call = submitted.poll()) {
            submittedCount.decrementAndGet();
            p.calls.add(call);
        }
        p.calls.sendWaiting();
        p.queuePair.flush();
    }

    /** The parameters that were agreed on while connecting. */
    public ConnectionParameters parameters() {
        ConnectionParameters agreed = parameters;
        if (agreed == null) {
            throw new IllegalStateException("not connected yet");
        }
        return agreed;
    }

    @Override
    public InetSocketAddress localAddress() {
        return parameters().localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return parameters().remoteAddress();
    }

    @Override
    public boolean open() {
        Parts p = parts;
        return p != null && p.queuePair.connected();
    }

    @Override
    public void endOverdue(long nowNanos) {
        Parts p = parts();
        p.queuePair.execute(() -> p.calls.endOverdue(nowNanos, p.replies.overdue(nowNanos)));
    }

    @Override
    public void close() {
        QueuePair queuePair = parts().queuePair;
        queuePair.execute(queuePair::disconnect);
    }

    private Parts parts() {
        Parts p = parts;
        if (p == null) {
            throw new IllegalStateException("not connected yet");
        }
        return p;
    }

    /** The events of the queue pair. */
    private final class Events implements QueuePairHandler {
        private final List<ByteBuffer> receives = new ArrayList<>();

        @Override
        public void created(QueuePair queuePair) {
            CallSender calls = new CallSender(queuePair, options);
            BackwardAnswers backward = new BackwardAnswers(queuePair, options, backwardCalls, calls);
            parts = new Parts(queuePair, calls, new ReplyReceiver(queuePair, options, calls, backward));
            int count = options.credits() + options.backwardCredits();
            ByteBuffer slab = ByteBuffer.allocateDirect(count * options.inlineReceiveBytes());
            for (int i = 0; i < count; i++) {
                receives.add(slab.slice(i * options.inlineReceiveBytes(), options.inlineReceiveBytes()));
                queuePair.postReceive(i, receives.get(i));
            }
        }

        @Override
        public void established(QueuePair queuePair) {
            ConnectionParameters agreed = queuePair.parameters();
            parameters = agreed;
            PrivateData peer = PrivateData.parse(agreed.peerPrivateData()).orElse(PrivateData.ABSENT);
            parts().calls.setInlineLimit(Math.min(options.inlineSendBytes(), peer.receiveBytes()));
            connected.complete(RpcRdmaRequester.this);
            parts().calls.sendWaiting();
            queuePair.flush();
        }

        @Override
        public void completed(QueuePair queuePair, Completion completion) {
            if (completion.status() != CompletionStatus.SUCCESS) {
                return;
            }
            Parts p = parts();
            if (completion instanceof Completion.Sent sent) {
                p.calls.sent(sent.workRequestId());
                abortIf(queuePair, p.replies.sendsLeft());
            } else if (completion instanceof Completion.Received received) {
                received(p, received);
            } else if (completion instanceof Completion.ReadDone) {
                abortIf(queuePair, p.replies.readDone());
                p.calls.sendWaiting();
            }
        }

        private void received(Parts p, Completion.Received received) {
            String wrong;
            try {
                wrong = p.replies.received(received.buffer(), received.invalidatedStag());
            } catch (RpcRdmaViolation violation) {
                wrong = String.valueOf(violation.getMessage());
            }
            if (abortIf(p.queuePair, wrong)) {
                return;
            }
            int number = (int) received.workRequestId();
            p.queuePair.postReceive(number, receives.get(number).clear());
            p.calls.sendWaiting();
        }

        private boolean abortIf(QueuePair queuePair, @Nullable String wrong) {
            if (wrong != null) {
                LOG.info("{} sent {}", queuePair.parameters().remoteAddress(), wrong);
                queuePair.abort(wrong);
            }
            return wrong != null;
        }

        @Override
        public void completionsDrained(QueuePair queuePair) {
            queuePair.flush();
        }

        @Override
        public void disconnected(QueuePair queuePair, DisconnectReason reason) {
            String detail = reason.cause() + ": " + reason.detail();
            connected.completeExceptionally(new RequestException(Failure.DISCONNECTED, detail));
            Parts p = parts;
            if (p != null) {
                p.calls.stop();
                p.replies.close(detail);
                p.calls.close(detail);
            }
        }
    }
}
