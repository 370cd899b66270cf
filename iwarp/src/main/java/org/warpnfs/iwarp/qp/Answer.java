package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.RdmapViolation;

/**
 * A response to a request on queue 1, waiting or being sent. Responses are sent in the order of the requests (RFC 5040,
 * section 5.5).
 */
sealed interface Answer permits ReadAnswer, AtomicAnswer {
    /** Makes the response's message, because its turn has come. An atomic operation is executed here, not before. */
    DdpMessage begin(RdmapSender sender) throws RdmapViolation;

    /**
     * Checks before each segment that the peer may still access the memory.
     *
     * @throws RdmapViolation if access was revoked; no further byte may be sent
     */
    void check() throws RdmapViolation;

    /** Whether the socket reads the memory of a region while it sends. */
    boolean readsMemory();

    /** Whether the response changes memory that earlier responses may still have to read. */
    boolean changesMemory();
}
