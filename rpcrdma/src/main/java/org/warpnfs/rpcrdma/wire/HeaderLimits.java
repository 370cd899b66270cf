package org.warpnfs.rpcrdma.wire;

/**
 * Limits on the chunk lists of a header. Each limit is checked before memory of that size is allocated.
 *
 * @param maxReadSegments the most entries in the Read list
 * @param maxWriteChunks the most entries in the Write list
 * @param maxSegmentsPerChunk the most segments in one Write chunk or the Reply chunk
 * @param maxReadListBytes the largest sum of all lengths in the Read list
 */
public record HeaderLimits(int maxReadSegments, int maxWriteChunks, int maxSegmentsPerChunk, long maxReadListBytes) {
    /**
     * The default limits. They permit far more than Linux sends (one chunk per list, 16 segments each), and fit a full
     * 4096-byte header.
     */
    public static final HeaderLimits DEFAULT = new HeaderLimits(128, 16, 128, 2 << 20);

    public HeaderLimits {
        if (maxReadSegments < 1 || maxWriteChunks < 1 || maxSegmentsPerChunk < 1 || maxReadListBytes < 1) {
            throw new IllegalArgumentException("a header limit is below 1");
        }
    }
}
