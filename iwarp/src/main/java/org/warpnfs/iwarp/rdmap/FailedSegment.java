package org.warpnfs.iwarp.rdmap;

import org.warpnfs.iwarp.ddp.UntaggedHeader;

/**
 * A segment of a message that turned out to be faulty at its delivery. By then the current segment may be another one.
 *
 * @param lengthBytes the length of the segment, header included
 */
public record FailedSegment(UntaggedHeader header, int lengthBytes) {
    /** The segment of a message that has only one. */
    public static FailedSegment of(UntaggedHeader header, int messageBytes) {
        return new FailedSegment(header, UntaggedHeader.BYTES + messageBytes);
    }
}
