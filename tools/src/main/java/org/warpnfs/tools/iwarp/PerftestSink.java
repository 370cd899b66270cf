package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
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
 * The server's end of a connection that carries a perftest's load.
 *
 * <h2>Operation</h2>
 *
 * Reads and Writes access the memory without any event. Sends are counted, and the server writes the count into the
 * client's memory as its credit. perftest's server does so after each third of its receives. A client goes no further
 * ahead of its credit than its own {@code --rx-depth}, which is 512 or its count of messages if that is less, and which
 * the server does not know. So each count is written as soon as the one before has been sent. Messages of a latency
 * test are answered with a message of the same size, Immediate Data with the same data. Atomic operations have a word
 * of this connection as their target, which begins as 0.
 *
 * <h2>Buffers</h2>
 *
 * All receives share one, since the received bytes are not used.
 *
 * <h2>Errors</h2>
 *
 * Those of the queue pair: a message longer than a receive, an access beyond the memory.
 */
final class PerftestSink implements QueuePairHandler {
    private static final int CREDIT_BYTES = 4;

    private final ServerPlan plan;
    private final ByteBuffer payload;
    private final Meter meter;
    private final Consumer<Boolean> end;
    private volatile @Nullable QueuePair queuePair;
    private volatile PerftestDestination destination = PerftestDestination.NONE;
    private volatile PerftestDestination client = PerftestDestination.NONE;
    private long taken;
    private long told;
    private boolean telling;

    /** @param end is told whether the connection ended normally */
    PerftestSink(ServerPlan plan, ByteBuffer payload, Meter meter, Consumer<Boolean> end) {
        this.plan = plan;
        this.payload = payload;
        this.meter = meter;
        this.end = end;
    }

    /** Returns the memory that the client may read or write; called on any thread. */
    PerftestDestination destination() {
        return destination;
    }

    /** Sets the client's memory; called on any thread. */
    void setClient(PerftestDestination told) {
        client = told;
    }

    /** Ends the connection; called on any thread. */
    void abort(String why) {
        QueuePair pair = queuePair;
        if (pair != null) {
            try {
                pair.execute(() -> pair.abort(why));
            } catch (RejectedExecutionException e) {
                // The owner thread has stopped with the whole transport, so there is nothing left to end.
                return;
            }
        }
    }

    @Override
    public void created(QueuePair pair) {
        queuePair = pair;
        switch (plan.kind()) {
            case READ_BW -> offer(pair, payload, EnumSet.of(AccessRight.REMOTE_READ));
            case WRITE_BW -> offer(pair, payload, EnumSet.of(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ));
            case ATOMIC_LAT -> offer(pair, word(), EnumSet.of(AccessRight.REMOTE_ATOMIC));
            case SEND_BW, SEND_LAT -> {
                offer(pair, payload, EnumSet.of(AccessRight.REMOTE_READ));
                for (int i = 0; i < plan.depth(); i++) {
                    pair.postReceive(i, payload.duplicate());
                }
            }
            case PING -> throw new IllegalStateException("no perftest");
        }
    }

    /** A word at an address that atomic operations may have as their target (RFC 7306, section 5). */
    private static ByteBuffer word() {
        return ByteBuffer.allocateDirect(2 * TestOperation.WORD_BYTES)
                .alignedSlice(TestOperation.WORD_BYTES)
                .limit(TestOperation.WORD_BYTES);
    }

    private void offer(QueuePair pair, ByteBuffer memory, Set<AccessRight> rights) {
        MemoryRegion region = pair.register(memory, rights);
        destination = new PerftestDestination(1, new RemoteMemory(region.stag(), region.taggedOffset()));
    }

    @Override
    public void established(QueuePair pair) {}

    @Override
    public void completed(QueuePair pair, Completion completion) {
        if (completion.status() != CompletionStatus.SUCCESS) {
            return;
        }
        switch (completion) {
            case Completion.Received received -> {
                int bytes = received.buffer().remaining();
                took(pair, received, bytes);
                if (plan.kind() == TestKind.SEND_LAT) {
                    pair.post(WorkRequest.Send.of(0, payload.slice(0, bytes)));
                }
            }
            case Completion.ReceivedImmediate received -> {
                took(pair, received, TestOperation.WORD_BYTES);
                pair.post(new WorkRequest.ImmediateData(0, received.data(), received.solicitedEvent()));
            }
            case Completion.Sent _, Completion.Written _, Completion.ImmediateSent _ -> telling = false;
            case Completion.ReadDone _, Completion.AtomicDone _, Completion.Invalidated _ -> telling = false;
        }
    }

    private void took(QueuePair pair, Completion completion, int bytes) {
        meter.count(bytes, -1);
        pair.postReceive(completion.workRequestId(), payload.duplicate());
        taken++;
    }

    @Override
    public void completionsDrained(QueuePair pair) {
        RemoteMemory memory = client.memory();
        if (plan.kind() == TestKind.SEND_BW && taken != told && !telling && memory.stag() != 0) {
            told = taken;
            telling = true;
            ByteBuffer count = ByteBuffer.allocateDirect(CREDIT_BYTES).putInt(0, Integer.reverseBytes((int) told));
            pair.post(new WorkRequest.RdmaWrite(0, List.of(count), memory));
        }
        pair.flush();
    }

    @Override
    public void disconnected(QueuePair pair, DisconnectReason reason) {
        end.accept(reason.cause() == Cause.PEER_CLOSE);
    }
}
