package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.trace.CallTrace;

/**
 * Starts the calls in the records of one connection.
 *
 * <h2>Operation</h2>
 *
 * Starts calls while none of these has reached its limit: calls in flight, of the connection and of its client; bytes
 * that the peer has not taken, of both; memory for records. One turn starts a limited number of calls, and the next
 * turn starts the rest. The connection is read from while no received data waits. A call that has been started asks
 * once more before it begins: see {@link HeldCalls}.
 *
 * <h2>Buffers</h2>
 *
 * A call holds its record, and the memory taken for it, until it ends.
 *
 * <h2>Errors</h2>
 *
 * A record that is no RPC message closes the connection, and so do too many replies without a call. For the event loop
 * only, except {@link #recordDone}.
 */
final class CallStarter implements ReplyWriter.Calls {
    private static final int RPC_MESSAGE_MIN_BYTES = 8;
    private static final int DIRECTION_OFFSET_BYTES = 4;
    private static final int DIRECTION_CALL = 0;
    private static final int DIRECTION_REPLY = 1;
    private static final int NO_DIRECTION = -1;

    private final Channel channel;
    private final TcpConnection connection;
    private final TcpOptions options;
    private final TransportStatistics statistics;
    private final InboundHandler handler;
    private final BackwardReplies backwardReplies;
    private final ClientAccount account;
    private final ConnectionMemory memory;
    private final RecordReader reader;
    private final HeldCalls held;
    private final Runnable wake = this::roomAtClient;
    private long receivedBytes;
    private int inFlight;
    private boolean called;

    /** Whether the client's account has counted a call for which this connection waited. */
    private boolean granted;

    private boolean turnScheduled;
    private boolean starting;
    private boolean room = true;

    CallStarter(
            Channel channel,
            TcpConnection connection,
            ListenerContext context,
            InboundHandler handler,
            BackwardReplies backwardReplies) {
        this.channel = channel;
        this.connection = connection;
        this.options = context.options();
        this.statistics = context.statistics();
        this.handler = handler;
        this.backwardReplies = backwardReplies;
        this.account = connection.account();
        this.memory = new ConnectionMemory(
                context.memory(),
                account.memory(),
                options.maxConnectionRecordBytes(),
                channel.eventLoop(),
                this::startCalls);
        this.reader = new RecordReader(channel.alloc(), options.maxRecordBytes(), memory);
        this.held = new HeldCalls(channel, statistics, this::heldChanged, connection::defect);
    }

    RecordReader reader() {
        return reader;
    }

    /** The number of calls whose reply has not been taken. */
    int inFlight() {
        return inFlight;
    }

    /** The number of calls that have begun, or are about to, and have not been answered. */
    int running() {
        return inFlight - held.count() - connection.writer().unsentReplies();
    }

    /** Whether a call has ever arrived. */
    boolean called() {
        return called;
    }

    void received(ByteBuf piece) {
        int bytes = reader.add(piece);
        receivedBytes += bytes;
        statistics.add(Counter.TCP_RECEIVED_BYTES, bytes);
        startCalls();
    }

    /** Bytes received since the connection began. */
    long receivedBytes() {
        return receivedBytes;
    }

    private void startCalls() {
        if (starting) {
            // A reply was taken at once, in the middle of a turn.
            return;
        }
        starting = true;
        room = true;
        try {
            startSome();
        } catch (RecordViolation violation) {
            connection.refuse("record", violation.getMessage());
        } catch (RuntimeException | Error e) {
            // For example, no memory for a record. The caller has other connections to serve, and this connection would
            // never be read from again.
            connection.defect(e);
        } finally {
            starting = false;
        }
        if (channel.isActive()) {
            boolean waits = !room || turnScheduled || reader.waitsForMemory();
            channel.config().setAutoRead(!waits && !connection.draining());
        }
        connection.settle();
    }

    private void startSome() throws RecordViolation {
        for (int started = 0; channel.isActive() && !connection.draining() && takeRoom(); started++) {
            ByteBuf record = null;
            boolean isCall = false;
            try {
                record = started < options.maxStartsPerTurn() ? reader.next() : null;
                isCall = record != null && start(record);
            } finally {
                if (!isCall) {
                    account.ended();
                }
            }
            if (record == null) {
                break;
            }
        }
        if (reader.hasMore() && !reader.waitsForMemory() && room && !turnScheduled) {
            turnScheduled = true;
            channel.eventLoop().execute(() -> {
                turnScheduled = false;
                startCalls();
            });
        }
    }

    /** Counts a call as in flight for its client, if no limit is reached. */
    private boolean takeRoom() {
        room = false;
        if (inFlight >= options.maxCallsInFlight()) {
            return false;
        }
        if (connection.writer().unsentBytes() >= options.maxUnsentBytes()) {
            statistics.increment(Counter.UNSENT_WAITS);
            return false;
        }
        room = takeGranted() || startOrWait();
        return room;
    }

