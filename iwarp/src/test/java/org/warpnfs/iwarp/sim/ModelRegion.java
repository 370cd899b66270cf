package org.warpnfs.iwarp.sim;

import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;

/** A region as its owner and the owner's peer know it. */
final class ModelRegion {
    final MemoryRegion region;
    final Arena.Span span;
    final Set<AccessRight> rights;

    /**
     * Whether it belongs to a protection domain. Such a region cannot be invalidated by the peer and outlives its
     * stream.
     */
    final boolean ofDomain;

    /** A peer that keeps the rules begins no more access to it. */
    boolean withdrawn;

    /** A Send with Invalidate from the peer is on its way, or a LocalInvalidate is queued. */
    boolean invalidating;

    /** A LocalInvalidate was posted. Only the code under test knows when it takes effect. */
    boolean turnUnknown;

    /** The STag was revoked. */
    boolean dead;

    /** The owner knows that, and has filled the memory with a pattern. */
    boolean released;

    /** Writes of the peer that have not arrived, and its requests that have not been answered. */
    int peerUses;

    /** Reads of its owner into it that are not complete. */
    int reads;

    /** The end, in the owner's output, of the batch that the socket already had when the region was released. */
    long readableUntil = Long.MAX_VALUE;

    ModelRegion(MemoryRegion region, Arena.Span span, Set<AccessRight> rights, boolean ofDomain) {
        this.region = region;
        this.span = span;
        this.rights = rights;
        this.ofDomain = ofDomain;
    }

    boolean allows(AccessRight right) {
        return rights.contains(right);
    }

    long stag() {
        return region.stag();
    }

    int lengthBytes() {
        return span.lengthBytes();
    }

    /** Whether the STag is valid. */
    boolean valid() {
        if (!dead && turnUnknown && !region.valid()) {
            dead = true;
        }
        return !dead;
    }

    RemoteMemory at(long offset) {
        return new RemoteMemory(region.stag(), region.taggedOffset() + offset);
    }
}
