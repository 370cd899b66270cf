package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.warpnfs.iwarp.verbs.AccessRight;

/**
 * A region of one stream. Only the stream's owner thread places into it and revokes it, so no placement can be in
 * progress during a revocation.
 */
final class StreamRegion extends Region {
    private final BooleanSupplier inOwnerThread;

    StreamRegion(
            RegionOwner stream, long stag, ByteBuffer memory, Set<AccessRight> rights, BooleanSupplier inOwnerThread) {
        super(stream, stag, memory, rights);
        this.inOwnerThread = inOwnerThread;
    }

    @Override
    public boolean peerMayInvalidate() {
        return true;
    }

    @Override
    public void invalidate() {
        if (!inOwnerThread.getAsBoolean()) {
            throw new IllegalStateException("a region of one stream is invalidated by its owner thread");
        }
        if (valid()) {
            revoke();
            tellOwner();
        }
    }
}
