package org.warpnfs.iwarp.sim;

import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;

/** A region as its owner and its owner's peer know it. */
final class ModelRegion {
    final MemoryRegion region;
    final Arena.Span span;
    final Set<AccessRight> rights;

    /** Of a protection domain, and so neither the peer's to invalidate nor over with its stream. */
    final boolean ofDomain;

    /** A peer that keeps the rules begins nothing more with it. */
    boolean withdrawn;

    /** A Send with Invalidate of the peer's is on its way, or a LocalInvalidate waits for its turn. */
    boolean invalidating;

    /** A LocalInvalidate was posted: nobody but the code under test knows when its turn is. */
    boolean turnUnknown;

    /** The STag was revoked. */
    boolean dead;

    /** Its owner knows that, and has filled it with a pattern. */
    boolean released;

    /** Writes of the peer's that have not arrived, and its requests that have not been answered. */
    int peerUses;

    /** Reads of its owner's into it that are not complete. */
    int reads;

    /** Where in what its owner sends the batch ends that was already with the socket when it was released. */
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

    /** Whether the STag is good. */
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
