package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.ddp.TaggedBuffer;

/** A tagged buffer as RDMAP sees it: with rights, and with a way to take it back. */
public interface RdmapRegion extends TaggedBuffer {
    boolean allowsRemoteWrite();

    boolean allowsRemoteRead();

    /** Bytes that answer a Read Request; a view. */
    ByteBuffer source(int offsetBytes, int lengthBytes);

    /** False once the STag was revoked. */
    boolean valid();

    /** Whether a Send with Invalidate may name it: nobody else uses it (RFC 5040 section 8.1.1). */
    boolean peerMayInvalidate();

    /** Revokes the STag. */
    void invalidate();
}
