package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.StallWatch;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.trace.CallTrace;

/**
 * One TCP connection.
 *
 * <h2>Operation</h2>
 *
 * Records become calls until the limit of calls in flight, or of their bytes, is reached; then the connection is not read from
 * until one of them has ended. A call is in flight until the socket has taken its reply, so a peer that does not read its
 * replies is not read from either. Replies of one moment leave with one flush.
 *
 * <h2>Buffers</h2>
 *
 * A call holds its record until it ends. A reply's payloads go to the socket as they are and are released when it has taken them.
 *
 * <h2>Errors</h2>
 *
 * A record that is too long or too short for an RPC message closes the connection.
 *
 * <p>The channel's event loop owns all of it, but for {@link #endLater}, {@link #abort}, {@link #drain} and {@link
 * #sendBackwardCall}.
 */
final class TcpConnection extends ChannelInboundHandlerAdapter implements RpcConnection {
    private static final Logger LOG = LoggerFactory.getLogger(TcpConnection.class);
    private static final int RPC_MESSAGE_MIN_BYTES = 8;
    private static final int DIRECTION_OFFSET_BYTES = 4;
    private static final int DIRECTION_REPLY = 1;
    private static final int LAST_FRAGMENT = 0x8000_0000;

    /** Where the two ends are. */
    record Addresses(InetSocketAddress local, InetSocketAddress remote) {}

    private record Ending(TcpCall call, @Nullable RpcMessage reply) {}

    private final Channel channel;
    private final InetSocketAddress localAddress;
    private final InetSocketAddress remoteAddress;
    private final TcpOptions options;
    private final RunningBytes runningBytes;
    private final TransportStatistics statistics;
    private final InboundHandler handler;
    private final RecordReader reader;
    private final Queue<Ending> endings = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean endingsScheduled = new AtomicBoolean();
    private final StallWatch stallWatch;
    private long pendingBytesSeen;
    private int inFlight;
    private boolean draining;
    private boolean waitsForBytes;
    private @Nullable ByteBuf held;

    /** @param addresses of both ends: the channel forgets them when it closes */
    TcpConnection(
            Channel channel,
            Addresses addresses,
            TcpOptions options,
            RunningBytes runningBytes,
            TransportStatistics statistics,
            InboundHandlerFactory handlers) {
        this.channel = channel;
        this.localAddress = addresses.local;
        this.remoteAddress = addresses.remote;
        this.options = options;
        this.runningBytes = runningBytes;
        this.statistics = statistics;
        this.reader = new RecordReader(channel.alloc(), options.maxRecordBytes());
        channel.config().setRecvByteBufAllocator(new RecordReads(reader));
        this.stallWatch = new StallWatch(options.stallLimit().toNanos());
        this.handler = handlers.opened(this);
        statistics.increment(Counter.CONNECTIONS_OPEN);
    }

