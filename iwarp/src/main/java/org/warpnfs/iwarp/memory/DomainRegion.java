package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.StampedLock;
import java.util.function.LongSupplier;
import org.warpnfs.iwarp.ddp.DdpViolation;
import org.warpnfs.iwarp.verbs.AccessRight;

/** A region of a protection domain. Streams place into it from their own threads, and revoking it waits for them. */
final class DomainRegion extends Region {
    /** Held shared by placements and exclusively by revocation. */
    private final StampedLock placing = new StampedLock();

    DomainRegion(RegionOwner domain, long stag, ByteBuffer memory, Set<AccessRight> rights) {
        super(domain, stag, memory, rights);
    }

    /** Always false: other streams may use the region (RFC 5040, section 8.1.1). */
    @Override
    public boolean peerMayInvalidate() {
        return false;
    }

    @Override
    public OptionalLong whileValid(LongSupplier operation) {
        long stamp = placing.readLock();
        try {
            return super.whileValid(operation);
        } finally {
            placing.unlockRead(stamp);
        }
    }

    @Override
    public void place(int offsetBytes, ByteBuffer bytes) throws DdpViolation {
        long stamp = placing.readLock();
        try {
            super.place(offsetBytes, bytes);
        } finally {
            placing.unlockRead(stamp);
        }
    }

    @Override
    public void invalidate() {
        long stamp = placing.writeLock();
        try {
            if (!valid()) {
                return;
            }
            revoke();
        } finally {
            placing.unlockWrite(stamp);
        }
        tellOwner();
    }
}
