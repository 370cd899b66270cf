package org.warpnfs.sockets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.payload.Pieces;

/**
 * Writes the output of one socket: bytes in memory, and ranges of files that are sent without being read.
 *
 * <h2>Operation</h2>
 *
 * Bytes in memory go to Netty as they are. Pieces with file ranges go to it as one region. What is written behind such
 * pieces waits here until they have been sent, so that they can leave Netty's buffer while bytes that the page cache
 * has lost are read again. One of a few threads does that ({@link FileLoaders}). If that takes longer than
 * {@value #LOAD_SECONDS} seconds, the connection ends, so that a dead disk does not hold the client's other calls: it
 * connects again, and its READ waits for the disk on a thread of its lane. The wait for a thread does not count, but it
 * ends the connection too after {@value #TURN_SECONDS} seconds, or if other reads show that the disk is dead.
 *
 * <h2>Buffers</h2>
 *
 * Pieces stay with the caller until {@code done} runs. While lost bytes are on their way from a loader to the event
 * loop, a connection holds one buffer of {@value PiecesRegion#LOAD_BYTES} bytes. For bytes that have to be seen it
 * holds one of at most {@value PiecesRegion#PIECE_BYTES}: until the socket has taken them if others depend on them, as
 * a CRC does, and else only while they are offered to the socket, which may have to be done again. Clients share
 * {@value #PIECES_BYTES} bytes for those; a connection that finds none waits for its client's turn.
 *
 * <h2>Errors</h2>
 *
 * A failure ends the connection. Everything that was written is done then, even while a thread still waits for a disk.
 * For the event loop only.
 */
public final class PieceWriter {
    /** A dead disk often takes 30 s or more until it fails. */
    private static final long LOAD_SECONDS = 10;

    /** A busy disk with a long queue is still of use. */
    private static final long TURN_SECONDS = 60;

    /** Memory for pieces of what has to be seen, which clients share. */
    public static final int PIECES_BYTES = 8 << 20;

    private static final long NOT_BEGUN = Long.MIN_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(PieceWriter.class);
    private static final LogLimiter LINES = new LogLimiter();

    /**
     * Not the pool of payloads: those of a connection may wait behind its pieces, so that pieces must not wait for
     * them.
     */
    private static final PayloadPool PIECES = new PayloadPool(PIECES_BYTES, PiecesRegion.PIECE_BYTES);

    /**
     * How long a connection waits for lost bytes.
     *
     * @param readNanos for one read of them, or for a disk that answers no read for so long
     * @param turnNanos for the turn of this read, or of the client to have memory for a piece
     */
    record Limits(long readNanos, long turnNanos) {}

    private record Written(Pieces pieces, Consumer<@Nullable Throwable> done) {}

    /** Pieces that are being sent. */
    private static final class Sending {
        final Written written;
        final PiecesRegion region;

        /** Ends the connection if a wait takes too long; null while there is none. */
        @Nullable
        ScheduledFuture<?> limit;

        /** The wait for memory. */
        PayloadPool.@Nullable Wait memory;

        /** When the load began to run; written by its thread. */
        volatile long begunNanos;

        /** Whether {@code done} has been told. */
        volatile boolean over;

        Sending(Written written, PiecesRegion region) {
            this.written = written;
            this.region = region;
        }
    }

    private final Channel channel;
    private final FileLoaders loaders;
    private final PayloadPool memory;
    private final Limits limits;
    private final Queue<Written> held = new ArrayDeque<>();
    private @Nullable Sending sending;

    public PieceWriter(Channel channel) {
        this(
                channel,
                FileLoaders.OF_PROCESS,
                PIECES,
                new Limits(TimeUnit.SECONDS.toNanos(LOAD_SECONDS), TimeUnit.SECONDS.toNanos(TURN_SECONDS)));
    }

    /** @param memory for pieces of what has to be seen */
    PieceWriter(Channel channel, FileLoaders loaders, PayloadPool memory, Limits limits) {
        this.channel = channel;
        this.loaders = loaders;
        this.memory = memory;
        this.limits = limits;
        channel.closeFuture().addListener(_ -> closed());
    }

    /** Whether file ranges can be written to the channel. */
    public static boolean takesRanges(Channel channel) {
        return channel instanceof EpollSocketChannel;
    }

    /** Whether pieces go to Netty as one region, and not buffer by buffer. */
    private boolean isRegion(Pieces pieces) {
        return !pieces.inMemory() || (pieces.inSegments() && takesRanges(channel));
    }

