package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * Reads, Writes or Sends, many at a time.
 *
 * <h2>Operation</h2>
 *
 * Keeps up to the plan's depth of work requests posted. Their ids are the times of their posting. Sends go no further
 * than the server has receives: it writes into {@link #destination()} how many it has taken, in the byte order of the
 * machines that perftest runs on, which is little-endian. Such a write causes no event, so {@link #goOn} must be called
 * periodically. At the end a fence confirms that everything has arrived, if the server offers one.
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
            case WRITE_BW, SEND_LAT, PING -> null;
        };
        depth = plan.kind() == TestKind.READ_BW
                ? Math.min(plan.depth(), queuePair.parameters().ord())
                : plan.depth();
        if (plan.kind() != TestKind.READ_BW
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
            fail(new TestFailure("the server answers no RDMA Reads: it offers an IRD of 0"));
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
            case SEND_BW, SEND_LAT, PING -> WorkRequest.Send.of(id, payload);
            case READ_BW -> {
                if (region == null) {
                    throw new IllegalStateException("not established");
                }
                yield new WorkRequest.RdmaRead(id, region, 0, plan.sizeBytes(), server);
            }
        };
    }

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        if (completion.status() == CompletionStatus.SUCCESS) {
            outstanding--;
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
