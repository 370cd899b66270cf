package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.warpnfs.iwarp.ddp.TaggedBuffer;
import org.warpnfs.iwarp.io.MaskedWord;

/** A tagged buffer as RDMAP sees it, with access rights and with revocation. */
public interface RdmapRegion extends TaggedBuffer {
    boolean allowsRemoteWrite();

    boolean allowsRemoteRead();

    boolean allowsRemoteAtomic();

    /**
     * Whether the word at an offset may be the target of an atomic operation, because its address is a multiple of
     * eight.
     */
    boolean alignedForAtomics(int offsetBytes);

    /**
     * Runs an operation for the peer and keeps the STag from being revoked meanwhile. Empty if the STag was revoked
     * before.
     */
    OptionalLong whileValid(LongSupplier operation);

    /** Adds to an aligned word atomically. Returns the previous value. */
    long fetchAdd(int offsetBytes, MaskedWord add);

    /**
     * Replaces bits of an aligned word atomically, if the compared bits are as expected. Returns the previous value.
     */
    long compareSwap(int offsetBytes, MaskedWord compare, MaskedWord swap);

    /** A view of the bytes that answer a Read Request. */
    ByteBuffer source(int offsetBytes, int lengthBytes);

    /** Whether the STag has not been revoked. */
    boolean valid();

    /** Whether a Send with Invalidate may name the STag, because no other stream uses it (RFC 5040, section 8.1.1). */
    boolean peerMayInvalidate();

    /** Revokes the STag. */
    void invalidate();
}
