package org.warpnfs.rpcrdma.wire;

/**
 * What a header may ask for before it is called absurd. Each limit is checked before anything of that size is made.
 *
 * @param maxReadSegments entries in the Read list
 * @param maxWriteChunks entries in the Write list
 * @param maxSegmentsPerChunk segments in one Write chunk or the Reply chunk
 * @param maxReadListBytes sum of all lengths in the Read list
 */
public record HeaderLimits(int maxReadSegments, int maxWriteChunks, int maxSegmentsPerChunk, long maxReadListBytes) {
    /** Far more than Linux sends (one chunk per list, 16 segments each), and a full 4096-byte header at most. */
    public static final HeaderLimits DEFAULT = new HeaderLimits(128, 16, 128, 2 << 20);

    public HeaderLimits {
        if (maxReadSegments < 1 || maxWriteChunks < 1 || maxSegmentsPerChunk < 1 || maxReadListBytes < 1) {
            throw new IllegalArgumentException("a header limit below 1 forbids chunks altogether");
        }
    }
}
