package org.warpnfs.rpcrdma.server;

/**
 * Limits on what the connections of one client address may hold together, and those of all clients. The limit of one
 * client is a quarter of the total for most resources. So three hostile clients leave something for the others, and an
 * address that many hosts share is not limited too early.
 *
 * @param maxConnections of all clients. 1024: a thousand mounts, each with 8 receive buffers before its first call. At
 *     the limit, the connection that has been idle for longest is ended
 * @param maxConnectionsOfOne of one client. 256: Linux makes at most 16 for a mount
 * @param maxReceiveBuffers of all clients. 65,536: all connections at half their credits, 256 MiB with buffers of 4096
 *     bytes
 * @param maxReceiveBuffersOfOne of one client. 16,384: 64 MiB
 * @param maxReplyBytes memory outside the payload pool that the replies of all clients may hold; a reply counts with
 *     the largest size that its Reply chunk allows. 256 MiB: 256 listings of 1 MiB at once
 * @param maxReplyBytesOfOne of one client. 64 MiB
 * @param maxExposedBytesOfOne of one client, memory of replies that it reads itself ({@link Rfc5666Options}). 64 MiB
 */
public record ClientLimits(
        int maxConnections,
        int maxConnectionsOfOne,
        long maxReceiveBuffers,
        long maxReceiveBuffersOfOne,
        long maxReplyBytes,
        long maxReplyBytesOfOne,
        long maxExposedBytesOfOne) {
    /** The default limits. The parameters above give their reasons. */
    public static final ClientLimits DEFAULT =
            new ClientLimits(1024, 256, 65_536, 16_384, 256 << 20, 64 << 20, 64 << 20);

    public ClientLimits {
        if (maxConnections < 1
                || maxConnectionsOfOne < 1
                || maxReceiveBuffers < 1
                || maxReceiveBuffersOfOne < 1
                || maxReplyBytes < 1
                || maxReplyBytesOfOne < 1
                || maxExposedBytesOfOne < 1) {
            throw new IllegalArgumentException("a limit of the clients is below 1");
        }
    }

    /** A copy with other limits on connections. */
    public ClientLimits withConnections(int most, int ofOne) {
        return new ClientLimits(
                most,
                ofOne,
                maxReceiveBuffers,
                maxReceiveBuffersOfOne,
                maxReplyBytes,
                maxReplyBytesOfOne,
                maxExposedBytesOfOne);
    }

    /** A copy with other limits on receive buffers. */
    public ClientLimits withReceiveBuffers(long most, long ofOne) {
        return new ClientLimits(
                maxConnections,
                maxConnectionsOfOne,
                most,
                ofOne,
                maxReplyBytes,
                maxReplyBytesOfOne,
                maxExposedBytesOfOne);
    }

    /** A copy with other limits on the memory of replies, in bytes. */
    public ClientLimits withReplyBytes(long most, long ofOne) {
        return new ClientLimits(
                maxConnections,
                maxConnectionsOfOne,
                maxReceiveBuffers,
                maxReceiveBuffersOfOne,
                most,
                ofOne,
                maxExposedBytesOfOne);
    }
}
