package org.warpnfs.rpcrdma.server;

/**
 * What the connections of one client address may hold together, and those of all. A client has a quarter of most
 * things, so that three that do their worst leave something for the others; one behind an address that many share is
 * not cut off early.
 *
 * @param maxConnections of all. 1024: a thousand mounts, each with 8 receive buffers before its first call. When it is
 *     reached, the connection that has been idle for longest goes
 * @param maxConnectionsOfOne of one client. 256: Linux makes at most 16 for a mount
 * @param maxReceiveBuffers of all. 65,536: all connections at half their credits, 256 MiB with buffers of 4096 bytes
 * @param maxReceiveBuffersOfOne of one client. 16,384: 64 MiB
 * @param maxReplyBytes what replies of all may hold outside the payload pool, as large as the requesters' Reply chunks
 *     allow. 256 MiB: 256 listings of 1 MiB at once
 * @param maxReplyBytesOfOne of one client. 64 MiB
 * @param maxExposedBytesOfOne of one client, for replies that it reads itself ({@link Rfc5666Options}). 64 MiB
 */
public record ClientLimits(
        int maxConnections,
        int maxConnectionsOfOne,
        long maxReceiveBuffers,
        long maxReceiveBuffersOfOne,
        long maxReplyBytes,
        long maxReplyBytesOfOne,
        long maxExposedBytesOfOne) {
    /** What the parameters give reasons for. */
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
            throw new IllegalArgumentException("a limit below 1 serves nobody");
        }
    }

    /** These, with other limits on connections. */
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

    /** These, with other limits on receive buffers. */
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

    /** These, with other limits on replies, in bytes. */
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
