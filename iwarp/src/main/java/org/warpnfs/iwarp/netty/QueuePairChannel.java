package org.warpnfs.iwarp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.qp.QueuePairLink;
import org.warpnfs.iwarp.qp.QueuePairMachine;

/**
 * One socket under one queue pair.
 *
 * <h2>Operation</h2>
 *
 * What is read goes to the machine; what the machine has to send is written one batch at a time, so that no more than
 * one is ever held here, and a peer that does not read holds up its own queue pair alone. One that reads all it is sent
 * has turns of limited length with the others of its thread. A batch that was written whole is reported before the next
 * is asked for.
 *
 * <h2>Buffers</h2>
 *
 * Those of a batch are wrapped, not copied, unless they are on the heap.
 *
 * <h2>Errors</h2>
 *
 * A failed read or write is the loss of the connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // how a close or a write went is told by channelInactive and written()
final class QueuePairChannel extends ChannelInboundHandlerAdapter implements QueuePairLink {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePairChannel.class);

    /** What one connection may write, to a socket that takes all of it, before the others of its thread have a turn. */
    private static final long MAX_TURN_BYTES = 1 << 20;

    /** The same for small batches: a system call each. */
    private static final int MAX_TURN_WRITES = 32;

    private static final InetSocketAddress UNBOUND = new InetSocketAddress(0);

    private final DuplexChannel channel;
    private final InetSocketAddress remote;
    private final IwarpStatistics statistics;
    private final @Nullable Consumer<QueuePairMachine> reconnector;
    private @Nullable QueuePairMachine machine;
    private @Nullable FpduBatch writing;
    private @Nullable ScheduledFuture<?> timer;
    private Admission.@Nullable Place place;
    private boolean established;
    private long uses;
    private boolean pumping;

    /** Since the last rest. */
    private long turnBytes;

    private int turnWrites;
    private boolean resting;

    /** @param reconnector takes the machine to a new connection; null where we do not connect */
    QueuePairChannel(
            DuplexChannel channel,
            InetSocketAddress remote,
            IwarpStatistics statistics,
            @Nullable Consumer<QueuePairMachine> reconnector) {
        this.channel = channel;
        this.remote = remote;
        this.statistics = statistics;
        this.reconnector = reconnector;
    }

    void attach(QueuePairMachine attached) {
        machine = attached;
    }

    /** It was accepted, and has a place among those that were. */
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
    @SuppressWarnings("deprecation") // Netty deprecates the method in the super class only, not here
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        lost(String.valueOf(cause.getMessage()));
        channel.close();
    }

    /** The connection is gone, or was never made. */
    void lost(String detail) {
        machine().linkLost(detail);
        note();
    }

    /** We end it. */
    void abort(String why) {
        if (machine != null) {
            machine.abort(why);
            note();
        }
    }

    /** Says what has become of its place, where it was accepted. */
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

    // What the machine asks.

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
                FpduBatch batch = machine().pull();
                if (batch == null) {
                    return;
                }
                turnBytes += batch.lengthBytes();
                turnWrites++;
                writing = batch;
                write(batch);
            }
        } finally {
            pumping = false;
        }
    }

    /**
     * Others of this thread have their turn, their sockets among them, which a task that is merely executed would
     * precede.
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
        Iterator<ByteBuffer> buffers = batch.buffers().iterator();
        ByteBuffer buffer = buffers.next();
        while (buffers.hasNext()) {
            channel.write(Unpooled.wrappedBuffer(buffer));
            buffer = buffers.next();
        }
        // Netty gathers what was written since the last flush, so the batch leaves as one.
        channel.writeAndFlush(Unpooled.wrappedBuffer(buffer)).addListener((ChannelFuture done) -> written(batch, done));
    }

    private void written(FpduBatch batch, ChannelFuture done) {
        if (machine == null) {
            return;
        }
        if (done.isSuccess()) {
            writing = null;
            machine().sent(batch);
            outputReady();
            note();
        } else {
            // The machine hears of it by linkClosed(), when no buffer of the batch is held any more.
            channel.close();
        }
    }

    @Override
    public long unsentBytes() {
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        if (outbound == null || writing == null) {
            return 0;
        }
        long[] unsentBytes = new long[1];
        try {
            outbound.forEachFlushedMessage(message -> {
                unsentBytes[0] += ((ByteBuf) message).readableBytes();
                return true;
            });
        } catch (Exception e) {
            throw new IllegalStateException("a buffer that was written cannot be read", e);
        }
        return unsentBytes[0];
    }

    @Override
    public void deadlineChanged() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
        // A machine under construction has none yet.
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
            throw new IllegalStateException("only an initiator connects again");
        }
        // From here on nothing that happens to this channel reaches the machine.
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
