package org.warpnfs.rpcrdma.client;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;

/**
 * The requester's end of one RDMA connection.
 *
 * <h2>Operation</h2>
 *
 * One call may be outstanding until the first reply, then as many as the last reply granted (RFC 8166 section 3.3.3); the rest
 * wait. Calls of the responder's (RFC 8167) are answered by a function, inline.
 *
 * <h2>Buffers</h2>
 *
 * A call's payloads, sources and sinks are registered while it is outstanding and not touched afterwards. Payloads are released
 * when it ends.
 *
 * <h2>Errors</h2>
 *
 * A call fails with {@link RequestException}. When the connection ends, all of them fail; nothing is repeated. Safe for any
 * thread; results complete on the connection's owner thread.
 */
public final class RpcRdmaRequester implements AutoCloseable {
    private static final int DIRECTION_OFFSET_BYTES = 4;
    private static final int DIRECTION_CALL = 0;

    private final RequesterOptions options;
    private final UnaryOperator<ByteBuffer> backwardCalls;
    private final CompletableFuture<RpcRdmaRequester> connected = new CompletableFuture<>();
    private final Map<Long, PendingCall> outstanding = new HashMap<>();
    private final Queue<PendingCall> waiting = new ArrayDeque<>();
    private final List<ByteBuffer> receives = new ArrayList<>();
    private volatile @Nullable QueuePair queuePair;
    private volatile @Nullable ConnectionParameters parameters;
    private int granted = 1;
    private int inlineLimitBytes;
    private boolean ended;
    private long nextId;

    private RpcRdmaRequester(RequesterOptions options, UnaryOperator<ByteBuffer> backwardCalls) {
        this.options = options;
        this.backwardCalls = backwardCalls;
    }

    /**
     * Connects.
     *
     * @param backwardCalls answers a call of the responder's: RPC message in, reply out; called on the owner thread
     */
    public static CompletableFuture<RpcRdmaRequester> connect(
            Connector connector,
            InetSocketAddress remote,
            RequesterOptions options,
            UnaryOperator<ByteBuffer> backwardCalls) {
        RpcRdmaRequester requester = new RpcRdmaRequester(options, backwardCalls);
        ByteBuffer privateData = options.privateData().encoded();
        connector.connect(remote, new ConnectOptions(privateData, options.ird(), 0), requester.new Events());
        return requester.connected;
    }

    /**
     * Makes a call.
     *
     * @param message begins with its XID, which no other outstanding call may have
     * @param offer memory for what the reply may bring beside its inline part
     */
    public CompletableFuture<RequesterReply> call(RpcMessage message, ChunkOffer offer) {
        CompletableFuture<RequesterReply> result = new CompletableFuture<>();
        QueuePair qp = queuePair();
        qp.execute(() -> {
            PendingCall call = new PendingCall(message, offer, result);
            if (ended) {
                call.fail(RequestException.Failure.DISCONNECTED, "the connection has ended");
                return;
            }
            waiting.add(call);
            sendWaiting(qp);
            qp.flush();
        });
        return result;
    }

    /** What was agreed on while connecting. */
    public ConnectionParameters parameters() {
        ConnectionParameters agreed = parameters;
        if (agreed == null) {
            throw new IllegalStateException("not connected yet");
        }
        return agreed;
    }

    /** True while the connection lasts. */
    public boolean open() {
        QueuePair qp = queuePair;
        return qp != null && qp.connected();
    }

    /** Ends the connection; calls that are outstanding fail. */
    @Override
    public void close() {
        QueuePair qp = queuePair();
        qp.execute(qp::disconnect);
    }

    private QueuePair queuePair() {
        QueuePair qp = queuePair;
        if (qp == null) {
            throw new IllegalStateException("not connected yet");
        }
        return qp;
    }

    private void sendWaiting(QueuePair qp) {
        while (outstanding.size() < granted && qp.connected()) {
            PendingCall call = waiting.poll();
            if (call == null) {
                return;
            }
            if (outstanding.putIfAbsent(call.xid(), call) != null) {
                call.fail(RequestException.Failure.BAD_REPLY, "XID " + call.xid() + " is already outstanding");
                continue;
            }
            PendingCall.Marshalled marshalled = call.marshal(qp, options.credits(), inlineLimitBytes);
            send(qp, marshalled.header(), marshalled.inline());
        }
    }

