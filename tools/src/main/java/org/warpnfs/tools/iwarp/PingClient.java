package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * The client of rping on one connection.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 * state       event      -> state      output
 * CONNECTING  connected  -> CONNECTED
 * CONNECTED   start      -> READING    advertises a text
 * READING     a message  -> WRITING    the server has read the text: advertises an empty buffer
 * WRITING     a message  -> READING    the server has written: compares, advertises the next text
 *                        -> LEAVING    that was the last: disconnects
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * Its own, for its lifetime.
 *
 * <h2>Errors</h2>
 *
 * Different bytes and an unexpected end of the connection fail {@link #done()}.
 */
final class PingClient implements QueuePairHandler {
    private static final int RECEIVES = 2;

    private enum State {
        CONNECTING,
        CONNECTED,
        READING,
        WRITING,
        LEAVING
    }

    private final ClientPlan plan;
    private final Meter meter;
    private final ByteBuffer text;
    private final ByteBuffer echo;
    private final CompletableFuture<QueuePair> connected = new CompletableFuture<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private State state = State.CONNECTING;
    private @Nullable MemoryRegion source;
    private @Nullable MemoryRegion sink;
    private long pings;
    private long startedNanos;

    PingClient(ClientPlan plan, Meter meter) {
        this.plan = plan;
        this.meter = meter;
        this.text = ByteBuffer.allocateDirect(plan.sizeBytes());
        this.echo = ByteBuffer.allocateDirect(plan.sizeBytes());
    }

    /** Completes with the queue pair to {@link #start} on. */
    CompletableFuture<QueuePair> connected() {
        return connected;
    }

    /** Completes when the connection has ended after the last ping. */
    CompletableFuture<Void> done() {
        return done;
    }

    @Override
    public void created(QueuePair queuePair) {
        for (int i = 0; i < RECEIVES; i++) {
            queuePair.postReceive(i, ByteBuffer.allocateDirect(PingAdvertisement.BYTES));
        }
    }

    @Override
    public void established(QueuePair queuePair) {
        source = queuePair.register(text, EnumSet.of(AccessRight.REMOTE_READ));
        sink = queuePair.register(echo, EnumSet.of(AccessRight.REMOTE_WRITE));
        state = State.CONNECTED;
        connected.complete(queuePair);
    }

    /** Starts the pings; called on the owner thread. */
    void start(QueuePair queuePair) {
        if (state == State.CONNECTED) {
            ping(queuePair);
        }
    }

    private void ping(QueuePair queuePair) {
        MemoryRegion region = source;
        if (region == null || !plan.wantsMore(pings, meter.elapsedNanos())) {
            state = State.LEAVING;
            queuePair.disconnect();
            return;
        }
        PingText.write(text, pings);
        startedNanos = System.nanoTime();
        state = State.READING;
        advertise(queuePair, region);
    }

    private static void advertise(QueuePair queuePair, MemoryRegion region) {
        queuePair.post(WorkRequest.Send.of(
                0,
                new PingAdvertisement(new RemoteMemory(region.stag(), region.taggedOffset()), region.lengthBytes())
                        .encode()));
        queuePair.flush();
    }

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        if (completion instanceof Completion.Received received && received.status() == CompletionStatus.SUCCESS) {
            queuePair.postReceive(received.workRequestId(), received.buffer().clear());
            goOn(queuePair);
        }
    }

    private void goOn(QueuePair queuePair) {
        MemoryRegion region = sink;
        if (region == null) {
            throw new IllegalStateException("a message before the connection was established");
        }
        switch (state) {
            case READING -> {
                state = State.WRITING;
                advertise(queuePair, region);
            }
            case WRITING -> {
                int wrong = text.mismatch(echo);
                if (wrong >= 0) {
                    fail(queuePair, "ping " + pings + " came back with another byte at " + wrong);
                    return;
                }
                pings++;
                meter.count(plan.sizeBytes(), System.nanoTime() - startedNanos);
                ping(queuePair);
            }
            case CONNECTING, CONNECTED, LEAVING ->
                fail(queuePair, "the server spoke out of turn after " + pings + " pings");
        }
    }

    private void fail(QueuePair queuePair, String why) {
        done.completeExceptionally(new TestFailure(why));
        queuePair.abort(why);
    }

    @Override
    public void disconnected(QueuePair queuePair, DisconnectReason reason) {
        // If the test is only to connect, either end may disconnect first, as ucmatose does.
        boolean nothingToDo = state == State.CONNECTED && !plan.wantsMore(0, 0) && reason.cause() == Cause.PEER_CLOSE;
        if (state == State.LEAVING || nothingToDo) {
            done.complete(null);
        } else {
            TestFailure failure = ConnectionEnds.asFailure(
                    reason, state == State.CONNECTING ? "" : " after " + pings + " of the pings");
            connected.completeExceptionally(failure);
            done.completeExceptionally(failure);
        }
    }
}
