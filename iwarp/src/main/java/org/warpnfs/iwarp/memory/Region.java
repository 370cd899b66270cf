package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpError;
import org.warpnfs.iwarp.ddp.DdpViolation;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.rdmap.RdmapRegion;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;

/**
 * A memory region of one stream ({@link StreamRegion}) or of a protection domain ({@link DomainRegion}).
 *
 * <h2>Operation</h2>
 *
 * Tagged offsets start at 0, so they reveal no addresses to a peer.
 *
 * <h2>Buffers</h2>
 *
 * The memory belongs to the one who registered it. Validity is checked for each piece placed, so that a revocation
 * takes effect even within a segment.
 *
 * <h2>Errors</h2>
 *
 * Placing into a revoked region is a violation of the peer.
 */
public abstract sealed class Region implements MemoryRegion, RdmapRegion permits StreamRegion, DomainRegion {
    private final RegionOwner owner;
    private final long stag;
    private final ByteBuffer memory;
    private final AtomicWords words;
    private final EnumSet<AccessRight> rights;

    /** Read by every thread that looks up an STag. Written by the thread that may revoke the region. */
    private volatile boolean valid = true;

    /** The next region in the list of its scope. */
    @Nullable
    Region older;

    @Nullable
    Region newer;

    Region(RegionOwner owner, long stag, ByteBuffer memory, Set<AccessRight> rights) {
        this.owner = owner;
        this.stag = stag;
        this.memory = memory.slice();
        this.words = new AtomicWords(this.memory);
        this.rights = EnumSet.noneOf(AccessRight.class);
        this.rights.addAll(rights);
    }

    final boolean isOf(RegionOwner other) {
        return owner == other;
    }

    @Override
    public final long stag() {
        return stag;
    }

    @Override
    public final long taggedOffset() {
        return 0;
    }

    @Override
    public final int lengthBytes() {
        return memory.capacity();
    }

    @Override
    public final ByteBuffer memory() {
        return memory.duplicate();
    }

    @Override
    public final boolean valid() {
        return valid;
    }

    final void revoke() {
        valid = false;
    }

    /** Tells the owner of this region that it was revoked. */
    final void tellOwner() {
        owner.revoked(this);
    }

    /** Whether the region may be the sink of a Read of ours. */
    public final boolean allowsLocalWrite() {
        return rights.contains(AccessRight.LOCAL_WRITE);
    }

    @Override
    public final boolean allowsRemoteWrite() {
        return rights.contains(AccessRight.REMOTE_WRITE);
    }

    @Override
    public final boolean allowsRemoteRead() {
        return rights.contains(AccessRight.REMOTE_READ);
    }

    @Override
    public final boolean allowsRemoteAtomic() {
        return rights.contains(AccessRight.REMOTE_ATOMIC);
    }

    @Override
    public final boolean alignedForAtomics(int offsetBytes) {
        return words.aligned(offsetBytes);
    }

    @Override
    public final long fetchAdd(int offsetBytes, MaskedWord add) {
        return words.fetchAdd(offsetBytes, add);
    }

    @Override
    public final long compareSwap(int offsetBytes, MaskedWord compare, MaskedWord swap) {
        return words.compareSwap(offsetBytes, compare, swap);
    }

    @Override
    public final ByteBuffer source(int offsetBytes, int lengthBytes) {
        return memory.slice(offsetBytes, lengthBytes);
    }

    @Override
    public OptionalLong whileValid(LongSupplier operation) {
        return valid ? OptionalLong.of(operation.getAsLong()) : OptionalLong.empty();
    }

    @Override
    public void place(int offsetBytes, ByteBuffer bytes) throws DdpViolation {
        if (!valid) {
            throw new DdpViolation(
                    DdpError.TAGGED_INVALID_STAG,
                    "STag " + Long.toHexString(stag) + " was invalidated (RFC 5041, section 7.1)");
        }
        memory.put(offsetBytes, bytes, bytes.position(), bytes.remaining());
    }
}