    /** What the socket has not taken of pieces that were written last, in bytes. */
    public long unsentBytes(Pieces pieces) {
        if (isRegion(pieces)) {
            return pieces.lengthBytes() - progressBytes();
        }
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        long[] unsentBytes = new long[1];
        if (outbound != null) {
            try {
                outbound.forEachFlushedMessage(message -> {
                    unsentBytes[0] += ((ByteBuf) message).readableBytes();
                    return true;
                });
            } catch (Exception e) {
                throw new IllegalStateException("a buffer that was written cannot be read", e);
            }
        }
        return unsentBytes[0];
    }

    /**
     * Writes without a flush.
     *
     * @param pieces at least one byte
     * @param done runs once, when the socket has taken all of it, or with the cause when it never will
     */
    public void write(Pieces pieces, Consumer<@Nullable Throwable> done) {
        Written written = new Written(pieces, done);
        if (sending == null) {
            begin(written);
        } else {
            held.add(written);
        }
    }

    /** Sends what was written, as much as the socket takes now. The rest follows without another call. */
    public void flush() {
        channel.flush();
    }

    /** What the socket has taken of the write that is being sent, in bytes. */
    public long progressBytes() {
        if (sending != null && sending.region.sentBytes() > 0) {
            return sending.region.sentBytes();
        }
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        return outbound == null ? 0 : outbound.currentProgress();
    }

    /** Never throws, since what was written behind it has to begin too. */
    private void begin(Written written) {
        try {
            if (isRegion(written.pieces)) {
                writeRegion(written);
            } else {
                writeBytes(written);
            }
        } catch (RuntimeException | Error e) {
            // There is no memory, or this is a defect.
            var _ = channel.close();
            channel.newFailedFuture(e).addListener(_ -> written.done.accept(e));
        }
    }

    private void writeRegion(Written written) {
        PiecesRegion region =
                new PiecesRegion(written.pieces, ((UnixChannel) channel).fd().intValue(), client(), loaders, memory);
        Sending next = new Sending(written, region);
        ChannelFuture left = channel.write(region);
        sending = next;
        left.addListener(_ -> left(next, left.cause()));
    }

    private void writeBytes(Written written) {
        List<ByteBuf> row = new ArrayList<>(written.pieces.buffers().size());
        try {
            addInDirectMemory(written.pieces.buffers(), row);
        } catch (RuntimeException | Error e) {
            row.forEach(ByteBuf::release);
            throw e;
        }
        for (ByteBuf bytes : row.subList(0, row.size() - 1)) {
            var _ = channel.write(bytes);
        }
        channel.write(row.getLast()).addListener((ChannelFuture future) -> written.done.accept(future.cause()));
    }

    /** Wraps buffers. Those on the heap are copied, neighbours together. */
    private void addInDirectMemory(List<ByteBuffer> buffers, List<ByteBuf> row) {
        for (int next = 0; next < buffers.size(); ) {
            if (buffers.get(next).isDirect()) {
                row.add(Unpooled.wrappedBuffer(buffers.get(next)));
                next++;
                continue;
            }
            int end = next;
            int lengthBytes = 0;
            for (; end < buffers.size() && !buffers.get(end).isDirect(); end++) {
                lengthBytes += buffers.get(end).remaining();
            }
            ByteBuf copy = channel.alloc().directBuffer(lengthBytes);
            row.add(copy);
            for (; next < end; next++) {
                copy.writeBytes(buffers.get(next).duplicate());
            }
        }
    }

    /** The region has left Netty's buffer. */
    private void left(Sending ended, @Nullable Throwable failure) {
        PiecesRegion.Lack lacks = failure == null ? ended.region.lacks() : PiecesRegion.Lack.NOTHING;
        switch (lacks) {
            case NOTHING -> ended(ended, failure);
            case BYTES -> load(ended);
            case MEMORY -> awaitMemory(ended);
        }
    }

    /** The memory comes back from connections whose peers take bytes, or end for want of that. */
    private void awaitMemory(Sending waiting) {
        limit(
                waiting,
                limits.turnNanos,
                () -> tooLong(waiting, "pieces of other connections have taken all memory", limits.turnNanos));
        waiting.memory = memory.acquire(client(), waiting.region.neededBytes(), piece -> {
            boolean passed = false;
            try {
                passed = onEventLoop(() -> given(waiting, piece));
            } finally {
                if (!passed) {
                    piece.release();
                }
            }
        });
    }

    private void given(Sending waiting, Payload piece) {
        if (waiting.over) {
            piece.release();
            return;
        }
        waiting.memory = null;
        waiting.region.goOn(piece);
        goOn(waiting);
    }