    private void send(QueuePair qp, RpcRdmaHeader header, List<ByteBuffer> inline) {
        List<ByteBuffer> gather = new ArrayList<>(1 + inline.size());
        gather.add(header.encoded());
        gather.addAll(inline);
        qp.post(new WorkRequest.Send(nextId++, gather, false, OptionalLong.empty()));
    }

    private void received(QueuePair qp, ByteBuffer message) throws RpcRdmaViolation {
        RpcRdmaHeader header = RpcRdmaHeader.parse(message, HeaderLimits.DEFAULT);
        switch (header) {
            case RdmaMsg msg
            when isBackwardCall(msg, message) -> {
                ByteBuffer reply = backwardCalls.apply(message);
                send(qp, new RdmaMsg(msg.xid(), options.backwardCredits(), ChunkLists.NONE), List.of(reply));
            }
            case RdmaMsg msg -> completed(header, msg.lists(), message);
            case RdmaNomsg nomsg -> completed(header, nomsg.lists(), message);
            case RdmaErrorVers error -> failed(error, RequestException.Failure.ERR_VERS);
            case RdmaErrorChunk error -> failed(error, RequestException.Failure.ERR_CHUNK);
            case RdmaMsgp msgp -> failed(msgp, RequestException.Failure.BAD_REPLY);
            case RdmaDone _ -> {}
        }
    }

    private static boolean isBackwardCall(RdmaMsg msg, ByteBuffer message) {
        return msg.lists().isEmpty()
                && message.remaining() >= 2 * DIRECTION_OFFSET_BYTES
                && message.getInt(message.position() + DIRECTION_OFFSET_BYTES) == DIRECTION_CALL;
    }

    private void completed(RpcRdmaHeader header, ChunkLists lists, ByteBuffer inline) {
        PendingCall call = outstanding.remove(header.xid());
        granted = grantOf(header);
        if (call != null) {
            call.complete(header, lists, inline);
        }
    }

    private void failed(RpcRdmaHeader header, RequestException.Failure failure) {
        PendingCall call = outstanding.remove(header.xid());
        granted = grantOf(header);
        if (call != null) {
            call.fail(failure, "call " + header.xid());
        }
    }

    private int grantOf(RpcRdmaHeader header) {
        return (int) Math.clamp(header.credits(), 1L, options.credits());
    }

    private final class Events implements QueuePairHandler {
        @Override
        public void created(QueuePair qp) {
            queuePair = qp;
            int count = options.credits() + options.backwardCredits();
            ByteBuffer slab = ByteBuffer.allocateDirect(count * options.inlineReceiveBytes());
            for (int i = 0; i < count; i++) {
                receives.add(slab.slice(i * options.inlineReceiveBytes(), options.inlineReceiveBytes()));
                qp.postReceive(i, receives.get(i));
            }
        }

        @Override
        public void established(QueuePair qp) {
            ConnectionParameters agreed = qp.parameters();
            parameters = agreed;
            PrivateData peer = PrivateData.parse(agreed.peerPrivateData()).orElse(PrivateData.ABSENT);
            inlineLimitBytes = Math.min(options.inlineSendBytes(), peer.receiveBytes());
            connected.complete(RpcRdmaRequester.this);
            sendWaiting(qp);
            qp.flush();
        }

        @Override
        public void completed(QueuePair qp, Completion completion) {
            if (completion instanceof Completion.Received received && received.status() == CompletionStatus.SUCCESS) {
                try {
                    received(qp, received.buffer());
                } catch (RpcRdmaViolation violation) {
                    qp.abort(String.valueOf(violation.getMessage()));
                }
                int number = (int) received.workRequestId();
                qp.postReceive(number, receives.get(number).clear());
                sendWaiting(qp);
            }
        }

        @Override
        public void completionsDrained(QueuePair qp) {
            qp.flush();
        }

        @Override
        public void disconnected(QueuePair qp, DisconnectReason reason) {
            ended = true;
            String detail = reason.cause() + ": " + reason.detail();
            connected.completeExceptionally(new RequestException(RequestException.Failure.DISCONNECTED, detail));
            List<PendingCall> failed = new ArrayList<>(outstanding.values());
            failed.addAll(waiting);
            outstanding.clear();
            waiting.clear();
            failed.forEach(call -> call.fail(RequestException.Failure.DISCONNECTED, detail));
        }
    }
}
