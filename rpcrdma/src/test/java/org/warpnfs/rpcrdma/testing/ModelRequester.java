package org.warpnfs.rpcrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;

/**
 * A requester that keeps every rule of RFC 5666 and checks that the responder does. Each reply must answer one
 * outstanding call, once. Each grant must be within its limits. Results must be in the right place, byte for byte. When
 * its connection ends, it reconnects and repeats unanswered calls with the same XIDs.
 */
public final class ModelRequester implements QueuePairHandler {
    private static final int INLINE_BYTES = 4096;
    private static final int RECEIVES = 24;
    private static final int READS = 4;

    private final Connector connector;
    private final SplittableRandom random;
    private final long maxGrant;
    private final Queue<ModelCall> waiting = new ArrayDeque<>();
    private final Map<Long, ModelCall> outstanding = new HashMap<>();
    private final Map<Long, Runnable> reading = new HashMap<>();
    private QueuePair queuePair;
    private long granted = 1;
    private int donesOwed;
    private long nextId;
    private boolean stopped;

    /** The number of connections that were lost or never established. */
    public int reconnects;

    public int answered;

    public ModelRequester(Connector connector, SplittableRandom random, long maxGrant) {
        this.connector = connector;
        this.random = random;
        this.maxGrant = maxGrant;
        connect();
    }

    private void connect() {
        ByteBuffer privateData = new PrivateData(random.nextBoolean(), INLINE_BYTES, INLINE_BYTES).encoded();
        int ird = random.nextInt(1, 9);
        connector.connect(SimulatedResponder.ADDRESS, new ConnectOptions(privateData, ird, READS), this);
    }

    /** Queues a call. */
    public void call(ModelCall call) {
        waiting.add(call);
        sendWaiting();
    }

    /** The number of calls without an answer. */
    public int unanswered() {
        return waiting.size() + outstanding.size() + reading.size();
    }

    SplittableRandom random() {
        return random;
    }

    /** Registers memory in pieces, with one region for all of them or one each. */
    List<RdmaSegment> segments(ByteBuffer memory, AccessRight right) {
        List<RdmaSegment> segments = new ArrayList<>();
        boolean oneRegion = random.nextBoolean();
        MemoryRegion whole = oneRegion ? queuePair.register(memory, Set.of(right)) : null;
        int at = 0;
        while (at < memory.remaining()) {
            int left = memory.remaining() - at;
            int step = random.nextInt(3) == 0 ? left : random.nextInt(1, left + 1);
            if (whole != null) {
                segments.add(new RdmaSegment(whole.stag(), step, whole.taggedOffset() + at));
            } else {
                MemoryRegion piece = queuePair.register(memory.slice(at, step), Set.of(right));
                segments.add(new RdmaSegment(piece.stag(), step, piece.taggedOffset()));
            }
            at += step;
            if (segments.size() == 6 && at < memory.remaining()) {
                segments.addAll(rest(memory.slice(at, memory.remaining() - at), right));
                break;
            }
        }
        return segments;
    }

    private List<RdmaSegment> rest(ByteBuffer memory, AccessRight right) {
        MemoryRegion piece = queuePair.register(memory, Set.of(right));
        return List.of(new RdmaSegment(piece.stag(), memory.remaining(), piece.taggedOffset()));
    }

    private void sendWaiting() {
        while (queuePair != null && !waiting.isEmpty() && outstanding.size() + donesOwed < granted) {
            ModelCall call = waiting.remove();
            outstanding.put(call.xid(), call);
            send(call.marshal(this));
        }
    }

    private void send(ByteBuffer message) {
        queuePair.post(WorkRequest.Send.of(nextId++, message));
        queuePair.flush();
    }

    @Override
    public void created(QueuePair qp) {
        queuePair = qp;
        granted = 1;
        donesOwed = 0;
        for (int i = 0; i < RECEIVES; i++) {
            qp.postReceive(i, ByteBuffer.allocate(INLINE_BYTES));
        }
    }

    @Override
    public void established(QueuePair qp) {
        sendWaiting();
    }

    @Override
    public void completed(QueuePair qp, Completion completion) {
        if (completion.status() != CompletionStatus.SUCCESS) {
            return;
        }
        switch (completion) {
            case Completion.Received received -> {
                try {
                    replied(received.buffer());
                } catch (RpcRdmaViolation e) {
                    throw new AssertionError("the responder sent nonsense", e);
                }
                qp.postReceive(0, ByteBuffer.allocate(INLINE_BYTES));
                sendWaiting();
            }
            case Completion.ReadDone done ->
                reading.remove(done.workRequestId()).run();
            case Completion.Sent sent -> {}
            case Completion.Written written -> throw new AssertionError("a requester writes nothing");
            case Completion.ReceivedImmediate _, Completion.ImmediateSent _ ->
                throw new AssertionError("RPC-over-RDMA has no Immediate Data");
            case Completion.AtomicDone _ -> throw new AssertionError("RPC-over-RDMA has no atomic operations");
            case Completion.Invalidated _ -> throw new AssertionError("a requester posts no invalidation");
        }
    }

    private void replied(ByteBuffer message) throws RpcRdmaViolation {
        RpcRdmaHeader header = SimulatedResponder.header(message);
        assertThat(header.credits()).as("grant").isBetween(1L, maxGrant);
        ModelCall call = outstanding.remove(header.xid());
        assertThat(call).as("the call that %s answers", header).isNotNull();
        granted = header.credits();
        call.replied(this, header, message);
    }

    /** All bytes of a call's reply have arrived and are right. */
    void done() {
        answered++;
    }

    /** Reads the exposed data of a reply, sends RDMA_DONE, and then checks the data. */
    void read(long xid, ReadSegment exposed, Consumer<ByteBuffer> check) {
        donesOwed++;
        int lengthBytes = (int) exposed.segment().lengthBytes();
        ByteBuffer sink = ByteBuffer.allocate(lengthBytes);
        MemoryRegion region = queuePair.register(sink, Set.of(AccessRight.LOCAL_WRITE));
        long id = nextId++;
        reading.put(id, () -> {
            send(new RdmaDone(xid, 32).encoded());
            donesOwed--;
            check.accept(sink);
            done();
            sendWaiting();
        });
        RemoteMemory source =
                new RemoteMemory(exposed.segment().handle(), exposed.segment().offset());
        queuePair.post(new WorkRequest.RdmaRead(id, region, 0, lengthBytes, source));
        queuePair.flush();
    }

    @Override
    public void disconnected(QueuePair qp, DisconnectReason reason) {
        reconnects++;
        queuePair = null;
        waiting.addAll(outstanding.values());
        outstanding.clear();
        // These calls were answered and have run. It is only this requester that has not seen all of the answers.
        reading.clear();
        if (!stopped) {
            connect();
        }
    }

    /** Stops reconnecting. */
    public void stop() {
        stopped = true;
    }
}