    // What arrives

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf piece = (ByteBuf) message;
        statistics.add(Counter.TCP_RECEIVED_BYTES, piece.readableBytes());
        stallWatch.progressed();
        reader.add(piece);
        startCalls();
    }

    private void startCalls() {
        try {
            while (!draining && channel.isActive() && inFlight < options.maxCallsInFlight()) {
                ByteBuf record = held != null ? held : reader.next();
                held = null;
                if (record == null) {
                    break;
                }
                if (!start(record)) {
                    break;
                }
            }
        } catch (RecordViolation violation) {
            refuse(violation.getMessage());
        }
        if (channel.isActive()) {
            channel.config().setAutoRead(!draining && held == null && inFlight < options.maxCallsInFlight());
        }
    }

    /** False if the record has to wait until other calls have ended. */
    private boolean start(ByteBuf record) {
        int lengthBytes = record.readableBytes();
        if (lengthBytes < RPC_MESSAGE_MIN_BYTES) {
            record.release();
            refuse("record of " + lengthBytes + " bytes");
            return false;
        }
        if (record.getInt(record.readerIndex() + DIRECTION_OFFSET_BYTES) == DIRECTION_REPLY) {
            ByteBuffer copy = ByteBuffer.allocate(record.readableBytes());
            record.readBytes(copy);
            record.release();
            statistics.increment(Counter.BACKWARD_REPLIES_RECEIVED);
            handler.backwardReply(XdrStream.of(copy.flip()));
            return true;
        }
        if (!takeBytes(record.readableBytes())) {
            held = record;
            return false;
        }
        inFlight++;
        statistics.increment(Counter.CALLS_RECEIVED);
        statistics.add(Counter.CALLS_RUNNING, 1);
        CallTrace trace = new CallTrace(Integer.toUnsignedLong(record.getInt(record.readerIndex())), this);
        trace.received(new CallTrace.Sizes(lengthBytes, 0, 0, 0));
        handler.call(new TcpCall(this, record, trace));
        return true;
    }

    private boolean takeBytes(int bytes) {
        if (runningBytes.tryTake(bytes)) {
            return true;
        }
        statistics.increment(Counter.MEMORY_WAITS);
        if (!waitsForBytes) {
            waitsForBytes = true;
            runningBytes.notifyOnGive(() -> channel.eventLoop().execute(() -> {
                waitsForBytes = false;
                startCalls();
            }));
        }
        return runningBytes.tryTake(bytes);
    }

    private void refuse(@Nullable String why) {
        LOG.info("{}: {}", this, why);
        statistics.increment(Counter.RECORDS_REFUSED);
        statistics.increment(Counter.CONNECTIONS_ABORTED);
        var _ = channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        reader.close();
        if (held != null) {
            held.release();
            held = null;
        }
        statistics.add(Counter.CONNECTIONS_OPEN, -1);
        handler.closed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof java.io.IOException) {
            LOG.debug("{}: {}", this, cause.getMessage());
        } else {
            LOG.error("{}: a defect ends the connection", this, cause);
        }
        var _ = channel.close();
    }

    // What leaves

    /** Ends a call; from any thread. */
    void endLater(TcpCall call, @Nullable RpcMessage reply) {
        endings.add(new Ending(call, reply));
        if (endingsScheduled.compareAndSet(false, true)) {
            try {
                channel.eventLoop().execute(this::endCalls);
            } catch (RejectedExecutionException e) {
                endCallsWithoutLoop();
            }
        }
    }

    /** The event loop is gone, the connection before it: all that is left is to give things back. */
    private void endCallsWithoutLoop() {
        endingsScheduled.set(false);
        for (Ending ending = endings.poll(); ending != null; ending = endings.poll()) {
            statistics.add(Counter.CALLS_RUNNING, -1);
            statistics.increment(Counter.CALLS_DROPPED);
            ending.call.releaseRecord();
            if (ending.reply != null) {
                ending.reply.release();
            }
        }
    }

    private void endCalls() {
        // Cleared first: an ending that is added from here on schedules the next round.
        endingsScheduled.set(false);
        for (Ending ending = endings.poll(); ending != null; ending = endings.poll()) {
            end(ending.call, ending.reply);
        }
        channel.flush();
    }

    private void end(TcpCall call, @Nullable RpcMessage reply) {
        statistics.add(Counter.CALLS_RUNNING, -1);
        int lengthBytes = call.lengthBytes();
        call.releaseRecord();
        if (reply == null) {
            statistics.increment(Counter.CALLS_DROPPED);
            ended(lengthBytes);
            return;
        }
        statistics.increment(Counter.REPLIES_SENT);
        call.trace().replied(CallTrace.ReplyKind.INLINE, reply.lengthBytes(), 0, 0);
        write(reply, () -> ended(lengthBytes));
    }

    private void ended(int lengthBytes) {
        inFlight--;
        runningBytes.give(lengthBytes);
        startCalls();
        closeIfDrained();
    }

    /** Writes a record without a flush; {@code done} runs when the socket has taken it or never will. */
    private void write(RpcMessage message, Runnable done) {
        long lengthBytes = message.lengthBytes();
        List<ByteBuffer> pieces = message.gather();
        statistics.add(Counter.TCP_SENT_BYTES, lengthBytes + Integer.BYTES);
        var _ = channel.write(channel.alloc().directBuffer(Integer.BYTES).writeInt(LAST_FRAGMENT | (int) lengthBytes));
        for (int i = 0; i < pieces.size() - 1; i++) {
            var _ = channel.write(Unpooled.wrappedBuffer(pieces.get(i)));
        }
        channel.write(Unpooled.wrappedBuffer(pieces.getLast())).addListener(written -> {
            message.release();
            done.run();
        });
    }

    @Override
    public boolean gathersItems() {
        return true;
    }

    @Override
    public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
        channel.eventLoop().execute(() -> {
            if (!channel.isActive()) {
                call.release();
                sent.accept("the connection has ended");
                return;
            }
            statistics.increment(Counter.BACKWARD_CALLS_SENT);
            write(call, () -> sent.accept(channel.isActive() ? null : "the connection has ended"));
            channel.flush();
        });
    }

    // Life of the connection

    /** Takes no new calls; closes once the last one has been answered. From any thread. */
    void drain() {
        channel.eventLoop().execute(() -> {
            draining = true;
            channel.config().setAutoRead(false);
            closeIfDrained();
        });
    }

    /**
     * Closes the connection if its peer has neither taken a byte of what waits for it nor sent the rest of a record for too
     * long. From any thread.
     *
     * @param nowNanos of a clock that only goes forward
     */
    void closeIfStalled(long nowNanos) {
        channel.eventLoop().execute(() -> {
            ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
            long pendingBytes = outbound == null ? 0 : outbound.totalPendingWriteBytes();
            if (pendingBytes != pendingBytesSeen) {
                pendingBytesSeen = pendingBytes;
                stallWatch.progressed();
            }
            boolean waitsForPeer = reader.insideRecord() && channel.config().isAutoRead();
            if (stallWatch.stalled(pendingBytes > 0 || waitsForPeer, nowNanos)) {
                LOG.info("{} has not taken or given a byte for {}", this, options.stallLimit());
                statistics.increment(Counter.CONNECTIONS_ABORTED);
                var _ = channel.close();
            }
        });
    }

    private void closeIfDrained() {
        if (draining && inFlight == 0) {
            var _ = channel.close();
        }
    }

    @Override
    public void abort(String reason) {
        LOG.debug("{}: {}", this, reason);
        var _ = channel.close();
    }

    @Override
    public boolean open() {
        return channel.isActive();
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
    public String toString() {
        return "tcp " + remoteAddress;
    }
}
