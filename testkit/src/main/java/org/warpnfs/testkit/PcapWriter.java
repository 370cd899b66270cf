package org.warpnfs.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the bytes of TCP connections as a capture file for dissectors. The format is pcap with raw IPv4 packets (link
 * type 101). Each piece of bytes begins a TCP segment of its own, because dissectors of MPA fail on FPDUs that begin
 * inside a segment.
 */
public final class PcapWriter {
    private static final int MAGIC_MICROS = 0xa1b2c3d4;
    private static final int LINK_TYPE_RAW = 101;
    private static final int SNAP_BYTES = 1 << 18;
    private static final int IP_HEADER_BYTES = 20;
    private static final int TCP_HEADER_BYTES = 20;
    private static final int MAX_SEGMENT_BYTES = 65_000;
    private static final int SYN = 0x02;
    private static final int PUSH = 0x08;
    private static final int ACK = 0x10;

    private final List<byte[]> packets = new ArrayList<>();
    private final Map<InetSocketAddress, Integer> sequences = new HashMap<>();

    /** Writes the three packets that open a connection. */
    public void open(InetSocketAddress initiator, InetSocketAddress responder) {
        sequences.put(initiator, 1000);
        sequences.put(responder, 5000);
        packet(initiator, responder, SYN, ByteBuffer.allocate(0));
        advance(initiator, 1);
        packet(responder, initiator, SYN | ACK, ByteBuffer.allocate(0));
        advance(responder, 1);
        packet(initiator, responder, ACK, ByteBuffer.allocate(0));
    }

    /** Writes bytes that one end of an open connection sent. */
    public void say(InetSocketAddress from, InetSocketAddress to, ByteBuffer bytes) {
        ByteBuffer rest = bytes.duplicate();
        while (rest.hasRemaining()) {
            int lengthBytes = Math.min(MAX_SEGMENT_BYTES, rest.remaining());
            packet(from, to, PUSH | ACK, rest.slice(rest.position(), lengthBytes));
            rest.position(rest.position() + lengthBytes);
            advance(from, lengthBytes);
        }
    }

    /** Writes the file and creates its directories. */
    public void write(Path file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(little(24)
                .putInt(MAGIC_MICROS)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(SNAP_BYTES)
                .putInt(LINK_TYPE_RAW)
                .array());
        for (int i = 0; i < packets.size(); i++) {
            byte[] packet = packets.get(i);
            out.writeBytes(little(16)
                    .putInt(i / 1_000_000)
                    .putInt(i % 1_000_000)
                    .putInt(packet.length)
                    .putInt(packet.length)
                    .array());
            out.writeBytes(packet);
        }
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, out.toByteArray());
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void advance(InetSocketAddress from, int bytes) {
        sequences.merge(from, bytes, Integer::sum);
    }

    private int sequence(InetSocketAddress end) {
        return sequences.getOrDefault(end, 0);
    }

    private void packet(InetSocketAddress from, InetSocketAddress to, int flags, ByteBuffer data) {
        int lengthBytes = IP_HEADER_BYTES + TCP_HEADER_BYTES + data.remaining();
        ByteBuffer packet = ByteBuffer.allocate(lengthBytes);
        packet.put((byte) 0x45).put((byte) 0).putShort((short) lengthBytes).putInt(0);
        packet.put((byte) 64).put((byte) 6).putShort((short) 0);
        packet.put(from.getAddress().getAddress()).put(to.getAddress().getAddress());
        packet.putShort(10, checksum(packet, 0, IP_HEADER_BYTES, 0));
        packet.putShort((short) from.getPort()).putShort((short) to.getPort());
        packet.putInt(sequence(from)).putInt((flags & ACK) == 0 ? 0 : sequence(to));
        packet.put((byte) ((TCP_HEADER_BYTES / 4) << 4)).put((byte) flags).putShort((short) 0xffff);
        packet.putInt(0).put(data.duplicate());
        // The pseudo header: both addresses, the protocol and the length.
        int tcpBytes = lengthBytes - IP_HEADER_BYTES;
        packet.putShort(IP_HEADER_BYTES + 16, checksum(packet, 12, lengthBytes - 12, 6 + tcpBytes));
        packets.add(packet.array());
    }

    /** The Internet checksum (RFC 1071). */
    private static short checksum(ByteBuffer packet, int offset, int lengthBytes, int begin) {
        long sum = begin;
        for (int at = offset; at < offset + lengthBytes; at += 2) {
            int low = at + 1 < offset + lengthBytes ? Byte.toUnsignedInt(packet.get(at + 1)) : 0;
            sum += Byte.toUnsignedInt(packet.get(at)) << 8 | low;
        }
        while (sum >>> 16 != 0) {
            sum = (sum & 0xffff) + (sum >>> 16);
        }
        return (short) ~sum;
    }
}
