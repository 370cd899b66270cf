package org.warpnfs.iwarp.sim;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Writes TCP segments as a capture of IPv4 packets: classic pcap, link type raw IP. Checksums of TCP are left at zero.
 */
final class PcapFile {
    private static final int MAGIC = 0xa1b2c3d4;
    private static final int LINK_TYPE_RAW = 101;
    private static final int IP_BYTES = 20;
    private static final int TCP_BYTES = 20;
    private static final int LOOPBACK = 0x7f000001;
    static final int RESPONDER_PORT = 7174;
    static final int FLAG_FIN = 0x01;
    static final int FLAG_SYN = 0x02;
    static final int FLAG_PUSH = 0x08;
    static final int FLAG_ACK = 0x10;

    private final DataOutputStream out;
    private int packets;

    PcapFile(OutputStream to) throws IOException {
        out = new DataOutputStream(to);
        out.writeInt(MAGIC);
        out.writeShort(2);
        out.writeShort(4);
        out.writeInt(0);
        out.writeInt(0);
        out.writeInt(1 << 18);
        out.writeInt(LINK_TYPE_RAW);
    }

    /** One connection. */
    final class Connection {
        private final int initiatorPort;
        private int initiatorSequence = 0xfffff000;
        private int responderSequence = 1_000;

        Connection(int initiatorPort) throws IOException {
            this.initiatorPort = initiatorPort;
            packet(true, FLAG_SYN, ByteBuffer.allocate(0));
            initiatorSequence++;
            packet(false, FLAG_SYN | FLAG_ACK, ByteBuffer.allocate(0));
            responderSequence++;
            packet(true, FLAG_ACK, ByteBuffer.allocate(0));
        }

        void segment(boolean fromInitiator, ByteBuffer bytes) throws IOException {
            packet(fromInitiator, FLAG_ACK | FLAG_PUSH, bytes);
            if (fromInitiator) {
                initiatorSequence += bytes.remaining();
            } else {
                responderSequence += bytes.remaining();
            }
        }

        void end() throws IOException {
            packet(true, FLAG_FIN | FLAG_ACK, ByteBuffer.allocate(0));
            initiatorSequence++;
            packet(false, FLAG_FIN | FLAG_ACK, ByteBuffer.allocate(0));
            responderSequence++;
            packet(true, FLAG_ACK, ByteBuffer.allocate(0));
        }

        private void packet(boolean fromInitiator, int flags, ByteBuffer payload) throws IOException {
            int lengthBytes = IP_BYTES + TCP_BYTES + payload.remaining();
            out.writeInt(packets / 1_000_000);
            out.writeInt(packets++ % 1_000_000);
            out.writeInt(lengthBytes);
            out.writeInt(lengthBytes);
            ByteBuffer header = ByteBuffer.allocate(IP_BYTES + TCP_BYTES);
            header.put((byte) 0x45).put((byte) 0).putShort((short) lengthBytes).putInt(0);
            header.put((byte) 64)
                    .put((byte) 6)
                    .putShort((short) 0)
                    .putInt(LOOPBACK)
                    .putInt(LOOPBACK);
            header.putShort((short) (fromInitiator ? initiatorPort : RESPONDER_PORT));
            header.putShort((short) (fromInitiator ? RESPONDER_PORT : initiatorPort));
            header.putInt(fromInitiator ? initiatorSequence : responderSequence);
            header.putInt((flags & FLAG_ACK) == 0 ? 0 : fromInitiator ? responderSequence : initiatorSequence);
            header.put((byte) ((TCP_BYTES / 4) << 4))
                    .put((byte) flags)
                    .putShort((short) 0xffff)
                    .putInt(0);
            out.write(header.array());
            byte[] bytes = new byte[payload.remaining()];
            payload.duplicate().get(bytes);
            out.write(bytes);
        }
    }
}
