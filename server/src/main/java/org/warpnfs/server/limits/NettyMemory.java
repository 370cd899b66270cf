package org.warpnfs.server.limits;

/**
 * The limit of Netty's direct memory.
 *
 * <p>Netty counts direct memory separately from the virtual machine. By default it may use another
 * {@code -XX:MaxDirectMemorySize}. Where {@code sun.misc.Unsafe} is denied, its memory is not counted by the virtual
 * machine at all. Netty does not know the container's limit.
 */
public final class NettyMemory {
    /** Netty reads this property once, when its first class is loaded. */
    static final String PROPERTY = "io.netty.maxDirectMemory";

    private NettyMemory() {}

    /**
     * Limits Netty's direct memory for the whole process. Call it before the first use of Netty. A property that was
     * set by hand has precedence.
     *
     * @param bytes at least 1
     */
    public static void limit(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("Netty cannot work with " + bytes + " bytes");
        }
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, Long.toString(bytes));
        }
    }
}
