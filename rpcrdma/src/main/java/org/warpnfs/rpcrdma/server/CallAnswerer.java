package org.warpnfs.rpcrdma.server;

import java.util.List;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.chunk.Invalidation;
import org.warpnfs.rpcrdma.chunk.ReadReplyPlan;
import org.warpnfs.rpcrdma.chunk.ReplyPlan;
import org.warpnfs.rpcrdma.chunk.SinkWrite;
import org.warpnfs.rpcrdma.credit.CreditLedger;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.server.ReplySender.Leaving;
import org.warpnfs.rpcrdma.server.ReplySender.Outgoing;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.trace.CallTrace.ReplyKind;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * Makes the answers of one connection: replies if their calls' chunks permit, else errors. Each answer grants credits.
 *
 * <h2>Operation</h2>
 *
 * If a busy requester wants more credits, more receive buffers are posted first, as far as the budget allows. If the
 * requester permits it, the reply invalidates its steering tag (RFC 8797, section 3.2).
 *
 * <h2>Buffers</h2>
 *
 * A reply's payloads are passed to the {@link ReplySender}, or released if the reply cannot be sent.
 *
 * <h2>Errors</h2>
 *
 * A reply that does not fit becomes ERR_CHUNK (RFC 8166, section 4.5.3), unless it may be exposed
 * ({@link ExposedReplies}). For the owner thread only.
 */
final class CallAnswerer {
    private static final Logger LOG = LoggerFactory.getLogger(CallAnswerer.class);

    private final ResponderContext context;
    private final TransportStatistics statistics;
    private final PrivateData peer;
    private volatile int inlineLimitBytes;
    private final ReceiveBuffers receives;
    private final CreditLedger credits;
    private final MemoryQueue memory;
    private final ReplySender sender;
    private final ExposedReplies exposed;
    private int creditsCounted;
    private int heard;
    private boolean inUse;

    CallAnswerer(ResponderContext context, PrivateData peer, CallLife.Line line, MemoryQueue memory) {
        this.context = context;
        this.statistics = context.statistics();
        this.peer = peer;
        this.inlineLimitBytes = Math.min(context.options().inlineSendBytes(), peer.receiveBytes());
        this.receives = line.receives();
        this.credits = line.credits();
        this.memory = memory;
        this.sender = line.sender();
        this.exposed = line.exposed();
    }

    /** The largest message that the requester receives from us. */
    int inlineLimitBytes() {
        return inlineLimitBytes;
    }

    /**
     * Limits inline replies to what the requester takes (RFC 5666, section 6.2). A limit below the size that every
     * requester must take has no effect.
     */
    void limitReplies(long bytes) {
        int mostBytes = context.options().inlineSendBytes();
        inlineLimitBytes = Math.clamp(bytes, Math.min(PrivateData.UNIT_BYTES, mostBytes), mostBytes);
    }

    /** The connection is established. The requester may have one call outstanding. */
    void opened() {
        countCredits(1);
    }

    /**
     * A message has arrived. A connection that is in use gets its receive buffers. One that has been mounted and is
     * idle keeps its first ones, so that thousands of them hold little.
     */
    void heard() {
        heard++;
        if (!inUse && heard == context.options().messagesInUse()) {
            takeIntoUse();
        }
    }

    private void takeIntoUse() {
        inUse = true;
        grow(context.options().credits() - credits.buffers());
    }

    /** Messages are counted from here on. To be called at regular times. */
    void look() {
        heard = 0;
    }

    /** The connection has ended. */
    void closed() {
        countCredits(0);
    }

    /**
     * Answers a call that has ended.
     *
     * @param leaving is told when the answer is sent
     */
    void reply(RdmaCall call, RpcMessage reply, Leaving leaving) {
        growIfBusy(call.creditsWanted());
        ReplyPlan plan;
        try {
            plan = ReplyPlan.of(reply, call.lists(), inlineLimitBytes);
        } catch (RuntimeException | Error e) {
            try {
                reply.release();
            } finally {
                leaving.posting().run();
                leaving.left().run();
            }
            throw e;
        }
        switch (plan) {
            case ReplyPlan.Fits fits
            when fits.writes().size() <= sender.maxWrites() -> send(call, reply, fits, leaving);
            case ReplyPlan.Fits fits ->
                refuse(call, reply, "reply of " + fits.writes().size() + " RDMA Writes", leaving);
            case ReplyPlan.TooBig tooBig -> expose(call, reply, tooBig.detail(), leaving);
        }
    }

    /** Answers a call whose body is not valid. */
    void refuse(RdmaCall call, String detail, Leaving leaving) {
        LOG.atDebug().addKeyValue("xid", () -> Long.toHexString(call.xid())).log("a call is refused: {}", detail);
        statistics.increment(Counter.ERR_CHUNK_MALFORMED_SENT);
        sendError(call, leaving);
    }

