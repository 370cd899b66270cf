package org.warpnfs.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The Sends and RDMA Writes in captured iWARP streams, put together from their FPDUs by the rules of RFC 5044 and RFC
 * 5041 alone, without any of our own iWARP code.
 */
public final class CapturedSends {
    /** One direction's MPA private data behind the 4 bytes of RFC 6581, its Sends, and its RDMA Writes. */
    public record Direction(ByteBuffer privateData, List<ByteBuffer> sends, List<Write> writes) {
        public Direction {
            sends = List.copyOf(sends);
            writes = List.copyOf(writes);
        }

        /** What was written, in all, to some memory of the peer's; zeros where nothing was. */
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

    /** One connection on RDMA. */
    public record Connection(Direction calls, Direction replies) {}

    private static final int RDMA_PORT = 20_049;
    private static final int MPA_FRAME_BYTES = 20;
    private static final int UNTAGGED_HEADER_BYTES = 18;
    private static final int TAGGED_HEADER_BYTES = 14;

    private CapturedSends() {}

    /** All connections of a capture to the port of NFS over RDMA. */
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
     * The captures were cut to size: random file data became a pattern, and with it the few Sends that carry it inline.
     */
    private static boolean replaced(ByteBuffer send) {
        return send.remaining() >= 600 && send.getLong(0) == 0;
    }
}
