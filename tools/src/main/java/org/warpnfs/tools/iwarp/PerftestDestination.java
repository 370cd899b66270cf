package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.verbs.RemoteMemory;

/**
 * The description of itself that each end of a perftest sends with {@code -R}.
 *
 * <pre>
 *  0  4  LID                      0 on iWARP
 *  4  4  RDMA Reads outstanding
 *  8  4  queue pair number        for people only
 * 12  4  packet sequence number   0 on iWARP
 * 16  4  STag
 * 20  4  (padding)
 * 24  8  tagged offset
 * 32 16  GID                      not looked at with rdma_cm
 * 48  4  shared receive queue     0
 * 52  4  GID index                0
 * </pre>
 *
 * As sent by perftest 4.5; a synchronisation before there is any memory has zeros in all fields.
 */
record PerftestDestination(int outstandingReads, RemoteMemory memory) {
    private static final int OUTSTANDING_READS = 4;
    private static final int STAG = 16;
    private static final int TAGGED_OFFSET = 24;
    static final int BYTES = 56;

    /** The empty destination. */
    static final PerftestDestination NONE = new PerftestDestination(0, new RemoteMemory(0, 0));

    /** Parses a message; null if it has a wrong length. */
    static @Nullable PerftestDestination parse(ByteBuffer message) {
        if (message.remaining() != BYTES) {
            return null;
        }
        int start = message.position();
        return new PerftestDestination(
                (int) BigEndian.u32(message, start + OUTSTANDING_READS),
                new RemoteMemory(BigEndian.u32(message, start + STAG), BigEndian.u64(message, start + TAGGED_OFFSET)));
    }

    ByteBuffer encode() {
        ByteBuffer message = ByteBuffer.allocateDirect(BYTES);
        BigEndian.putU32(message.position(OUTSTANDING_READS), Integer.toUnsignedLong(outstandingReads));
        BigEndian.putU32(message.position(STAG), memory.stag());
        BigEndian.putU64(message.position(TAGGED_OFFSET), memory.taggedOffset());
        return message.clear();
    }
}
