package org.warpnfs.tools.iwarp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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
 * The server of rping on one connection.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 * state    event            -> state    output
 * READING  advertisement    -> COPYING  reads the text
 * COPYING  read             -> WRITING  tells the client to go on
 * WRITING  advertisement    -> READING  writes the text back, up to its NUL, and tells the client to go on
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * One of the largest supported size, for the lifetime of the connection.
 *
 * <h2>Errors</h2>
 *
 * A client that sends out of turn, advertises more than is supported, or is silent for too long, is disconnected.
 */
final class PingServer implements QueuePairHandler {
    private static final int RECEIVES = 2;

    private enum State {
        READING,
        COPYING,
        WRITING
    }

    /** Is told the end of the connection. */
    @FunctionalInterface
    interface End {
        void ended(PingServer client, boolean well, String line);
    }

    private final ServerPlan plan;
    private final InetSocketAddress client;
    private final ByteBuffer text;
    private final End end;
    private volatile @Nullable QueuePair connection;
    private volatile long lastNanos = System.nanoTime();
    private State state = State.READING;
    private @Nullable MemoryRegion sink;
    private int textBytes;
    private long pings;

    PingServer(ServerPlan plan, InetSocketAddress client, End end) {
        this.plan = plan;
        this.client = client;
        this.text = ByteBuffer.allocateDirect(plan.sizeBytes());
        this.end = end;
    }

    /** Disconnects the client if it has been silent for too long; called on any thread. */
    void lookForSilence(long nowNanos) {
        QueuePair silent = connection;
        if (silent == null || nowNanos - lastNanos < TimeUnit.SECONDS.toNanos(plan.patienceSeconds())) {
            return;
        }
        try {
            silent.execute(() -> silent.abort("silent for " + plan.patienceSeconds() + " s"));
        } catch (RejectedExecutionException e) {
            // The owner thread has stopped with the whole transport, so there is nothing left to end.
            return;
        }
    }

    @Override
    public void created(QueuePair queuePair) {
        connection = queuePair;
        for (int i = 0; i < RECEIVES; i++) {
            queuePair.postReceive(i, ByteBuffer.allocateDirect(PingAdvertisement.BYTES));
        }
    }

    @Override
    public void established(QueuePair queuePair) {
        sink = queuePair.register(text, EnumSet.of(AccessRight.LOCAL_WRITE));
    }

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        if (completion.status() != CompletionStatus.SUCCESS) {
            return;
        }
        lastNanos = System.nanoTime();
        switch (completion) {
            case Completion.Received received -> {
                PingAdvertisement advertisement = PingAdvertisement.parse(received.buffer());
                queuePair.postReceive(
                        received.workRequestId(), received.buffer().clear());
                if (advertisement == null) {
                    queuePair.abort("a message that is no advertisement");
                } else {
                    advertised(queuePair, advertisement);
                }
            }
            case Completion.ReadDone read -> {
                state = State.WRITING;
                goOn(queuePair);
            }
            case Completion.Sent sent -> {}
            case Completion.Written written -> {}
            // A ping uses none of these, and they are disabled on its connections.
            case Completion.ReceivedImmediate _ -> queuePair.abort("Immediate Data in a ping");
            case Completion.ImmediateSent _ -> queuePair.abort("Immediate Data that nobody posted");
            case Completion.AtomicDone _ -> queuePair.abort("an atomic operation that nobody posted");
            case Completion.Invalidated _ -> queuePair.abort("an invalidation that nobody posted");
        }
    }

    private void advertised(QueuePair queuePair, PingAdvertisement advertisement) {
        MemoryRegion region = sink;
        if (region == null || state == State.COPYING) {
            queuePair.abort("an advertisement out of turn");
        } else if (state == State.READING) {
            if (advertisement.lengthBytes() < 1 || advertisement.lengthBytes() > text.capacity()) {
                queuePair.abort("a ping of " + advertisement.lengthBytes() + " bytes, limit " + text.capacity());
                return;
            }
            textBytes = (int) advertisement.lengthBytes();
            state = State.COPYING;
            queuePair.post(new WorkRequest.RdmaRead(0, region, 0, textBytes, advertisement.memory()));
            queuePair.flush();
        } else {
            int back = Math.min(
                    PingText.lengthWithNul(text, textBytes), (int) Math.min(advertisement.lengthBytes(), textBytes));
            state = State.READING;
            pings++;
            queuePair.post(new WorkRequest.RdmaWrite(0, List.of(text.slice(0, back)), advertisement.memory()));
            goOn(queuePair);
        }
    }

    private static void goOn(QueuePair queuePair) {
        queuePair.post(WorkRequest.Send.of(0, new PingAdvertisement(new RemoteMemory(0, 0), 0).encode()));
        queuePair.flush();
    }

    @Override
    public void disconnected(QueuePair queuePair, DisconnectReason reason) {
        boolean well = reason.cause() == Cause.PEER_CLOSE && state == State.READING;
        end.ended(
                this,
                well,
                HostText.of(client) + ": " + pings + " pings" + (well ? "" : ", " + ConnectionEnds.describe(reason)));
    }
}
