package org.warpnfs.tools.bench.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.tools.bench.nfs.NfsException;
import org.warpnfs.tools.bench.nfs.NfsSession;

/**
 * Keeps calls in flight on one connection until it is stopped or has no more work.
 *
 * <h2>Operation</h2>
 *
 * A lane is one call in flight. When its reply arrives, it makes the next call, on the connection's thread.
 *
 * <h2>Buffers</h2>
 *
 * Each lane has a direct buffer of its own for the data of reads and writes.
 *
 * <h2>Errors</h2>
 *
 * If the server answers a call with an error, the error is counted and the lane goes on. If the server asks to try
 * again later, the call is repeated and counted. If a call fails below RPC, its lane ends, because the requester has
 * already retried it. Thread-safe.
 */
public final class Load {
    private static final long HIGHEST_NANOS = 60_000_000_000L;
    private static final int DIGITS = 3;
    private static final int MAX_ERRORS = 1000;

    private final Requester requester;
    private final NfsSession session;
    private final Transfer transfer;
    private final Offsets offsets;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final BitSet blocks = new BitSet();
    private final Histogram latencies = new Histogram(HIGHEST_NANOS, DIGITS);
    private int running;
    private boolean stopping;
    private long operations;
    private long errors;
    private long repeated;
    private long matches;
    private long mismatches;
    private @Nullable String firstError;

    /**
     * A snapshot of the counters.
     *
     * @param latencies latencies in nanoseconds, a copy
     * @param repeated calls that the server asked to try again later
     * @param matches verified reads that returned what was written
     * @param mismatches verified reads that returned anything else
     */
    public record Counters(
            long operations,
            long errors,
            long repeated,
            long matches,
            long mismatches,
            @Nullable String firstError,
            Histogram latencies) {}

    public Load(Requester requester, NfsSession session, Transfer transfer, Offsets offsets) {
        this.requester = requester;
        this.session = session;
        this.transfer = transfer;
        this.offsets = offsets;
    }

    /**
     * Starts {@code depth} lanes, but no more than the session has slots.
     *
     * @return completed when the last lane has ended
     */
    public CompletableFuture<Void> start(int depth) {
        int lanes = Math.min(depth, session.slots());
        synchronized (this) {
            running = lanes;
            for (int slot = 0; slot < lanes; slot++) {
                new Lane(slot).next(System.nanoTime());
            }
        }
        return done;
    }

    /** Makes no further calls. */
    public synchronized void stop() {
        stopping = true;
    }

    /** Returns what was counted since the last call of this method. */
    public synchronized Counters takeCounters() {
        Counters counters = counters();
        operations = 0;
        latencies.reset();
        return counters;
    }

    /**
     * Returns the counters. Only operations and latencies are reset by {@link #takeCounters}; the others count from the
     * start.
     */
    public synchronized Counters counters() {
        return new Counters(operations, errors, repeated, matches, mismatches, firstError, latencies.copy());
    }

    /** The number of operations. This is cheaper than all counters. */
    public synchronized long operations() {
        return operations;
    }

    /** The numbers of the blocks that were transferred without an error. */
    public synchronized BitSet blocks() {
        return (BitSet) blocks.clone();
    }

    private void ended() {
        running--;
        if (running == 0) {
            done.complete(null);
        }
    }

    private void failed(String why) {
        errors++;
        if (firstError == null) {
            firstError = why;
        }
        stopping |= errors >= MAX_ERRORS;
    }

    private final class Lane implements ReplyHandler {
        private final int slot;
        private final ByteBuffer data;
        private final ChunkOffer offer;
        private long offset;
        private long startNanos;

        Lane(int slot) {
            this.slot = slot;
            this.data = ByteBuffer.allocateDirect(transfer.blockBytes());
            this.offer = transfer.write() ? ChunkOffer.NONE : ChunkOffer.write(data);
        }

        void next(long nowNanos) {
            offset = stopping ? Offsets.END : offsets.next();
            if (offset == Offsets.END) {
                ended();
                return;
            }
            if (transfer.write() && transfer.pattern() != null) {
                transfer.pattern().fill(data, offset);
            }
            startNanos = System.nanoTime();
            send(nowNanos);
        }

        private void send(long nowNanos) {
            RpcMessage call = transfer.write()
                    ? session.writeCall(slot, offset, data, transfer.stable())
                    : session.readCall(slot, offset, transfer.blockBytes());
            requester.call(call, offer, nowNanos + transfer.timeout().toNanos(), this);
        }

        @Override
        public void replied(XdrStream message, List<ByteBuffer> written) {
            long nowNanos = System.nanoTime();
            synchronized (Load.this) {
                try {
                    if (transfer.write()) {
                        wrote(session.writeReply(slot, message));
                    } else {
                        read(session.readReply(slot, message, written));
                    }
                    operations++;
                    blocks.set((int) (offset / transfer.blockBytes()));
                    latencies.recordValue(Math.min(HIGHEST_NANOS, nowNanos - startNanos));
                } catch (NfsException e) {
                    if (e.tryAgain() && !stopping) {
                        repeated++;
                        send(nowNanos);
                        return;
                    }
                    Load.this.failed(String.valueOf(e.getMessage()));
                } catch (IOException e) {
                    Load.this.failed(String.valueOf(e.getMessage()));
                }
                next(nowNanos);
            }
        }

        private void wrote(int count) throws IOException {
            if (count != data.remaining()) {
                throw new IOException("WRITE of " + data.remaining() + " bytes took " + count);
            }
        }

        private void read(ByteBuffer got) throws IOException {
            if (got.remaining() != transfer.blockBytes()) {
                throw new IOException(
                        "READ of " + transfer.blockBytes() + " bytes at " + offset + " brought " + got.remaining());
            }
            if (transfer.pattern() == null) {
                return;
            }
            if (!transfer.pattern().matches(got, offset)) {
                mismatches++;
                throw new IOException("READ at " + offset + " brought something else than was written");
            }
            matches++;
        }

        @Override
        public void failed(RequestException why) {
            synchronized (Load.this) {
                Load.this.failed(String.valueOf(why.getMessage()));
                ended();
            }
        }
    }
}