    private void goOn(Sending waiting) {
        endLimit(waiting);
        channel.writeAndFlush(waiting.region).addListener((ChannelFuture future) -> left(waiting, future.cause()));
    }

    private void load(Sending waiting) {
        waiting.begunNanos = NOT_BEGUN;
        awaitTurn(waiting, System.nanoTime());
        loaders.execute(new FileLoaders.Share(client(), waiting.region.store()), new FileLoaders.Load() {
            @Override
            public void run() {
                if (!waiting.over) {
                    waiting.begunNanos = System.nanoTime();
                    read(waiting);
                }
            }

            @Override
            public void refused(Throwable cause) {
                onEventLoop(() -> ended(waiting, cause));
            }
        });
    }

    /** Ends the connection later, unless the bytes are there before. */
    private void limit(Sending waiting, long nanos, Runnable over) {
        waiting.limit = channel.eventLoop().schedule(over, nanos, TimeUnit.NANOSECONDS);
    }

    /** The limit of the read begins with it. Before, only a dead disk or a very long queue ends the connection. */
    private void awaitTurn(Sending waiting, long sinceNanos) {
        long leftNanos = limits.turnNanos - (System.nanoTime() - sinceNanos);
        limit(waiting, Math.min(limits.readNanos, leftNanos), () -> {
            if (waiting.over) {
                return;
            }
            long begunNanos = waiting.begunNanos;
            if (begunNanos != NOT_BEGUN) {
                long ranNanos = System.nanoTime() - begunNanos;
                limit(waiting, limits.readNanos - ranNanos, () -> diskIsDead(waiting));
            } else if (loaders.isHeld(waiting.region.store(), limits.readNanos)) {
                diskIsDead(waiting);
            } else if (System.nanoTime() - sinceNanos >= limits.turnNanos) {
                tooLong(waiting, "reads of other files have taken all threads", limits.turnNanos);
            } else {
                awaitTurn(waiting, sinceNanos);
            }
        });
    }

    private ClientAddress client() {
        return channel.remoteAddress() instanceof InetSocketAddress address
                ? ClientAddress.of(address)
                : ClientAddress.NONE;
    }

    private void read(Sending waiting) {
        ByteBuf bytes;
        try {
            bytes = waiting.region.load(channel.alloc());
        } catch (IOException | RuntimeException | Error e) {
            onEventLoop(() -> ended(waiting, e));
            return;
        }
        boolean passed = false;
        try {
            passed = onEventLoop(() -> loaded(waiting, bytes));
        } finally {
            if (!passed) {
                bytes.release();
            }
        }
    }

    /** Returns false if the event loop has stopped. It has closed the channel before, so that nothing is left to do. */
    private boolean onEventLoop(Runnable task) {
        try {
            channel.eventLoop().execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void loaded(Sending waiting, ByteBuf bytes) {
        if (waiting.over) {
            bytes.release();
            return;
        }
        try {
            waiting.region.goOn(bytes);
        } catch (RuntimeException | Error e) {
            ended(waiting, e);
            return;
        }
        goOn(waiting);
    }

    private void diskIsDead(Sending waiting) {
        tooLong(waiting, "the disk has not answered", limits.readNanos);
    }

    private void tooLong(Sending waiting, String what, long nanos) {
        if (!waiting.over) {
            LINES.admit(what, client())
                    .ifPresent(more -> LOG.warn(
                            "{}: the connection ends, since {} for {} s ({} more like it)",
                            channel.remoteAddress(),
                            what,
                            TimeUnit.NANOSECONDS.toSeconds(nanos),
                            more));
            ended(waiting, new IOException(what));
        }
    }

    private static void endLimit(Sending sent) {
        if (sent.limit != null) {
            sent.limit.cancel(false);
            sent.limit = null;
        }
    }

    /** What Netty has in its buffer it ends itself. */
    private void closed() {
        Sending current = sending;
        if (current != null && current.limit != null) {
            ended(current, new ClosedChannelException());
        }
    }

    private void ended(Sending ended, @Nullable Throwable failure) {
        if (ended.over) {
            return;
        }
        ended.over = true;
        endLimit(ended);
        if (ended.memory != null) {
            // If it has just been granted, it is given back on this loop.
            boolean _ = ended.memory.cancel();
        }
        ended.region.dispose();
        if (failure != null) {
            var _ = channel.close();
        }
        try {
            ended.written.done.accept(failure);
        } finally {
            sending = null;
            beginHeld();
        }
    }

    private void beginHeld() {
        if (!held.isEmpty()) {
            for (Written next = held.poll(); next != null; next = sending == null ? held.poll() : null) {
                begin(next);
            }
            channel.flush();
        }
    }
}
