package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.warpnfs.iwarp.verbs.AccessRight;

/**
 * A region of one stream, whose owner thread alone places into it and revokes it: so revoking is a barrier by itself.
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