    /** Answers a message that is no valid call. */
    void refuse(RpcRdmaViolation violation, Leaving leaving) {
        switch (violation.answer()) {
            case ERR_VERS -> {
                statistics.increment(Counter.ERR_VERS_SENT);
                int grant = grant(credits.granted());
                sendError(RdmaErrorVers.onlyVersion1(violation.xid(), violation.version(), grant), leaving);
            }
            case ERR_CHUNK -> {
                statistics.increment(Counter.ERR_CHUNK_MALFORMED_SENT);
                sendError(RdmaErrorChunk.of(violation.xid(), grant(credits.granted())), leaving);
            }
            case DROP -> throw new IllegalArgumentException("a violation that is to be dropped has no answer");
        }
    }

    private void send(RdmaCall call, RpcMessage reply, ReplyPlan.Fits plan, Leaving leaving) {
        int grant = grant(call.creditsWanted());
        RpcRdmaHeader header = plan.longReply()
                ? new RdmaNomsg(call.xid(), grant, plan.lists())
                : new RdmaMsg(call.xid(), grant, plan.lists());
        count(plan);
        trace(call, plan.longReply() ? ReplyKind.LONG : ReplyKind.INLINE, header, plan.inlineBytes(), plan.writes());
        sender.send(new Outgoing(plan.writes(), header, plan.inline(), invalidation(call), reply, leaving));
    }

    private OptionalLong invalidation(RdmaCall call) {
        return context.options().remoteInvalidation() && peer.remoteInvalidation()
                ? Invalidation.candidate(call.lists())
                : OptionalLong.empty();
    }

    /** Exposes a reply that fits nowhere else, for a requester of RFC 5666 to read. */
    private void expose(RdmaCall call, RpcMessage reply, String detail, Leaving leaving) {
        ReadReplyPlan plan = exposed.allowed()
                ? ReadReplyPlan.of(reply, call.lists(), inlineLimitBytes).orElse(null)
                : null;
        if (plan == null || plan.writes().size() > sender.maxWrites()) {
            refuse(call, reply, detail, leaving);
            return;
        }
        List<ReadSegment> readList = exposed.expose(call.xid(), plan).orElse(null);
        if (readList == null) {
            refuse(call, reply, detail + ", and the limit of exposed replies is reached", leaving);
            return;
        }
        ChunkLists lists =
                new ChunkLists(readList, plan.lists().writeList(), plan.lists().replyChunk());
        int grant = grant(call.creditsWanted());
        RpcRdmaHeader header =
                plan.longReply() ? new RdmaNomsg(call.xid(), grant, lists) : new RdmaMsg(call.xid(), grant, lists);
        statistics.increment(Counter.REPLIES_SENT);
        countWritten(lists);
        trace(call, ReplyKind.EXPOSED, header, reply.xdr().remaining(), plan.writes());
        sender.send(new Outgoing(plan.writes(), header, plan.inline(), invalidation(call), reply, leaving));
    }

    private static void trace(
            RdmaCall call, ReplyKind kind, RpcRdmaHeader header, int inlineBytes, List<SinkWrite> writes) {
        long writtenBytes = 0;
        for (SinkWrite write : writes) {
            writtenBytes += write.lengthBytes();
        }
        call.trace()
                .replied(kind, header.encodedLengthBytes() + (long) inlineBytes, writtenBytes, (int) header.credits());
    }

    private void count(ReplyPlan.Fits plan) {
        statistics.increment(Counter.REPLIES_SENT);
        if (plan.longReply()) {
            statistics.increment(Counter.LONG_REPLIES);
        }
        countWritten(plan.lists());
    }

    private void countWritten(ChunkLists lists) {
        for (WriteChunk chunk : lists.writeList()) {
            statistics.add(Counter.WRITE_CHUNK_BYTES, chunk.lengthBytes());
        }
        lists.replyChunk().ifPresent(chunk -> statistics.add(Counter.REPLY_CHUNK_BYTES, chunk.lengthBytes()));
    }

    private void refuse(RdmaCall call, RpcMessage reply, String detail, Leaving leaving) {
        context.unfit().note(call, reply, inlineLimitBytes, detail);
        try {
            reply.release();
        } finally {
            statistics.increment(Counter.ERR_CHUNK_TOO_BIG_SENT);
            sendError(call, leaving);
        }
    }

    private void sendError(RdmaCall call, Leaving leaving) {
        RpcRdmaHeader error = RdmaErrorChunk.of(call.xid(), grant(call.creditsWanted()));
        trace(call, ReplyKind.ERROR, error, 0, List.of());
        sendError(error, leaving);
    }

    /** Sends an error by a plain Send. Errors have no chunks, so the requester invalidates its own. */
    private void sendError(RpcRdmaHeader error, Leaving leaving) {
        sender.send(Outgoing.plain(error, List.of(), leaving));
    }

    private int grant(long wanted) {
        int grant = credits.grant(wanted, memory.strained(), exposed.open());
        countCredits(grant);
        return grant;
    }

    private void growIfBusy(long wanted) {
        if (sender.waiting() > 0) {
            // The requester must take replies before it may make more calls.
            return;
        }
        int more = credits.wantsMore(wanted);
        if (more > 0 && !inUse) {
            takeIntoUse();
        } else {
            grow(more);
        }
    }

    private void grow(int more) {
        if (more > 0) {
            credits.grow(receives.grow(more));
        }
    }

    private void countCredits(int now) {
        statistics.add(Counter.CREDITS_GRANTED, now - creditsCounted);
        creditsCounted = now;
    }
}
