package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** An upper layer that does a little of everything, always the same, and parts when both ends are done. */
final class Workload implements QueuePairHandler {
    private static final int[] SIZES = {0, 1, 100, 486, 3_001, 20_000};
    private static final int REGION_BYTES = 100_000;
    private static final int[] REGION_SIZES = {0, 9, 5_000, 70_001};

    /** What each end posts; the other's messages come on top. */
    static final int MESSAGES = SIZES.length + 3 * REGION_SIZES.length;

    private QueuePair queuePair;
    private Workload peer;
    private MemoryRegion memory;
    private int outstanding = SIZES.length + 2 * REGION_SIZES.length;
    private int toReceive = SIZES.length;
    private boolean ended;

    void joins(Workload other) {
        peer = other;
    }

    boolean done() {
        return outstanding == 0 && toReceive == 0 && ended;
    }

    @Override
    public void created(QueuePair created) {
        queuePair = created;
        memory = created.register(
                ByteBuffer.allocateDirect(REGION_BYTES), EnumSet.of(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ));
        for (int i = 0; i < SIZES.length; i++) {
            created.postReceive(i, ByteBuffer.allocateDirect(SIZES[SIZES.length - 1]));
        }
    }

    @Override
    public void established(QueuePair pair) {
        for (int size : SIZES) {
            pair.post(WorkRequest.Send.of(size, filled(size)));
        }
        RemoteMemory far = new RemoteMemory(peer.memory.stag(), peer.memory.taggedOffset());
        for (int size : REGION_SIZES) {
            pair.post(new WorkRequest.RdmaWrite(size, List.of(filled(size)), far));
        }
        for (int size : REGION_SIZES) {
            MemoryRegion sink = pair.register(ByteBuffer.allocateDirect(size), EnumSet.of(AccessRight.LOCAL_WRITE));
            pair.post(new WorkRequest.RdmaRead(size, sink, 0, size, far));
        }
        pair.flush();
    }

    private static ByteBuffer filled(int size) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(size);
        for (int i = 0; i < size; i++) {
            bytes.put(i, (byte) (i % 251));
        }
        return bytes;
    }

    @Override
    public void completed(QueuePair pair, Completion completion) {
        if (completion.status() != CompletionStatus.SUCCESS) {
            return;
        }
        if (completion instanceof Completion.Received) {
            toReceive--;
        } else {
            outstanding--;
        }
    }

    @Override
    public void completionsDrained(QueuePair pair) {
        if (worked() && peer.worked()) {
            queuePair.disconnect();
        }
    }

    private boolean worked() {
        return outstanding == 0 && toReceive == 0;
    }

    @Override
    public void disconnected(QueuePair pair, DisconnectReason reason) {
        ended = true;
    }
}
