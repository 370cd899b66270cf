package org.warpnfs.tools.bench.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.tools.bench.nfs.NameCalls;
import org.warpnfs.tools.bench.nfs.NfsException;

/**
 * Keeps metadata calls on one directory in flight. It creates files, reads their attributes, lists them and removes
 * them.
 *
 * <p>A lane is one call in flight, as in {@link Load}. A call that fails is counted and ends its lane. If the server
 * asks to try again later, the call is repeated. Thread-safe.
 */
public final class NameLoad {
    private static final long HIGHEST_NANOS = 60_000_000_000L;
    private static final int DIGITS = 3;

    /** The tasks, in the order in which they must run. */
    public enum Task {
        CREATE,
        GETATTR,
        READDIR,
        REMOVE,
        /** Creates a file and removes it, again and again. Each lane has a name of its own. */
        CHANGE
    }

    private final Requester requester;
    private final NameCalls calls;
    private final NameCalls.Listing listing;
    private final Duration timeout;
    private final int mostNames;
    /** File handles by the number of the file. The file's name is made from its number. */
    private final List<byte[]> handles = new ArrayList<>();

    private final Histogram latencies = new Histogram(HIGHEST_NANOS, DIGITS);
    private CompletableFuture<Void> done = new CompletableFuture<>();
    private CompletableFuture<Void> answered = new CompletableFuture<>();
    private int running;
    private boolean stopping;
    private int next;
    private long operations;
    private long errors;
    private @Nullable String firstError;

    /**
     * The result of a task.
     *
     * @param operations files that were created, read for attributes or removed, or entries that were listed; for
     *     {@link Task#CHANGE} each creation and each removal
     * @param latencies latencies of the calls in nanoseconds
     */
    public record Counted(
            long operations, long errors, @Nullable String firstError, Histogram latencies) {}

    /**
     * Makes the load of one directory.
     *
     * @param listing the form of the listings
     * @param mostNames the largest number of files to create
     */
    public NameLoad(Requester requester, NameCalls calls, NameCalls.Listing listing, int mostNames, Duration timeout) {
        this.requester = requester;
        this.calls = calls;
        this.listing = listing;
        this.mostNames = mostNames;
        this.timeout = timeout;
    }

    /**
     * Starts a task with that many lanes. No other task may be running.
     *
     * @return completed when the last lane has ended
     */
    public synchronized CompletableFuture<Void> start(Task task, int lanes) {
        done = new CompletableFuture<>();
        answered = new CompletableFuture<>();
        stopping = false;
        next = 0;
        operations = 0;
        latencies.reset();
        running = lanes;
        for (int slot = 0; slot < lanes; slot++) {
            new Lane(slot, task).next();
        }
        return done;
    }

    /** Completed when a call of the latest task has been answered, with success or with an error. */
    public synchronized CompletableFuture<Void> answered() {
        return answered;
    }

    /** Makes no further calls. */
    public synchronized void stop() {
        stopping = true;
    }

    /** Returns what was counted since the start of the task. Errors count from the start of this load. */
    public synchronized Counted counted() {
        return new Counted(operations, errors, firstError, latencies.copy());
    }

    private final class Lane implements ReplyHandler {
        private final int slot;
        private final Task task;
        private final ChunkOffer offer;
        private NameCalls.Position position = NameCalls.Position.BEGIN;
        private int number;
        /** Whether this lane's file exists, in {@link Task#CHANGE}. */
        private boolean exists;

        private long startNanos;

        Lane(int slot, Task task) {
            this.slot = slot;
            this.task = task;
            this.offer = task == Task.READDIR
                    ? new ChunkOffer(List.of(), Optional.of(ByteBuffer.allocateDirect(replyBytes())))
                    : ChunkOffer.NONE;
        }

        /** The room for a reply. A server that does not count all of its reply does not fail for that. */
        private int replyBytes() {
            return 2 * listing.replyBytes();
        }

        void next() {
            boolean more =
                    switch (task) {
                        case CREATE -> next < mostNames;
                        case REMOVE -> next < handles.size();
                        case GETATTR -> !handles.isEmpty();
                        case READDIR, CHANGE -> true;
                    };
            // The lane's file goes before the lane ends.
            if ((stopping && !exists) || !more) {
                ended();
                return;
            }
            number = next++;
            startNanos = System.nanoTime();
            send();
        }

        private void ended() {
            running--;
            if (running == 0) {
                done.complete(null);
            }
        }

        private void send() {
            RpcMessage call =
                    switch (task) {
                        case CREATE -> calls.createCall(slot, name());
                        case GETATTR -> calls.attributesCall(slot, handles.get(number % handles.size()));
                        case READDIR -> calls.listCall(slot, position, listing);
                        case CHANGE -> exists ? calls.removeCall(slot, name()) : calls.createCall(slot, name());
                        case REMOVE -> calls.removeCall(slot, name());
                    };
            requester.call(call, offer, System.nanoTime() + timeout.toNanos(), this);
        }

        private String name() {
            return task == Task.CHANGE ? "lane" + slot : "file" + number;
        }

        @Override
        public void replied(XdrStream message, List<ByteBuffer> written) {
            long nowNanos = System.nanoTime();
            synchronized (NameLoad.this) {
                try {
                    operations += decoded(message);
                    latencies.recordValue(Math.min(HIGHEST_NANOS, nowNanos - startNanos));
                    answered.complete(null);
                    next();
                } catch (NfsException e) {
                    if (e.tryAgain()) {
                        send();
                    } else {
                        wrong(e);
                    }
                } catch (IOException e) {
                    wrong(e);
                }
            }
        }

        private int decoded(XdrStream message) throws IOException {
            switch (task) {
                case CREATE -> created(calls.createReply(message));
                case GETATTR -> calls.attributesReply(message);
                case READDIR -> {
                    NameCalls.Position got = calls.listReply(message, listing);
                    position = got.end() ? NameCalls.Position.BEGIN : got;
                    return got.entries();
                }
                case REMOVE -> calls.removeReply(message);
                case CHANGE -> changed(message);
            }
            return 1;
        }

        private void changed(XdrStream message) throws IOException {
            if (exists) {
                calls.removeReply(message);
            } else {
                calls.createReply(message);
            }
            exists = !exists;
        }

        /** Replies may arrive in another order than the calls were made. */
        private void created(byte[] handle) {
            while (handles.size() <= number) {
                handles.add(handle);
            }
            handles.set(number, handle);
        }

        private void wrong(Exception why) {
            errors++;
            if (firstError == null) {
                firstError = why.getMessage();
            }
            answered.complete(null);
            ended();
        }

        @Override
        public void failed(RequestException why) {
            synchronized (NameLoad.this) {
                wrong(why);
            }
        }
    }
}
