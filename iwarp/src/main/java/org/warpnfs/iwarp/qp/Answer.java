package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.RdmapViolation;

/** The answer to a request on queue 1, waiting or under way: in the order of the requests (RFC 5040, section 5.5). */
sealed interface Answer permits ReadAnswer, AtomicAnswer {
    /** Its turn has come. Until {@link #begin} an atomic operation has not been executed. */
    DdpMessage begin(RdmapSender sender) throws RdmapViolation;

    /**
     * Access may still be had to what it is about: asked before each segment.
     *
     * @throws RdmapViolation if it was revoked: no further byte may leave
     */
    void check() throws RdmapViolation;

    /** Whether the socket reads memory of a region's to send it. */
    boolean readsMemory();

    /** Whether it changes memory that answers before it may still have to read. */
    boolean changesMemory();
}
