package org.warpnfs.sockets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.Pieces;

/**
 * Writes the output of one socket: bytes in memory, and ranges of files that are sent without being read.
 *
 * <h2>Operation</h2>
 *
 * Bytes in memory go to Netty as they are. Pieces with file ranges go to it as one region. What is written behind such
 * pieces waits here until they have been sent, so that they can leave Netty's buffer while bytes that the page cache
 * has lost are read again. One of a few threads does that. The event loop never waits for a disk.
 *
 * <h2>Buffers</h2>
 *
 * Pieces stay with the caller until {@code done} runs.
 *
 * <h2>Errors</h2>
 *
 * A failure ends the connection. Everything that was written is done then. For the event loop only.
 */
public final class PieceWriter {
    /** Threads that read what the page cache has lost, for all sockets. */
    private static final int LOADERS = 8;

    private static final int IDLE_SECONDS = 10;
    private static final ExecutorService LOADER = loader();

    private record Written(Pieces pieces, Consumer<@Nullable Throwable> done) {}

    private record Sending(Written written, PiecesRegion region) {}

    private final Channel channel;
    private final Queue<Written> held = new ArrayDeque<>();
    private @Nullable Sending sending;

    public PieceWriter(Channel channel) {
        this.channel = channel;
    }

    private static ExecutorService loader() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                LOADERS,
                LOADERS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("file-loader-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Whether file ranges can be written to the channel. */
    public static boolean takesRanges(Channel channel) {
        return channel instanceof EpollSocketChannel;
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

    private void begin(Written written) {
        if (!written.pieces.inMemory()) {
            Sending next = new Sending(
                    written,
                    new PiecesRegion(
                            written.pieces, ((UnixChannel) channel).fd().intValue()));
            sending = next;
            channel.write(next.region).addListener((ChannelFuture future) -> left(next, future.cause()));
            return;
        }
        List<ByteBuf> row = new ArrayList<>(written.pieces.buffers().size());
        try {
            addInDirectMemory(written.pieces.buffers(), row);
        } catch (RuntimeException | Error e) {
            // There is no memory for the copies.
            row.forEach(ByteBuf::release);
            var _ = channel.close();
            written.done.accept(e);
            return;
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
        if (failure == null && ended.region.waits()) {
            LOADER.execute(() -> load(ended));
        } else {
            ended(ended, failure);
        }
    }

    private void load(Sending waiting) {
        Throwable failure = null;
        try {
            waiting.region.load();
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
        Throwable cause = failure;
        try {
            channel.eventLoop().execute(() -> loaded(waiting, cause));
        } catch (RejectedExecutionException e) {
            // The event loop has stopped, so nothing else uses this object.
            ended(waiting, e);
        }
    }

    private void loaded(Sending waiting, @Nullable Throwable failure) {
        if (failure == null) {
            channel.writeAndFlush(waiting.region).addListener((ChannelFuture future) -> left(waiting, future.cause()));
        } else {
            var _ = channel.close();
            ended(waiting, failure);
        }
    }

    private void ended(Sending ended, @Nullable Throwable failure) {
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
