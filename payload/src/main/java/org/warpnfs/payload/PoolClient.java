package org.warpnfs.payload;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/** The buffers that one client holds of a {@link PayloadPool}, and its waiting requests. Guarded by the pool. */
final class PoolClient {
    final ClientAddress address;

    /** Waiting requests, the oldest first. */
    final Deque<PoolRequest> waiting = new ArrayDeque<>();

    private final Map<Slabs.SizeClass, Long> heldBytesOf = new HashMap<>();
    private long heldBytes;

    PoolClient(ClientAddress address) {
        this.address = address;
    }

    /** Counts a buffer that the client got; for a buffer that it gave back, {@code bytes} is negative. */
    void hold(Slabs.SizeClass sizeClass, int bytes) {
        heldBytes += bytes;
        heldBytesOf.merge(sizeClass, (long) bytes, Long::sum);
    }

    /** Memory that the client holds, counted in whole buffers. */
    long heldBytes() {
        return heldBytes;
    }

    /** True if the client neither holds nor waits for anything. */
    boolean idle() {
        return waiting.isEmpty() && heldBytes == 0;
    }

    /**
     * True if one more buffer is within the client's share of the budget and of this class. For a client that holds no
     * buffer this is always true, however little is free: such a client may have to wait for memory, but never for its
     * share.
     */
    boolean mayHold(Slabs.SizeClass sizeClass, long freeBytes, long freeBytesOfClass) {
        if (heldBytes == 0) {
            return true;
        }
        long ofClass = heldBytesOf.getOrDefault(sizeClass, 0L);
        return FairShare.allows(heldBytes, sizeClass.sizeBytes, freeBytes)
                && (ofClass == 0 || FairShare.allows(ofClass, sizeClass.sizeBytes, freeBytesOfClass));
    }
}
