package org.warpnfs.iwarp.ddp;

import java.nio.ByteBuffer;

/** The memory that the payload of one segment is placed in. */
public interface PlacementTarget {
    /**
     * Places the bytes between position and limit. The offset was checked when the segment's header arrived.
     *
     * @throws DdpViolation if access has been revoked since then; nothing is placed in that case
     */
    void place(int offsetBytes, ByteBuffer bytes) throws DdpViolation;
}
