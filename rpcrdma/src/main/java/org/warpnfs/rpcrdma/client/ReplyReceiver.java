package org.warpnfs.rpcrdma.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.request.RequestException.Failure;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;

/**
 * Assigns the messages of a responder to the calls of one connection.
 *
 * <h2>Operation</h2>
 *
 * A reply ends its call. A reply that arrives before its call's Send has completed waits for that completion, so that
 * all bytes of a call have been sent when it ends. A reply that is exposed in the responder's memory is read first
 * ({@link ReplyPuller}).
 *
 * <h2>Buffers</h2>
 *
 * A receive buffer may be reused when {@link #received} returns, because a reply that has to wait is copied.
 *
 * <h2>Errors</h2>
 *
 * A message that is not valid fails its call and ends the connection. Each method returns the fault, or null. A reply
 * without a call is dropped. For the owner thread only.
 */
final class ReplyReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(ReplyReceiver.class);

    /**
     * A reply that arrived before its call's Send has completed. The completion returns a fault of the reply, or null.
     */
    private record EarlyReply(PendingCall call, Supplier<@Nullable String> completion) {}

    private final QueuePair queuePair;
    private final RequesterOptions options;
    private final CallSender calls;
    private final BackwardAnswers backward;
    private final ReplyPuller puller;
    private final List<EarlyReply> early = new ArrayList<>();

    /** Calls whose replies were not valid and that fail when the connection has ended. */
    private final List<PendingCall> failed = new ArrayList<>();

    ReplyReceiver(QueuePair queuePair, RequesterOptions options, CallSender calls, BackwardAnswers backward) {
        this.queuePair = queuePair;
        this.options = options;
        this.calls = calls;
        this.backward = backward;
        puller = new ReplyPuller(options.maxReadReplyBytes());
    }

    /**
     * A message has arrived.
     *
     * @param invalidated the steering tag that the message invalidated
     */
    @Nullable
    String received(ByteBuffer message, OptionalLong invalidated) throws RpcRdmaViolation {
        RpcRdmaHeader header = RpcRdmaHeader.parse(message, HeaderLimits.DEFAULT);
        return switch (header) {
            case RdmaMsg msg
            when BackwardAnswers.isCall(msg, message) ->
                invalidated.isPresent() ? "a backward call that invalidates" : backward.answer(msg, message);
            case RdmaMsg msg -> replied(header, msg.lists(), message, invalidated);
            case RdmaNomsg nomsg -> replied(header, nomsg.lists(), message, invalidated);
            case RdmaErrorVers error -> refused(error, Failure.ERR_VERS);
            case RdmaErrorChunk error -> refused(error, Failure.ERR_CHUNK);
            case RdmaMsgp msgp -> replied(header, msgp.lists(), message, invalidated);
            case RdmaDone _ -> null;
        };
    }

    private @Nullable String replied(
            RpcRdmaHeader header, ChunkLists lists, ByteBuffer inline, OptionalLong invalidated) {
        if (!calls.expects(header.xid())) {
            LOG.atDebug()
                    .addKeyValue("xid", () -> Long.toHexString(header.xid()))
                    .log("a reply without a waiting call");
            return invalidated.isPresent() ? "an invalidation without a waiting call" : null;
        }
        PendingCall call = calls.replied(header.xid());
        calls.granted(header);
        if (call == null) {
            return null;
        }
        if (invalidated.isPresent() && (!options.remoteInvalidation() || !call.owns(invalidated.getAsLong()))) {
            failed.add(call);
            return "an invalidation that the call did not permit";
        }
        if (!calls.hasLeft(call)) {
            ByteBuffer copy =
                    ByteBuffer.allocate(inline.remaining()).put(inline).flip();
            early.add(new EarlyReply(call, () -> complete(call, header, lists, copy)));
            return null;
        }
        return complete(call, header, lists, inline);
    }

    private @Nullable String refused(RpcRdmaHeader header, Failure failure) {
        PendingCall call = calls.replied(header.xid());
        if (call == null) {
            return null;
        }
        calls.granted(header);
        Supplier<@Nullable String> completion = () -> {
            call.fail(failure, "call " + header.xid());
            return null;
        };
        if (!calls.hasLeft(call)) {
            early.add(new EarlyReply(call, completion));
            return null;
        }
        return completion.get();
    }

    private @Nullable String complete(PendingCall call, RpcRdmaHeader header, ChunkLists lists, ByteBuffer inline) {
        if (lists.readList().isEmpty() || options.maxReadReplyBytes() == 0) {
            return call.complete(header, lists, inline);
        }
        String wrong = puller.pull(queuePair, call, header, lists, inline);
        calls.owes(puller.owed());
        return wrong;
    }

    /** Sends have completed. Ends calls whose replies arrived before. */
    @Nullable
    String sendsLeft() {
        String wrong = null;
        for (Iterator<EarlyReply> replies = early.iterator(); replies.hasNext() && wrong == null; ) {
            EarlyReply reply = replies.next();
            if (calls.hasLeft(reply.call)) {
                replies.remove();
                wrong = reply.completion.get();
            }
        }
        return wrong;
    }

    /** An RDMA Read of a reply has completed. */
    @Nullable
    String readDone() {
        return puller.readDone(queuePair, call -> calls.sendDone(call, puller.owed()));
    }

    /** Whether a reply is being read whose call has passed its deadline. */
    boolean overdue(long nowNanos) {
        return puller.overdue(nowNanos);
    }

    /** The connection has ended. The calls held here fail. */
    void close(String detail) {
        failed.forEach(call -> call.fail(Failure.BAD_REPLY, detail));
        failed.clear();
        early.forEach(reply -> reply.call.fail(Failure.DISCONNECTED, detail));
        early.clear();
        puller.close().forEach(call -> call.fail(Failure.DISCONNECTED, detail));
    }
}
