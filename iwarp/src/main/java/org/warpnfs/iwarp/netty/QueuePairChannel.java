package org.warpnfs.iwarp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.qp.QueuePairLink;
import org.warpnfs.iwarp.qp.QueuePairMachine;
import org.warpnfs.limits.FpduSize;
import org.warpnfs.sockets.PieceWriter;
import org.warpnfs.sockets.SocketTuning;

/**
 * Connects one socket with one queue pair machine.
 *
 * <h2>Operation</h2>
 *
 * Bytes that are read go to the machine. Its output is written one batch at a time, so at most one batch is held here,
 * and a peer that does not read stalls only its own queue pair. A peer that reads all it is sent shares the thread with
 * other connections in turns of limited length. The machine is told that a batch has been written before it is asked
 * for the next.
 *
 * <h2>Buffers</h2>
 *
 * Buffers of a batch are wrapped and not copied, unless they are on the heap.
 *
 * <h2>Errors</h2>
 *
 * A failed read or write ends the connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // channelInactive and written() report the result of a close or a write
final class QueuePairChannel extends ChannelInboundHandlerAdapter implements QueuePairLink {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePairChannel.class);

    /** The most bytes that one connection writes before the other connections of its thread have a turn. */
    private static final long MAX_TURN_BYTES = 1 << 20;

    /** The most writes in such a turn. Each write is a system call, however small its batch. */
    private static final int MAX_TURN_WRITES = 32;

    /** How often TCP is asked for the length of its segments, at most. A change matters for longer than that. */
    private static final long SEGMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final InetSocketAddress UNBOUND = new InetSocketAddress(0);

    private final DuplexChannel channel;
    private final PieceWriter output;
    private final InetSocketAddress remote;
    private final FpduSize fpdus;
    private final IwarpStatistics statistics;
    private final @Nullable Consumer<QueuePairMachine> reconnector;
    private @Nullable QueuePairMachine machine;
    private @Nullable FpduBatch writing;
    private @Nullable ScheduledFuture<?> timer;
    private Admission.@Nullable Place place;
    private boolean established;
    private long uses;
    private boolean pumping;

    /** Bytes written in this turn. */
    private long turnBytes;

    private int turnWrites;
    private boolean resting;

    /** The length of TCP's segments when it was last asked; 0 before. */
    private int segmentBytes;

    private long segmentAskedNanos;

    /** @param reconnector opens a new connection for the machine; null for a responder */
    QueuePairChannel(
            DuplexChannel channel,
            InetSocketAddress remote,
            FpduSize fpdus,
            IwarpStatistics statistics,
            @Nullable Consumer<QueuePairMachine> reconnector) {
        this.channel = channel;
        this.output = new PieceWriter(channel);
        this.remote = remote;
        this.fpdus = fpdus;
        this.statistics = statistics;
        this.reconnector = reconnector;
    }

    void attach(QueuePairMachine attached) {
        machine = attached;
    }

    /** Sets the place of an accepted connection. */
    void admitted(Admission.Place given) {
        place = given;
    }

    private QueuePairMachine machine() {
        QueuePairMachine attached = machine;
        if (attached == null) {
            throw new IllegalStateException("no machine is attached");
        }
        return attached;
    }

    // What the socket does.

    @Override
    public void channelActive(ChannelHandlerContext context) {
        machine().start();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            ByteBuf bytes = (ByteBuf) message;
            machine().received(bytes.nioBuffer());
        } finally {
            ReferenceCountUtil.release(message);
        }
        note();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            machine().receivedEnd();
            note();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        machine().linkClosed();
        note();
    }

    @Override
    @SuppressWarnings("deprecation") // Netty deprecates the method only in the super class
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        lost(String.valueOf(cause.getMessage()));
        channel.close();
    }

    /** The connection is lost, or was never established. */
    void lost(String detail) {
        machine().linkLost(detail);
        note();
    }

    /** Ends the connection from this side. */
    void abort(String why) {
        if (machine != null) {
            machine.abort(why);
            note();
        }
    }

    /** Updates the place of an accepted connection. */
    private void note() {
        Admission.Place taken = place;
        if (taken == null || machine == null) {
            return;
        }
        if (!established) {
            if (!machine.established()) {
                return;
            }
            established = true;
            taken.established();
        }
        taken.idle(machine.idle());
        if (uses != machine.uses()) {
            uses = machine.uses();
            taken.used();
        }
    }

    // What the machine calls.

    @Override
    public InetSocketAddress localAddress() {
        return channel.localAddress() instanceof InetSocketAddress local ? local : UNBOUND;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public boolean inOwnerThread() {
        return channel.eventLoop().inEventLoop();
    }

    @Override
    public void execute(Runnable task) {
        channel.eventLoop().execute(() -> {
            task.run();
            note();
        });
    }

    @Override
    public long nowNanos() {
        return System.nanoTime();
    }

    @Override
    public void outputReady() {
        if (pumping || resting || machine == null) {
            return;
        }
        pumping = true;
        try {
            while (writing == null && channel.isActive()) {
                if (turnBytes >= MAX_TURN_BYTES || turnWrites >= MAX_TURN_WRITES) {
                    rest();
                    return;
                }
                fitSegments();
                FpduBatch batch = machine().pull();
                if (batch == null) {
                    return;
                }
                turnBytes += batch.lengthBytes();
                // Each segment that is ended is a system call of its own.
                turnWrites += 1 + batch.pieces().segmentEnds().size();
                writing = batch;
                write(batch);
            }
        } finally {
            pumping = false;
        }
    }

    /** Tells the machine how long TCP's segments are, at first and when that has changed. */
    private void fitSegments() {
        if (fpdus != FpduSize.MSS) {
            return;
        }
        long now = System.nanoTime();
        if (segmentBytes != 0 && now - segmentAskedNanos < SEGMENT_NANOS) {
            return;
        }
        segmentAskedNanos = now;
        int bytes = SocketTuning.segmentBytes(channel);
        if (bytes != segmentBytes) {
            segmentBytes = bytes;
            machine().fitSegments(bytes);
        }
    }

    /**
     * Lets the other sockets of this thread have their turn. A task that is scheduled runs after them; a task that is
     * executed would run before.
     */
    private void rest() {
        resting = true;
        channel.eventLoop().schedule(this::goOn, 0, TimeUnit.NANOSECONDS);
    }

    private void goOn() {
        resting = false;
        turnBytes = 0;
        turnWrites = 0;
        outputReady();
        note();
    }

    private void write(FpduBatch batch) {
        // Netty gathers all writes since the last flush, so the batch is sent as one.
        output.write(batch.pieces(), failure -> written(batch, failure));
        output.flush();
    }

    private void written(FpduBatch batch, @Nullable Throwable failure) {
        if (machine == null) {
            return;
        }
        if (failure == null) {
            writing = null;
            machine().sent(batch);
            outputReady();
            note();
        } else {
            // The machine is told by linkClosed(), when no buffer of the batch is in use any more.
            channel.close();
        }
    }

    @Override
    public boolean takesFileRanges() {
        return PieceWriter.takesRanges(channel);
    }

    @Override
    public long unsentBytes() {
        return channel.unsafe().outboundBuffer() == null || writing == null ? 0 : output.unsentBytes(writing.pieces());
    }

    @Override
    public void deadlineChanged() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
        // A machine that is being constructed is not attached yet and has no deadline.
        if (machine == null) {
            return;
        }
        OptionalLong deadline = machine.deadlineNanos();
        if (deadline.isPresent()) {
            timer = channel.eventLoop()
                    .schedule(this::deadlinePassed, deadline.getAsLong() - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    private void deadlinePassed() {
        machine().deadlinePassed();
        note();
    }

    @Override
    public void endOutput() {
        if (channel.isActive() && !channel.isOutputShutdown()) {
            channel.shutdownOutput();
        }
    }

    @Override
    public void reconnect() {
        QueuePairMachine moved = machine();
        if (reconnector == null) {
            throw new IllegalStateException("a responder cannot reconnect");
        }
        // From here on no event of this channel reaches the machine.
        channel.pipeline().remove(this);
        machine = null;
        channel.close();
        reconnector.accept(moved);
    }

    @Override
    public void close() {
        channel.close();
    }

    @Override
    public void internalError(Throwable error) {
        statistics.internalError();
        LOG.error("connection with {} ended by a defect", remote, error);
    }
}