    private boolean takeGranted() {
        boolean has = granted;
        granted = false;
        return has;
    }

    /**
     * Counts a call for its client. A connection whose peer has taken all replies may have one call in flight, whatever
     * other connections of its client leave untaken.
     */
    private boolean startOrWait() {
        if (account.startOrWait(inFlight == 0, wake)) {
            return true;
        }
        statistics.increment(Counter.CLIENT_WAITS);
        return false;
    }

    /** The client has room again, and a call was counted for this connection. Called on the thread that made room. */
    private void roomAtClient() {
        try {
            channel.eventLoop().execute(() -> {
                granted = true;
                startCalls();
                if (takeGranted()) {
                    // This connection did not need the room.
                    account.ended();
                }
            });
        } catch (RejectedExecutionException e) {
            // The event loop has stopped, and the connection has ended. The room is for the next connection.
            account.ended();
        }
    }

    /** Returns whether the record is a call, which is in flight then. */
    private boolean start(ByteBuf record) {
        int lengthBytes = record.readableBytes();
        boolean isCall = false;
        try {
            int direction = lengthBytes < RPC_MESSAGE_MIN_BYTES
                    ? NO_DIRECTION
                    : record.getInt(record.readerIndex() + DIRECTION_OFFSET_BYTES);
            switch (direction) {
                case DIRECTION_CALL -> {
                    if (!startsTls(record)) {
                        startCall(record);
                        isCall = true;
                    }
                }
                case DIRECTION_REPLY -> backwardReply(record);
                default -> connection.refuse("record", "record of " + lengthBytes + " bytes is neither call nor reply");
            }
        } finally {
            if (!isCall) {
                record.release();
                memory.give(lengthBytes);
            }
        }
        return isCall;
    }

    private boolean startsTls(ByteBuf record) {
        return !called
                && TlsStart.isProbe(record)
                && reader.recordsBegun() == 1
                && connection.startTls(record.getInt(record.readerIndex()), reader.hasMore());
    }

    /** The call has the record from now on. */
    private void startCall(ByteBuf record) {
        CallTrace trace = new CallTrace(Integer.toUnsignedLong(record.getInt(record.readerIndex())), connection);
        trace.received(new CallTrace.Sizes(record.readableBytes(), 0, 0, 0));
        ReplyClaim claim = new ReplyClaim(account, inFlight == 0);
        TcpCall call = new TcpCall(connection.writer(), held, claim, record, trace);
        inFlight++;
        called = true;
        statistics.increment(Counter.CALLS_RECEIVED);
        statistics.add(Counter.CALLS_RUNNING, 1);
        try {
            handler.call(call);
        } catch (Throwable e) {
            call.abandon();
            connection.defect(trace.xid(), e);
        }
    }

    /** Checks the XID first, because a reply that answers no call of ours is not worth a copy. */
    private void backwardReply(ByteBuf record) {
        int lengthBytes = record.readableBytes();
        if (lengthBytes > options.maxBackwardReplyBytes()) {
            connection.refuse(
                    "backward reply",
                    "backward reply of " + lengthBytes + " bytes, limit " + options.maxBackwardReplyBytes());
        } else if (backwardReplies.take(record.getInt(record.readerIndex()))) {
            ByteBuffer copy = ByteBuffer.allocate(lengthBytes);
            record.readBytes(copy);
            statistics.increment(Counter.BACKWARD_REPLIES_RECEIVED);
            handler.backwardReply(XdrStream.of(copy.flip()));
        } else {
            statistics.increment(Counter.BACKWARD_REPLIES_UNEXPECTED);
            if (backwardReplies.tooManyUnexpected()) {
                connection.refuse("backward reply", "too many replies that answer no call of ours");
            }
        }
    }

    @Override
    public void recordDone(TcpCall call) {
        try {
            call.releaseRecord();
        } finally {
            memory.give(call.lengthBytes());
        }
    }

    @Override
    public void ended() {
        inFlight--;
        account.ended();
        held.beginIfAlone(inFlight);
        startCalls();
        connection.closeIfDrained();
    }

    private void heldChanged() {
        held.beginIfAlone(inFlight);
        connection.settle();
    }

    @Override
    public void turnEnded() {
        startCalls();
    }

    /** What the connection does now. */
    Occupation occupation() {
        boolean awaitsTaking = connection.writer().unsentBytes() > 0;
        boolean waitsForOthers = held.count() > 0 && !awaitsTaking;
        if (running() > 0 || waitsForOthers || turnScheduled || reader.waitsForMemory() || reader.hasMore()) {
            return Occupation.BUSY;
        }
        return awaitsTaking || reader.insideRecord() ? Occupation.WAITS_FOR_PEER : Occupation.IDLE;
    }

    /** The connection has ended. */
    void close() {
        reader.close();
        memory.close();
        held.close();
        account.leave(wake);
    }
}
