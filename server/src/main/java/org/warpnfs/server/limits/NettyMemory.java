package org.warpnfs.server.limits;

/**
 * The limit of Netty's direct memory.
 *
 * <p>Netty has a counter of its own beside the virtual machine's. Unless it is told, it may take as much as
 * {@code -XX:MaxDirectMemorySize} once more: where {@code sun.misc.Unsafe} is denied its memory is not even among the
 * virtual machine's, and a container's limit it does not know.
 */
public final class NettyMemory {
    /** Netty reads it once, with its first class. */
    static final String PROPERTY = "io.netty.maxDirectMemory";

    private NettyMemory() {}

    /**
     * Lets Netty have this much and no more, for all of this process; to be called before its first use. Who has set
     * the property by hand keeps that.
     *
     * @param bytes at least 1
     */
    public static void limit(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("Netty with " + bytes + " bytes serves nobody");
        }
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, Long.toString(bytes));
        }
    }
}
