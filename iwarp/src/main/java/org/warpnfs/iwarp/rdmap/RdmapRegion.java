package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.warpnfs.iwarp.ddp.TaggedBuffer;
import org.warpnfs.iwarp.io.MaskedWord;

/** A tagged buffer as RDMAP sees it: with rights, and with a way to take it back. */
public interface RdmapRegion extends TaggedBuffer {
    boolean allowsRemoteWrite();

    boolean allowsRemoteRead();

    boolean allowsRemoteAtomic();

    /** Whether a word there may be the target of an atomic operation: whether its address is a multiple of eight. */
    boolean alignedForAtomics(int offsetBytes);

    /**
     * Does something for the peer unless the STag was revoked, and keeps it from being revoked meanwhile; empty if it
     * was.
     */
    OptionalLong whileValid(LongSupplier operation);

    /** Adds to an aligned word, atomically; what was there before. */
    long fetchAdd(int offsetBytes, MaskedWord add);

    /** Replaces bits of an aligned word if others are as expected, atomically; what was there before. */
    long compareSwap(int offsetBytes, MaskedWord compare, MaskedWord swap);

    /** Bytes that answer a Read Request; a view. */
    ByteBuffer source(int offsetBytes, int lengthBytes);

    /** False once the STag was revoked. */
    boolean valid();

    /** Whether a Send with Invalidate may name it: nobody else uses it (RFC 5040, section 8.1.1). */
    boolean peerMayInvalidate();

    /** Revokes the STag. */
    void invalidate();
}
