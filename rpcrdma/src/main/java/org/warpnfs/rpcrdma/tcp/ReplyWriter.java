package org.warpnfs.rpcrdma.tcp;

import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import org.warpnfs.payload.Pieces;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.trace.CallTrace;

/**
 * Writes the output of one TCP connection.
 *
 * <h2>Operation</h2>
 *
 * Calls end on any thread, and their replies are written on the event loop. Replies that end at about the same time are
 * sent with one flush, up to a number for each turn.
 *
 * <h2>Buffers</h2>
 *
 * A call's record is given back when the call ends. A reply is counted for its client as soon as it exists, on any
 * thread. Its payloads are passed to the socket without a copy and are released when the socket has taken them.
 *
 * <h2>Errors</h2>
 *
 * An exception in one reply is counted and logged and ends the connection. The replies behind it are still given back.
 * For the event loop only, except {@link #endLater}.
 */
final class ReplyWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ReplyWriter.class);
    private static final int LAST_FRAGMENT = 0x8000_0000;

    /** Is told what happened to calls. For the event loop only, except {@link #recordDone}. */
    interface Calls {
        /** A call's record is no longer read. Called on any thread. */
        void recordDone(TcpCall call);

        /** A call's reply was taken or never will be, or there is none. */
        void ended();

        /** A turn has ended. */
        void turnEnded();
    }

    private record Ending(TcpCall call, @Nullable RpcMessage reply) {}

    private final Channel channel;
    private RecordOutput output;
    private final ClientAccount account;
    private final TransportStatistics statistics;
    private final int maxPerTurn;
    private final Calls calls;
    private final Queue<Ending> endings = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean endingsScheduled = new AtomicBoolean();
    private long unsentBytes;
    private int unsentReplies;
    private long sentBytes;
    private long takenBytesSeen;
    private long emptied;

    ReplyWriter(Channel channel, ClientAccount account, TransportStatistics statistics, int maxPerTurn, Calls calls) {
        this.channel = channel;
        this.output = new ClearOutput(channel);
        this.account = account;
        this.statistics = statistics;
        this.maxPerTurn = maxPerTurn;
        this.calls = calls;
    }

    /** Whether replies may have file ranges in place of data. */
    boolean takesRanges() {
        return output.takesRanges();
    }

    /** From now on all output goes through TLS. Nothing must have been written before. */
    void encrypt() {
        if (unsentBytes != 0 || sentBytes != 0) {
            throw new IllegalStateException("TLS begins after " + sentBytes + " bytes in clear");
        }
        output = new TlsOutput(channel);
    }

    /** Bytes of messages that the socket has not taken. */
    long unsentBytes() {
        return unsentBytes;
    }

    /** The number of replies that the socket has not taken. */
    int unsentReplies() {
        return unsentReplies;
    }

    /** How many times all output had been taken. */
    long emptied() {
        return emptied;
    }

    /** Bytes that the socket has taken since the connection began. */
    long takenBytes() {
        // Of the current message, only the progress of the current piece is known. So the sum may decrease for a
        // moment.
        long bytes = sentBytes + output.progressBytes();
        takenBytesSeen = Math.max(takenBytesSeen, bytes);
        return takenBytesSeen;
    }

    /** Ends a call. May be called from any thread. */
    void endLater(TcpCall call, @Nullable RpcMessage reply) {
        guarded(call, () -> call.claim().is(reply == null ? ReplyMemory.Size.NONE : ReplyMemory.Size.of(reply)));
        endings.add(new Ending(call, reply));
        if (endingsScheduled.compareAndSet(false, true)) {
            schedule();
        }
    }

    private void schedule() {
        try {
            channel.eventLoop().execute(this::endCalls);
        } catch (RejectedExecutionException e) {
            // The event loop has stopped, after the connection ended. All that is left is to give back what calls hold.
            endingsScheduled.set(false);
            for (Ending ending = endings.poll(); ending != null; ending = endings.poll()) {
                giveBack(ending);
            }
        }
    }

    private void giveBack(Ending ending) {
        statistics.add(Counter.CALLS_RUNNING, -1);
        statistics.increment(Counter.CALLS_DROPPED);
        guarded(ending.call, () -> ending.call.claim().end());
        guarded(account::ended);
        guarded(ending.call, () -> calls.recordDone(ending.call));
        if (ending.reply != null) {
            guarded(ending.call, ending.reply::release);
        }
    }

    private void endCalls() {
        // Cleared first, so that an ending added from now on schedules the next round.
        endingsScheduled.set(false);
        for (int n = 0; n < maxPerTurn; n++) {
            Ending ending = endings.poll();
            if (ending == null) {
                break;
            }
            end(ending);
        }
        guarded(output::flush);
        guarded(calls::turnEnded);
        if (!endings.isEmpty() && endingsScheduled.compareAndSet(false, true)) {
            schedule();
        }
    }

    private void end(Ending ending) {
        statistics.add(Counter.CALLS_RUNNING, -1);
        guarded(ending.call, () -> calls.recordDone(ending.call));
        RpcMessage reply = ending.reply;
        if (reply == null) {
            statistics.increment(Counter.CALLS_DROPPED);
            guarded(ending.call, calls::ended);
            return;
        }
        statistics.increment(Counter.REPLIES_SENT);
        unsentReplies++;
        Runnable taken = () -> {
            unsentReplies--;
            guarded(ending.call, () -> ending.call.claim().end());
            guarded(ending.call, calls::ended);
        };
        guarded(ending.call, () -> {
            long lengthBytes = write(reply, taken);
            ending.call.trace().replied(CallTrace.ReplyKind.INLINE, lengthBytes, 0, 0);
        });
    }

    /** Writes a backward call without a flush. {@code done} runs when the socket has taken it or never will. */
    void writeBackward(RpcMessage call, Runnable done) {
        ReplyMemory.Size size = ReplyMemory.Size.of(call);
        account.changed(ReplyMemory.Size.NONE, size, false);
        guarded(() -> write(call, () -> {
            account.changed(size, ReplyMemory.Size.NONE, false);
            done.run();
        }));
    }

    /**
     * Writes a record without a flush. {@code done} runs when the socket has taken it or never will.
     *
     * @return the length of the message
     */
    private long write(RpcMessage message, Runnable done) {
        long lengthBytes;
        Pieces record = new Pieces();
        try {
            lengthBytes = message.lengthBytes();
            record.add(ByteBuffer.allocate(Integer.BYTES)
                    .putInt(LAST_FRAGMENT | (int) lengthBytes)
                    .flip());
            message.addTo(record);
        } catch (Throwable e) {
            guarded(message::release);
            done.run();
            throw e;
        }
        statistics.add(Counter.TCP_SENT_BYTES, lengthBytes + Integer.BYTES);
        count(lengthBytes);
        Written written = new Written(message, lengthBytes, done);
        try {
            output.write(record, _ -> written.over());
        } catch (Throwable e) {
            // If the output has a part of the record, it gives it back when the channel closes.
            TlsStart.cut(channel);
            written.over();
            throw e;
        }
        return lengthBytes;
    }

    /** A message that the output has. */
    private final class Written {
        private final RpcMessage message;
        private final long lengthBytes;
        private final Runnable done;
        private boolean over;

        Written(RpcMessage message, long lengthBytes, Runnable done) {
            this.message = message;
            this.lengthBytes = lengthBytes;
            this.done = done;
        }

        /** The socket has taken it or never will. An output that fails may say so twice. */
        void over() {
            if (over) {
                return;
            }
            over = true;
            count(-lengthBytes);
            sentBytes += lengthBytes;
            guarded(message::release);
            done.run();
        }
    }

    private void count(long bytes) {
        unsentBytes += bytes;
        statistics.add(Counter.UNSENT_BYTES, bytes);
        if (unsentBytes == 0) {
            emptied++;
        }
    }

    /** Runs a step that may fail because of a defect of ours, which ends only this connection. */
    private void guarded(Runnable step) {
        guarded(null, step);
    }

    /** @param call the call that the step belongs to; null if it belongs to none */
    private void guarded(@Nullable TcpCall call, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            statistics.increment(Counter.DEFECTS);
            LoggingEventBuilder line = LOG.atError().addKeyValue("peer", channel.remoteAddress());
            if (call != null) {
                line = line.addKeyValue("xid", Long.toHexString(call.trace().xid()));
            }
            line.log("{}: a defect in a reply ends the connection", channel.remoteAddress(), e);
            var _ = channel.close();
        }
    }
}
