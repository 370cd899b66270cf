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
 * Keeps calls in flight on one connection until it is told to stop or has no more to do.
 *
 * <h2>Operation</h2>
 *
 * A lane is one call in flight: when its reply comes, on the connection's thread, it makes the next.
 *
 * <h2>Buffers</h2>
 *
 * A lane reads into and writes from a direct buffer of its own.
 *
 * <h2>Errors</h2>
 *
 * A call that the server fails is counted, and its lane goes on; one that it wants repeated is repeated and counted. A
 * call that failed below RPC ends its lane: the requester has tried long enough. Safe for any thread.
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
     * Counters at one moment.
     *
     * @param latencies in nanoseconds, a copy
     * @param repeated calls that the server asked to try again later
     * @param matches reads that brought what was written; only those are counted that were to be checked
     * @param mismatches reads that brought something else than was written
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
     * Starts as many lanes as the session has slots, or fewer.
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

    /** What was counted since the last call of this. */
    public synchronized Counters takeCounters() {
        Counters counters = counters();
        operations = 0;
        latencies.reset();
        return counters;
    }

    /** What was counted. All but operations and latencies count from the beginning. */
    public synchronized Counters counters() {
        return new Counters(operations, errors, repeated, matches, mismatches, firstError, latencies.copy());
    }

    /** Operations so far, and nothing else: cheap. */
    public synchronized long operations() {
        return operations;
    }

    /** The blocks that were transferred without an error, by number. */
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
