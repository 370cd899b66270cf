package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.rpcrdma.chunk.CallLayout;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
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
 * Distinguishes the messages of one connection.
 *
 * <h2>Operation</h2>
 *
 * Each message is a call ({@link CallLife}), a reply to a backward call, an RDMA_DONE, or a violation.
 *
 * <h2>Buffers</h2>
 *
 * The receive buffer of a message that is no call is posted again at once, unless the message is to be answered. The
 * answer to a violation holds the buffer and the credit until it is sent, as a reply does. So the number of errors that
 * a requester does not take is limited like the number of replies.
 *
 * <h2>Errors</h2>
 *
 * A header that is not valid is answered with RDMA_ERROR (RFC 8166, section 4.5), and the connection goes on. For the
 * owner thread only.
 */
final class MessageReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(MessageReceiver.class);

    private final RpcConnection connection;
    private final HeaderLimits limits;
    private final TransportStatistics statistics;
    private final ReceiveBuffers receives;
    private final CallLife calls;
    private final BackwardChannel backward;
    private final ExposedReplies exposed;

    MessageReceiver(
            RpcConnection connection,
            ResponderContext context,
            ReceiveBuffers receives,
            CallLife calls,
            BackwardChannel backward,
            ExposedReplies exposed) {
        this.connection = connection;
        this.limits = context.options().headerLimits();
        this.statistics = context.statistics();
        this.receives = receives;
        this.calls = calls;
        this.backward = backward;
        this.exposed = exposed;
    }

    /** A complete message has arrived. */
    void received(Completion.Received received) {
        int number = (int) received.workRequestId();
        ByteBuffer message = received.buffer();
        statistics.add(Counter.INLINE_RECEIVED_BYTES, message.remaining());
        try {
            switch (RpcRdmaHeader.parse(message, limits)) {
                case RdmaMsg msg -> message(number, msg, message);
                case RdmaNomsg nomsg -> {
                    CallLayout layout =
                            CallLayout.ofLong(nomsg.xid(), nomsg.lists().readList());
                    calls.arrived(number, nomsg, nomsg.lists(), layout, message);
                }
                case RdmaMsgp msgp -> {
                    statistics.increment(Counter.PADDED_CALLS);
                    calls.arrived(number, msgp, msgp.lists(), CallLayout.ofPadded(msgp, message.remaining()), message);
                }
                case RdmaDone done -> done(number, done);
                case RdmaErrorVers ignored -> ignore(number);
                case RdmaErrorChunk ignored -> ignore(number);
            }
        } catch (RpcRdmaViolation violation) {
            LOG.atDebug()
                    .addKeyValue("xid", () -> Long.toHexString(violation.xid()))
                    .log("{}: {}", connection, violation.getMessage());
            if (violation.answer() == RpcRdmaViolation.Answer.DROP) {
                ignore(number);
            } else {
                calls.refuse(number, violation);
            }
        }
    }

    private void message(int number, RdmaMsg msg, ByteBuffer message) throws RpcRdmaViolation {
        if (msg.lists().isEmpty() && isReply(message)) {
            backwardReply(number, msg, message);
            return;
        }
        CallLayout layout = CallLayout.ofInline(msg.xid(), msg.lists().readList(), message.remaining());
        calls.arrived(number, msg, msg.lists(), layout, message);
    }

    /**
     * Whether a message is a reply. The second word of an RPC message is its direction, and 1 is a reply (RFC 5531,
     * section 9).
     */
    private static boolean isReply(ByteBuffer message) {
        return message.remaining() >= 8 && message.getInt(message.position() + 4) == 1;
    }

    private void backwardReply(int number, RdmaMsg msg, ByteBuffer message) {
        if (!backward.replied(msg.xid(), msg.credits())) {
            ignore(number);
            return;
        }
        ByteBuffer copy = ByteBuffer.allocate(message.remaining()).put(message).flip();
        receives.post(number);
        statistics.increment(Counter.BACKWARD_REPLIES_RECEIVED);
        calls.up().backwardReply(XdrStream.of(copy));
    }

    private void done(int number, RdmaDone done) {
        receives.post(number);
        if (!exposed.done(done.xid())) {
            statistics.increment(Counter.MESSAGES_IGNORED);
        }
    }

    private void ignore(int number) {
        statistics.increment(Counter.MESSAGES_IGNORED);
        receives.post(number);
    }
}
