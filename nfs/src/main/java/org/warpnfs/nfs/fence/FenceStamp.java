package org.warpnfs.nfs.fence;

/**
 * What the handles of a layout are signed with, besides the key of all handles.
 *
 * @param tag of the metadata server, 16 bits
 * @param epoch of the file there, when the layout was granted
 */
public record FenceStamp(int tag, long epoch) {
    private static final int TAG_MASK = 0xffff;

    /** The tag of a metadata server. Several may have the same one. */
    public static int tagOf(String node) {
        return node.hashCode() & TAG_MASK;
    }
}
