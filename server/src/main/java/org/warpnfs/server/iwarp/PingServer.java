package org.warpnfs.server.iwarp;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
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
 * One of the largest size that is served, as long as the connection lasts.
 *
 * <h2>Errors</h2>
 *
 * A client that speaks out of turn, or advertises more than is served, is told nothing more.
 */
final class PingServer implements QueuePairHandler {
    private static final int RECEIVES = 2;

    private enum State {
        READING,
        COPYING,
        WRITING
    }

    private final String client;
    private final ByteBuffer text;
    private final ClientLog log;
    private State state = State.READING;
    private @Nullable MemoryRegion sink;
    private int textBytes;
    private long pings;

    private PingServer(String client, int sizeBytes, ClientLog log) {
        this.client = client;
        this.text = ByteBuffer.allocateDirect(sizeBytes);
        this.log = log;
    }

    static void accept(ConnectionRequest request, ServerPlan plan, ClientLog log) {
        request.accept(
                new ConnectOptions(ByteBuffer.allocate(0), 1, 1),
                new PingServer(ClientLog.name(request.remoteAddress()), plan.sizeBytes(), log));
    }

    @Override
    public void created(QueuePair queuePair) {
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
            // A ping has none of these, and its connections have them switched off.
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
        log.ended(well, client + ": " + pings + " pings" + (well ? "" : ", " + ConnectionEnds.describe(reason)));
    }
}
