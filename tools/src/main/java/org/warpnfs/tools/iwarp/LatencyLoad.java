package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * Sends a message or Immediate Data, waits for the server's, and repeats this. The latency is half of the round trip,
 * as in perftest.
 *
 * <h2>Buffers</h2>
 *
 * One to send from and one to receive into; their bytes are not used.
 *
 * <h2>Errors</h2>
 *
 * A message of another length than ours, or Immediate Data of other content, fails the test; otherwise as in
 * {@link PerftestLoad}.
 */
final class LatencyLoad extends PerftestLoad {
    private static final int RECEIVES = 2;

    private final ClientPlan plan;
    private final ByteBuffer out;
    private final ByteBuffer in;
    private long started;
    private long startedNanos;

    LatencyLoad(ClientPlan plan) {
        this.plan = plan;
        this.out = ByteBuffer.allocateDirect(plan.sizeBytes());
        this.in = ByteBuffer.allocateDirect(plan.sizeBytes());
    }

    @Override
    public void created(QueuePair queuePair) {
        for (int i = 0; i < RECEIVES; i++) {
            queuePair.postReceive(i, in.duplicate());
        }
    }

    @Override
    void begin(QueuePair queuePair, PerftestDestination server) {
        next(queuePair);
    }

    private void next(QueuePair queuePair) {
        if (!plan.wantsMore(started, meter().elapsedNanos())) {
            done().complete(null);
            return;
        }
        started++;
        startedNanos = System.nanoTime();
        queuePair.post(
                plan.operation() == TestOperation.IMMEDIATE
                        ? new WorkRequest.ImmediateData(0, started, started % 2 == 0)
                        : WorkRequest.Send.of(0, out));
        queuePair.flush();
    }

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        if (completion.status() != CompletionStatus.SUCCESS) {
            return;
        }
        boolean words = plan.operation() == TestOperation.IMMEDIATE;
        int bytes;
        boolean wanted;
        switch (completion) {
            case Completion.Received received -> {
                bytes = received.buffer().remaining();
                wanted = !words && bytes == plan.sizeBytes();
            }
            case Completion.ReceivedImmediate received -> {
                bytes = TestOperation.WORD_BYTES;
                wanted = words && received.data() == started && received.solicitedEvent() == (started % 2 == 0);
            }
            case Completion.Sent _, Completion.ImmediateSent _, Completion.Written _ -> {
                return;
            }
            case Completion.ReadDone _, Completion.AtomicDone _, Completion.Invalidated _ -> {
                return;
            }
        }
        if (!wanted || meter().messages() == started) {
            fail(new TestFailure("an answer of " + bytes + " bytes that nobody asked for"));
            return;
        }
        meter().count(bytes, (System.nanoTime() - startedNanos) / 2);
        queuePair.postReceive(completion.workRequestId(), in.duplicate());
        next(queuePair);
    }
}
