package org.warpnfs.iwarp.rdmap;

import org.warpnfs.iwarp.ddp.UntaggedHeader;

/**
 * A segment in which a fault was found after it had been delivered, when another may be at hand already.
 *
 * @param lengthBytes with its header
 */
public record FailedSegment(UntaggedHeader header, int lengthBytes) {
    /** A message of one segment. */
    public static FailedSegment of(UntaggedHeader header, int messageBytes) {
        return new FailedSegment(header, UntaggedHeader.BYTES + messageBytes);
    }
}
