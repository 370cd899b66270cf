package org.warpnfs.testkit;

import java.nio.ByteBuffer;

/**
 * One packet of a capture file.
 *
 * @param timeNanos since the epoch
 * @param ip the packet from its IP header on, read-only
 */
public record CapturedPacket(long timeNanos, ByteBuffer ip) {
    public CapturedPacket {
        ip = ip.asReadOnlyBuffer();
    }

    @Override
    public ByteBuffer ip() {
        return ip.duplicate();
    }
}
