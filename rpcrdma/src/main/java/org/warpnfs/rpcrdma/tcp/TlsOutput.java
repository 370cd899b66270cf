package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.Each;
import org.warpnfs.payload.Pieces;

/**
 * The output of a connection inside TLS.
 *
 * <h2>Operation</h2>
 *
 * Netty encrypts all that is flushed at once, however slowly the peer takes it. So it gets no more than
 * {@value #WINDOW_BYTES} bytes at a time, and the next ones when the socket has taken some of those. The rest waits
 * here in clear, where it was counted already.
 *
 * <h2>Buffers</h2>
 *
 * Pieces stay with the caller until {@code done} runs. Bytes on the heap are copied when their turn comes.
 *
 * <h2>Errors</h2>
 *
 * A failure ends the connection, and everything that was written is done then. File ranges are refused: nothing of a
 * connection inside TLS may reach its socket without having been encrypted. For the event loop only.
 */
final class TlsOutput implements RecordOutput {
    /** As much as a fast line has under way, and little for a slow one. */
    private static final int WINDOW_BYTES = 256 << 10;

    private static final int STEP_BYTES = 64 << 10;

    /** Pieces that are written one after the other. */
    private static final class Written {
        final Queue<ByteBuffer> buffers = new ArrayDeque<>();
        final Consumer<@Nullable Throwable> done;
        long takenBytes;

        /** The number of steps that Netty has. As long as it has some, the buffers are in use. */
        int steps;

        @Nullable
        Throwable failure;

        Written(List<ByteBuffer> all, Consumer<@Nullable Throwable> done) {
            all.forEach(each -> buffers.add(each.duplicate()));
            this.done = done;
        }
    }

    private final Channel channel;

    /** In the order of writing; those at the head may have been given to Netty as a whole. */
    private final Deque<Written> unfinished = new ArrayDeque<>();

    private final Queue<Written> ungiven = new ArrayDeque<>();
    private int underWayBytes;
    private boolean giving;

    TlsOutput(Channel channel) {
        this.channel = channel;
        channel.closeFuture().addListener(_ -> failAll(new ClosedChannelException()));
    }

    @Override
    public void write(Pieces pieces, Consumer<@Nullable Throwable> done) {
        if (!pieces.inMemory()) {
            TlsStart.cut(channel);
            done.accept(new IllegalArgumentException("a file range cannot be sent inside TLS"));
            return;
        }
        if (!channel.isActive()) {
            done.accept(new ClosedChannelException());
            return;
        }
        Written written = new Written(pieces.buffers(), done);
        unfinished.add(written);
        ungiven.add(written);
        give();
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public long progressBytes() {
        Written first = unfinished.peek();
        return first == null ? 0 : first.takenBytes;
    }

    @Override
    public boolean takesRanges() {
        return false;
    }

    /** Gives Netty as much as the window allows; returns whether that was anything. */
    private boolean give() {
        if (giving) {
            return false;
        }
        giving = true;
        boolean gave = false;
        try {
            for (Written next = ungiven.peek(); next != null && underWayBytes < WINDOW_BYTES; next = ungiven.peek()) {
                giveStep(next);
                gave = true;
            }
        } catch (RuntimeException | Error e) {
            // There is no memory for a copy.
            failAll(e);
        } finally {
            giving = false;
        }
        return gave;
    }

    private void giveStep(Written from) {
        ByteBuf step = step(from);
        int bytes = step.readableBytes();
        if (from.buffers.isEmpty()) {
            ungiven.remove();
        }
        underWayBytes += bytes;
        from.steps++;
        channel.write(step).addListener((ChannelFuture future) -> {
            underWayBytes -= bytes;
            from.takenBytes += bytes;
            from.steps--;
            Throwable failure = future.cause();
            if (failure != null) {
                failAll(failure);
            }
            endIfDone(from);
            if (failure == null && give()) {
                channel.flush();
            }
        });
    }

    /** The next bytes, of one buffer in direct memory or copied from several on the heap. */
    private ByteBuf step(Written from) {
        ByteBuffer first = from.buffers.element();
        if (first.isDirect()) {
            int bytes = Math.min(STEP_BYTES, first.remaining());
            ByteBuffer slice = first.slice(first.position(), bytes);
            first.position(first.position() + bytes);
            forgetEmpty(from);
            return Unpooled.wrappedBuffer(slice);
        }
        ByteBuf copy = channel.alloc().directBuffer(Math.min(STEP_BYTES, first.remaining()), STEP_BYTES);
        while (!from.buffers.isEmpty() && !from.buffers.element().isDirect() && copy.readableBytes() < STEP_BYTES) {
            ByteBuffer next = from.buffers.element();
            int bytes = Math.min(STEP_BYTES - copy.readableBytes(), next.remaining());
            copy.writeBytes(next.slice(next.position(), bytes));
            next.position(next.position() + bytes);
            forgetEmpty(from);
        }
        return copy;
    }

    private static void forgetEmpty(Written from) {
        while (!from.buffers.isEmpty() && !from.buffers.element().hasRemaining()) {
            from.buffers.remove();
        }
    }

    /**
     * Ends the connection, and what Netty has nothing of. The rest ends when Netty has given it back: its memory must
     * not get other contents while they could still be encrypted and sent.
     */
    private void failAll(Throwable cause) {
        ungiven.clear();
        List<Written> all = List.copyOf(unfinished);
        for (Written each : all) {
            if (each.failure == null) {
                each.failure = cause;
                each.buffers.clear();
            }
        }
        TlsStart.cut(channel);
        Each.of(all, this::endIfDone);
    }

    private void endIfDone(Written written) {
        if (written.steps == 0 && written.buffers.isEmpty() && unfinished.remove(written)) {
            written.done.accept(written.failure);
        }
    }
}
