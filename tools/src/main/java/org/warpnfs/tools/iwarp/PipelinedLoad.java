package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * Reads, Writes or Sends, many at a time; or atomic operations, one at a time.
 *
 * <h2>Operation</h2>
 *
 * Keeps up to the plan's depth of work requests posted. Their ids are the times of their posting. Sends go no further
 * than the server has receives: it writes into {@link #destination()} how many it has taken, in the byte order of the
 * machines that perftest runs on, which is little-endian. Such a write causes no event, so {@link #goOn} must be called
 * periodically. Each atomic operation must find what those before it have left. At the end a fence confirms that
 * everything has arrived, if the server offers one.
 *
 * <h2>Buffers</h2>
 *
 * One for all messages, since its bytes are not used.
 *
 * <h2>Errors</h2>
 *
 * As of {@link PerftestLoad}.
 */
final class PipelinedLoad extends PerftestLoad {
    private static final int CREDIT_BYTES = 4;
    private static final long FENCE_ID = 0;

    private final ClientPlan plan;
    private final ByteBuffer payload;
    private final ByteBuffer credits = ByteBuffer.allocateDirect(CREDIT_BYTES);
    private @Nullable MemoryRegion local;
    private RemoteMemory server = PerftestDestination.NONE.memory();
    private @Nullable MemoryRegion fence;
    private long started;
    private int outstanding;
    private int depth;

    PipelinedLoad(ClientPlan plan) {
        this.plan = plan;
        this.payload = ByteBuffer.allocateDirect(plan.sizeBytes());
    }

    @Override
    public void created(QueuePair queuePair) {}

    @Override
    public void established(QueuePair queuePair) {
        local = switch (plan.kind()) {
            case READ_BW -> queuePair.register(payload, EnumSet.of(AccessRight.LOCAL_WRITE));
            case SEND_BW -> queuePair.register(credits, EnumSet.of(AccessRight.REMOTE_WRITE));
            case WRITE_BW, SEND_LAT, ATOMIC_LAT, PING -> null;
        };
        depth = switch (plan.kind()) {
            case READ_BW -> Math.min(plan.depth(), queuePair.parameters().ord());
            case ATOMIC_LAT -> Math.min(1, queuePair.parameters().ord());
            case SEND_BW, WRITE_BW, SEND_LAT, PING -> plan.depth();
        };
        if ((plan.kind() == TestKind.SEND_BW || plan.kind() == TestKind.WRITE_BW)
                && queuePair.parameters().ord() > 0
                && PerftestFence.isOffered(queuePair.parameters().peerPrivateData())) {
            fence = queuePair.register(ByteBuffer.allocateDirect(1), EnumSet.of(AccessRight.LOCAL_WRITE));
        }
        super.established(queuePair);
    }

    @Override
    PerftestDestination destination() {
        MemoryRegion region = local;
        return region == null
                ? PerftestDestination.NONE
                : new PerftestDestination(depth, new RemoteMemory(region.stag(), region.taggedOffset()));
    }

    @Override
    void begin(QueuePair queuePair, PerftestDestination destination) {
        server = destination.memory();
        if (depth == 0) {
            fail(new TestFailure("the server answers no RDMA Reads or atomic operations: it offers an IRD of 0"));
            return;
        }
        goOn(queuePair);
    }

    /** Posts further messages if possible; called on the owner thread. */
    void goOn(QueuePair queuePair) {
        if (done().isDone()) {
            return;
        }
        boolean more = plan.wantsMore(started, meter().elapsedNanos());
        for (; more && outstanding < depth && hasCredit(); more = plan.wantsMore(started, meter().elapsedNanos())) {
            queuePair.post(next(System.nanoTime()));
            started++;
            outstanding++;
        }
        MemoryRegion region = fence;
        if (!more && outstanding == 0 && region != null) {
            fence = null;
            outstanding++;
            queuePair.post(new WorkRequest.RdmaRead(FENCE_ID, region, 0, 1, server));
        }
        queuePair.flush();
        if (!more && outstanding == 0) {
            done().complete(null);
        }
    }

    private boolean hasCredit() {
        // The server may be one message behind its own count: it posts a receive again before it writes.
        return plan.kind() != TestKind.SEND_BW
                || (int) started - Integer.reverseBytes(credits.getInt(0)) < plan.peerReceives() - 1;
    }

    private WorkRequest next(long id) {
        MemoryRegion region = local;
        return switch (plan.kind()) {
            case WRITE_BW -> new WorkRequest.RdmaWrite(id, List.of(payload), server);
            case ATOMIC_LAT -> nextAtomic(id);
            case SEND_BW, SEND_LAT, PING -> WorkRequest.Send.of(id, payload);
            case READ_BW -> {
                if (region == null) {
                    throw new IllegalStateException("not established");
                }
                yield new WorkRequest.RdmaRead(id, region, 0, plan.sizeBytes(), server);
            }
        };
    }

    /** The word of our server begins as 0, and each operation makes it one larger. */
    private WorkRequest nextAtomic(long id) {
        return plan.operation() == TestOperation.FETCH_ADD
                ? new WorkRequest.FetchAdd(id, server, MaskedWord.addend(1))
                : new WorkRequest.CompareSwap(id, server, MaskedWord.whole(started), MaskedWord.whole(started + 1));
    }

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        if (completion.status() == CompletionStatus.SUCCESS) {
            outstanding--;
            if (completion instanceof Completion.AtomicDone done && done.originalValue() != started - 1) {
                fail(new TestFailure(
                        "the word was " + done.originalValue() + " after " + (started - 1) + " operations"));
                return;
            }
            if (plan.kind() == TestKind.READ_BW || !(completion instanceof Completion.ReadDone)) {
                meter().count(plan.sizeBytes(), System.nanoTime() - completion.workRequestId());
            }
        }
    }

    @Override
    public void completionsDrained(QueuePair queuePair) {
        goOn(queuePair);
    }
}
