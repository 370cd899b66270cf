package org.warpnfs.testkit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the classic pcap format: a file header of 24 bytes, and then for each packet a header of 16 bytes and the
 * captured bytes.
 *
 * <pre>
 * file header    magic(4) major(2) minor(2) zone(4) accuracy(4) snapshot length(4) link type(4)
 * packet header  seconds(4) fraction(4) captured length(4) length on the wire(4)
 * </pre>
 *
 * The magic determines the byte order and whether the fraction is in microseconds or nanoseconds. Packets that do not
 * carry IP are skipped.
 */
public final class PcapReader {
    private static final int MAGIC_MICROS = 0xa1b2c3d4;
    private static final int MAGIC_NANOS = 0xa1b23c4d;
    private static final int FILE_HEADER_BYTES = 24;
    private static final int PACKET_HEADER_BYTES = 16;
    private static final int ETHERTYPE_IPV4 = 0x0800;
    private static final int ETHERTYPE_IPV6 = 0x86dd;
    private static final int ETHERTYPE_VLAN = 0x8100;

    private PcapReader() {}

    /** Returns the packets of a whole file, in file order. */
    public static List<CapturedPacket> read(byte[] file) {
        if (file.length < FILE_HEADER_BYTES) {
            throw new CaptureFormatException("no pcap file header in " + file.length + " bytes");
        }
        ByteBuffer bytes = ByteBuffer.wrap(file);
        long nanosPerFraction = nanosPerFraction(bytes);
        LinkType linkType = LinkType.of(bytes.getInt(20));
        bytes.position(FILE_HEADER_BYTES);
        List<CapturedPacket> packets = new ArrayList<>();
        while (bytes.remaining() >= PACKET_HEADER_BYTES) {
            long seconds = Integer.toUnsignedLong(bytes.getInt());
            long fraction = Integer.toUnsignedLong(bytes.getInt());
            int capturedBytes = bytes.getInt();
            int wireBytes = bytes.getInt();
            if (capturedBytes < 0 || capturedBytes > bytes.remaining()) {
                throw new CaptureFormatException("packet of " + capturedBytes + " bytes at " + bytes.position());
            }
            if (capturedBytes != wireBytes) {
                throw new CaptureFormatException("packet at " + bytes.position() + " was cut short by the capture");
            }
            ByteBuffer frame = bytes.slice(bytes.position(), capturedBytes).order(ByteOrder.BIG_ENDIAN);
            bytes.position(bytes.position() + capturedBytes);
            if (skipLinkHeader(frame, linkType)) {
                packets.add(new CapturedPacket(seconds * 1_000_000_000L + fraction * nanosPerFraction, frame.slice()));
            }
        }
        return packets;
    }

    private static long nanosPerFraction(ByteBuffer file) {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            int magic = file.order(order).getInt(0);
            if (magic == MAGIC_MICROS) {
                return 1000;
            }
            if (magic == MAGIC_NANOS) {
                return 1;
            }
        }
        throw new CaptureFormatException("not a pcap file: magic " + Integer.toHexString(file.getInt(0)));
    }

    /** Moves to the IP header. Returns false if the frame does not carry IP. */
    private static boolean skipLinkHeader(ByteBuffer frame, LinkType linkType) {
        if (frame.remaining() < linkType.headerBytes) {
            return false;
        }
        int etherType =
                switch (linkType) {
                    case RAW_IP -> ETHERTYPE_IPV4;
                    case ETHERNET -> Short.toUnsignedInt(frame.getShort(12));
                    case LINUX_COOKED -> Short.toUnsignedInt(frame.getShort(14));
                };
        int headerBytes = linkType.headerBytes;
        if (etherType == ETHERTYPE_VLAN && frame.remaining() >= headerBytes + 4) {
            etherType = Short.toUnsignedInt(frame.getShort(headerBytes + 2));
            headerBytes += 4;
        }
        frame.position(headerBytes);
        return frame.hasRemaining() && (etherType == ETHERTYPE_IPV4 || etherType == ETHERTYPE_IPV6);
    }

    private enum LinkType {
        ETHERNET(14),
        RAW_IP(0),
        LINUX_COOKED(16);

        final int headerBytes;

        LinkType(int headerBytes) {
            this.headerBytes = headerBytes;
        }

        static LinkType of(int number) {
            return switch (number & 0xffff) {
                case 1 -> ETHERNET;
                case 12, 101 -> RAW_IP;
                case 113 -> LINUX_COOKED;
                default -> throw new CaptureFormatException("link type " + (number & 0xffff));
            };
        }
    }
}
