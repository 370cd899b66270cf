package org.warpnfs.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The Sends and RDMA Writes of captured iWARP streams. They are reassembled from FPDUs by RFC 5044 and RFC 5041 only,
 * without our own iWARP code.
 */
public final class CapturedSends {
    /**
     * One direction of a connection: its MPA private data after the 4 bytes of RFC 6581, its Sends, and its RDMA
     * Writes.
     */
    public record Direction(ByteBuffer privateData, List<ByteBuffer> sends, List<Write> writes) {
        public Direction {
            sends = List.copyOf(sends);
            writes = List.copyOf(writes);
        }

        /**
         * Returns the content of a part of the peer's memory after all RDMA Writes, with zeros where nothing was
         * written.
         */
        public ByteBuffer written(long stag, long offset, int lengthBytes) {
            ByteBuffer memory = ByteBuffer.allocate(lengthBytes);
            for (Write write : writes) {
                long at = write.offset - offset;
                if (write.stag == stag && at >= 0 && at <= lengthBytes - write.data.remaining()) {
                    memory.put((int) at, write.data, 0, write.data.remaining());
                }
            }
            return memory;
        }
    }

    /** One segment of an RDMA Write. */
    public record Write(long stag, long offset, ByteBuffer data) {}

    /** One RDMA connection. */
    public record Connection(Direction calls, Direction replies) {}

    private static final int RDMA_PORT = 20_049;
    private static final int MPA_FRAME_BYTES = 20;
    private static final int UNTAGGED_HEADER_BYTES = 18;
    private static final int TAGGED_HEADER_BYTES = 14;

    private CapturedSends() {}

    /** Returns all connections of a capture to the port of NFS over RDMA. */
    public static List<Connection> load(String capture) {
        List<Connection> found = new ArrayList<>();
        for (CapturedConnection tcp : Capture.load(capture).connections()) {
            if (tcp.responder().getPort() == RDMA_PORT) {
                found.add(new Connection(direction(tcp.fromInitiator()), direction(tcp.fromResponder())));
            }
        }
        return found;
    }

    private static Direction direction(ByteBuffer stream) {
        int privateDataBytes = stream.getShort(18);
        ByteBuffer privateData = stream.slice(MPA_FRAME_BYTES + 4, privateDataBytes - 4);
        stream.position(MPA_FRAME_BYTES + privateDataBytes);
        List<ByteBuffer> sends = new ArrayList<>();
        List<Write> writes = new ArrayList<>();
        ByteBuffer message = ByteBuffer.allocate(1 << 16);
        while (stream.remaining() >= 2) {
            int ulpduBytes = Short.toUnsignedInt(stream.getShort(stream.position()));
            int fpduBytes = (2 + ulpduBytes + 3 & ~3) + 4;
            if (stream.remaining() < fpduBytes) {
                break;
            }
            ByteBuffer ulpdu = stream.slice(stream.position() + 2, ulpduBytes);
            stream.position(stream.position() + fpduBytes);
            int opcode = ulpdu.get(1) & 0x0f;
            if (opcode == 0) {
                long stag = Integer.toUnsignedLong(ulpdu.getInt(2));
                writes.add(new Write(
                        stag, ulpdu.getLong(6), ulpdu.slice(TAGGED_HEADER_BYTES, ulpduBytes - TAGGED_HEADER_BYTES)));
            }
            if (opcode < 3 || opcode > 6) {
                continue;
            }
            message.put(ulpdu.position(UNTAGGED_HEADER_BYTES));
            if ((ulpdu.get(0) & 0x40) != 0) {
                byte[] whole = new byte[message.flip().remaining()];
                message.get(whole);
                ByteBuffer send = ByteBuffer.wrap(whole);
                if (!replaced(send)) {
                    sends.add(send);
                }
                message.clear();
            }
        }
        return new Direction(privateData, sends, writes);
    }

    /**
     * Whether a Send holds replaced data. To make the captures smaller, random file data were replaced by a pattern,
     * also in the few Sends that carry such data inline.
     */
    private static boolean replaced(ByteBuffer send) {
        return send.remaining() >= 600 && send.getLong(0) == 0;
    }
}
