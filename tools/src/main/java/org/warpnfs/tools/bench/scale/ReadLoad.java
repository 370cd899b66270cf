package org.warpnfs.tools.bench.scale;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.BenchOptions;
import org.warpnfs.tools.bench.Connections.Connection;
import org.warpnfs.tools.bench.nfs.NfsException;

/**
 * READs at random offsets over many connections, each with the same number of calls in flight. All connections share
 * one histogram, so that a connection costs the load generator little.
 *
 * <p>A call is repeated if the server asks for it. Any other failure fails the run. Thread-safe.
 */
final class ReadLoad {
    private static final int DIGITS = 3;

    private final BenchOptions options;
    private final Recorder latencies = new Recorder(DIGITS);
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private final List<CompletableFuture<Void>> ends = new ArrayList<>();
    private volatile boolean stopping;

    private ReadLoad(BenchOptions options) {
        this.options = options;
    }

    /** Starts the calls. The files of the sessions must be open. */
    static ReadLoad start(List<Connection> connections, BenchOptions options) {
        ReadLoad load = new ReadLoad(options);
        for (int number = 0; number < connections.size(); number++) {
            Connection connection = connections.get(number);
            for (int slot = 0;
                    slot < Math.min(options.depth(), connection.session().slots());
                    slot++) {
                CompletableFuture<Void> end = new CompletableFuture<>();
                load.ends.add(end);
                load.new Lane(connection, slot, new SplittableRandom((long) number << Integer.SIZE | slot), end).next();
            }
        }
        return load;
    }

    /**
     * Waits, and returns the latencies in nanoseconds of the calls that ended meanwhile.
     *
     * @throws BenchException if a call has failed
     */
    Histogram measure(Duration duration) throws BenchException, InterruptedException {
        latencies.reset();
        Thread.sleep(duration);
        Histogram measured = latencies.getIntervalHistogram();
        check();
        return measured;
    }

    private void check() throws BenchException {
        String why = failure.get();
        if (why != null) {
            throw new BenchException("a READ failed: " + why);
        }
    }

    /** Makes no further calls and waits for those in flight. */
    void stop() throws BenchException, InterruptedException {
        stopping = true;
        try {
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .get(2 * options.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new BenchException("the calls do not end", e);
        }
        check();
    }

    /** One call in flight. When its reply arrives it makes the next call, on the connection's thread. */
    private final class Lane implements ReplyHandler {
        private final Connection connection;
        private final int slot;
        private final SplittableRandom random;
        private final CompletableFuture<Void> end;
        private final ChunkOffer offer;
        private long offset;
        private long startNanos;

        Lane(Connection connection, int slot, SplittableRandom random, CompletableFuture<Void> end) {
            this.connection = connection;
            this.slot = slot;
            this.random = random;
            this.end = end;
            this.offer = ChunkOffer.write(ByteBuffer.allocateDirect(options.sizeBytes()));
        }

        void next() {
            if (stopping) {
                end.complete(null);
                return;
            }
            offset = random.nextLong(options.blocks()) * options.sizeBytes();
            startNanos = System.nanoTime();
            send(startNanos);
        }

        private void send(long nowNanos) {
            connection
                    .requester()
                    .call(
                            connection.session().readCall(slot, offset, options.sizeBytes()),
                            offer,
                            nowNanos + options.timeout().toNanos(),
                            this);
        }

        @Override
        public void replied(XdrStream reply, List<ByteBuffer> written) {
            long nowNanos = System.nanoTime();
            try {
                ByteBuffer got = connection.session().readReply(slot, reply, written);
                if (got.remaining() != options.sizeBytes()) {
                    fail("it brought " + got.remaining() + " bytes of " + options.sizeBytes());
                    return;
                }
            } catch (NfsException e) {
                if (e.tryAgain() && !stopping) {
                    send(nowNanos);
                } else {
                    fail(String.valueOf(e.getMessage()));
                }
                return;
            } catch (IOException e) {
                fail(String.valueOf(e.getMessage()));
                return;
            }
            latencies.recordValue(nowNanos - startNanos);
            next();
        }

        @Override
        public void failed(RequestException why) {
            fail(String.valueOf(why.getMessage()));
        }

        private void fail(String why) {
            failure.compareAndSet(null, why);
            end.complete(null);
        }
    }
}
