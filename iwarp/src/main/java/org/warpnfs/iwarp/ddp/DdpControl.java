package org.warpnfs.iwarp.ddp;

/**
 * The first byte of every segment (RFC 5041, section 4.1).
 *
 * <pre>
 * 0x80 T tagged   0x40 L last segment of its message   0x3c reserved, sent as zero, ignored   0x03 DDP version, 1
 * </pre>
 */
public final class DdpControl {
    /** T: the segment is tagged. */
    public static final int TAGGED = 0x80;

    /** L: the segment is the last of its message. */
    public static final int LAST = 0x40;

    /** DV: the bits of the DDP version. */
    public static final int VERSION_MASK = 0x03;

    /** The only DDP version. */
    public static final int VERSION = 1;

    private DdpControl() {}

    static int of(boolean tagged, boolean last) {
        return (tagged ? TAGGED : 0) | (last ? LAST : 0) | VERSION;
    }
}
