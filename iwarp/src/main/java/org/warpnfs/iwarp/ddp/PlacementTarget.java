package org.warpnfs.iwarp.ddp;

import java.nio.ByteBuffer;

/** Memory that payload of one segment goes to. */
public interface PlacementTarget {
    /**
     * Places bytes, position to limit, at an offset that was checked when the segment's header arrived.
     *
     * @throws DdpViolation if access has been revoked since: nothing is placed then
     */
    void place(int offsetBytes, ByteBuffer bytes) throws DdpViolation;
}
