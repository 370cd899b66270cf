package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.warpnfs.iwarp.ddp.DdpError;
import org.warpnfs.iwarp.ddp.DdpViolation;
import org.warpnfs.iwarp.rdmap.RdmapRegion;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;

/**
 * A memory region of one queue pair.
 *
 * <h2>Operation</h2>
 *
 * Made by a {@link RegionTable}; its offsets start at 0, so they tell a peer nothing about addresses.
 *
 * <h2>Buffers</h2>
 *
 * The memory belongs to whoever registered it. Validity is asked again for each piece placed, so that revocation also holds
 * against a segment that is half arrived.
 *
 * <h2>Errors</h2>
 *
 * Placing into a revoked region is the peer's violation.
 */
public final class Region implements MemoryRegion, RdmapRegion {
    private final RegionTable table;
    private final long stag;
    private final ByteBuffer memory;
    private final EnumSet<AccessRight> rights;
    private boolean valid = true;

    Region(RegionTable table, long stag, ByteBuffer memory, Set<AccessRight> rights) {
        this.table = table;
        this.stag = stag;
        this.memory = memory.slice();
        this.rights = EnumSet.noneOf(AccessRight.class);
        this.rights.addAll(rights);
    }

    @Override
    public long stag() {
        return stag;
    }

    @Override
    public long taggedOffset() {
        return 0;
    }

    @Override
    public int lengthBytes() {
        return memory.capacity();
    }

    @Override
    public ByteBuffer memory() {
        return memory.duplicate();
    }

    @Override
    public boolean valid() {
        return valid;
    }

    @Override
    public void invalidate() {
        if (valid) {
            revoke();
            table.remove(this);
        }
    }

    void revoke() {
        valid = false;
    }

    /** Whether it may be the sink of a Read of ours. */
    public boolean allowsReadSink() {
        return rights.contains(AccessRight.READ_SINK);
    }

    @Override
    public boolean allowsRemoteWrite() {
        return rights.contains(AccessRight.REMOTE_WRITE);
    }

    @Override
    public boolean allowsRemoteRead() {
        return rights.contains(AccessRight.REMOTE_READ);
    }

    @Override
    public ByteBuffer source(int offsetBytes, int lengthBytes) {
        return memory.slice(offsetBytes, lengthBytes);
    }

    @Override
    public void place(int offsetBytes, ByteBuffer bytes) throws DdpViolation {
        if (!valid) {
            throw new DdpViolation(
                    DdpError.TAGGED_INVALID_STAG,
                    "STag " + Long.toHexString(stag) + " was invalidated (RFC 5041 section 7.1)");
        }
        memory.put(offsetBytes, bytes, bytes.position(), bytes.remaining());
    }
}
