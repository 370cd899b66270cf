package org.warpnfs.payload;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/** What one client holds of a {@link PayloadPool}, and what it waits for. Guarded by the pool. */
final class PoolClient {
    final ClientAddress address;

    /** The oldest first. */
    final Deque<PoolRequest> waiting = new ArrayDeque<>();

    private final Map<Slabs.SizeClass, Long> heldBytesOf = new HashMap<>();
    private long heldBytes;

    PoolClient(ClientAddress address) {
        this.address = address;
    }

    /** Counts a buffer that it got, or has given back: then {@code bytes} are below 0. */
    void hold(Slabs.SizeClass sizeClass, int bytes) {
        heldBytes += bytes;
        heldBytesOf.merge(sizeClass, (long) bytes, Long::sum);
    }

    /** In whole buffers. */
    long heldBytes() {
        return heldBytes;
    }

    /** True if it neither holds nor waits for anything. */
    boolean idle() {
        return waiting.isEmpty() && heldBytes == 0;
    }

    /**
     * True if one buffer more is within its share, of the budget and of what buffers of this class may take. One buffer
     * is within that of a client that holds none, however little is free: then it waits for memory, and not for its
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
