package org.warpnfs.testkit;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.warpnfs.testkit.CapturedConnection.Side;
import org.warpnfs.testkit.CapturedConnection.Turn;

/**
 * Reassembles TCP streams from packets. Segments may be out of order, repeated or overlapping. Bytes after a gap that
 * the capture never fills are left out. Connections without a SYN in the capture are left out too.
 */
public final class TcpReassembler {
    private static final int PROTOCOL_TCP = 6;
    private static final int FLAG_SYN = 0x02;
    private static final int FLAG_ACK = 0x10;

    /** The newest connection of each pair of addresses. Each is stored under the keys of both directions. */
    private final Map<Flow, Conversation> open = new HashMap<>();

    private final Collection<Conversation> all = new ArrayList<>();

    private TcpReassembler() {}

    /** Returns the connections of a capture, in the order of their SYNs. */
    public static List<CapturedConnection> connections(List<CapturedPacket> packets) {
        TcpReassembler reassembler = new TcpReassembler();
        for (CapturedPacket packet : packets) {
            reassembler.accept(packet.ip());
        }
        return reassembler.all.stream().map(Conversation::finish).toList();
    }

    private void accept(ByteBuffer ip) {
        int headerBytes;
        int addressOffset;
        int addressBytes;
        int packetBytes;
        int protocol;
        if (ip.get(0) >>> 4 == 4 && ip.remaining() >= 20) {
            headerBytes = (ip.get(0) & 0xf) * 4;
            packetBytes = Short.toUnsignedInt(ip.getShort(2));
            protocol = ip.get(9);
            addressOffset = 12;
            addressBytes = 4;
        } else if (ip.remaining() >= 40) {
            headerBytes = 40;
            packetBytes = 40 + Short.toUnsignedInt(ip.getShort(4));
            protocol = ip.get(6);
            addressOffset = 8;
            addressBytes = 16;
        } else {
            return;
        }
        if (protocol != PROTOCOL_TCP || packetBytes > ip.remaining() || packetBytes < headerBytes + 20) {
            return;
        }
        ByteBuffer tcp = ip.slice(headerBytes, packetBytes - headerBytes);
        InetSocketAddress source =
                new InetSocketAddress(address(ip, addressOffset, addressBytes), Short.toUnsignedInt(tcp.getShort(0)));
        InetSocketAddress destination = new InetSocketAddress(
                address(ip, addressOffset + addressBytes, addressBytes), Short.toUnsignedInt(tcp.getShort(2)));
        acceptSegment(new Flow(source, destination), tcp);
    }

    private void acceptSegment(Flow flow, ByteBuffer tcp) {
        int sequence = tcp.getInt(4);
        int dataOffset = (tcp.get(12) >> 4 & 0xf) * 4;
        int flags = tcp.get(13);
        if ((flags & FLAG_SYN) != 0) {
            acceptSyn(flow, sequence, (flags & FLAG_ACK) != 0);
            return;
        }
        Conversation conversation = open.get(flow);
        if (conversation != null && dataOffset >= 20 && dataOffset < tcp.remaining()) {
            conversation.accept(flow, sequence, tcp.slice(dataOffset, tcp.remaining() - dataOffset));
        }
    }

    private void acceptSyn(Flow flow, int sequence, boolean answer) {
        Conversation conversation = open.get(flow);
        if (!answer && (conversation == null || conversation.initiator.firstSequence != sequence + 1)) {
            conversation = new Conversation(flow, sequence + 1);
            open.put(flow, conversation);
            open.put(flow.reversed(), conversation);
            all.add(conversation);
        } else if (answer && conversation != null) {
            conversation.responder.firstSequence = sequence + 1;
        }
    }

    private static InetAddress address(ByteBuffer ip, int offset, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        ip.get(offset, bytes);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are addresses", e);
        }
    }

    private record Flow(InetSocketAddress source, InetSocketAddress destination) {
        Flow reversed() {
            return new Flow(destination, source);
        }
    }

    private static final class Conversation {
        final Flow flow;
        final Stream initiator;
        final Stream responder = new Stream(0);
        final List<Turn> turns = new ArrayList<>();

        Conversation(Flow flow, int firstSequence) {
            this.flow = flow;
            this.initiator = new Stream(firstSequence);
        }

        void accept(Flow direction, int sequence, ByteBuffer data) {
            Side side = direction.equals(flow) ? Side.INITIATOR : Side.RESPONDER;
            Stream stream = side == Side.INITIATOR ? initiator : responder;
            int before = stream.bytes.size();
            stream.accept(sequence, data);
            int grownBytes = stream.bytes.size() - before;
            if (grownBytes > 0) {
                turns.add(new Turn(side, before, grownBytes));
            }
        }

        CapturedConnection finish() {
            return new CapturedConnection(
                    flow.source(),
                    flow.destination(),
                    ByteBuffer.wrap(initiator.bytes.toByteArray()),
                    ByteBuffer.wrap(responder.bytes.toByteArray()),
                    turns);
        }
    }

    private static final class Stream {
        int firstSequence;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        /** Segments after a gap, by their offset in the stream. */
        final TreeMap<Integer, List<ByteBuffer>> early = new TreeMap<>();

        Stream(int firstSequence) {
            this.firstSequence = firstSequence;
        }

        void accept(int sequence, ByteBuffer data) {
            // Captures are far shorter than the sequence space, so the difference is the offset. A negative offset
            // means old data.
            early.computeIfAbsent(sequence - firstSequence, offset -> new ArrayList<>())
                    .add(data);
            while (!early.isEmpty() && early.firstKey() <= bytes.size()) {
                Map.Entry<Integer, List<ByteBuffer>> next = early.pollFirstEntry();
                next.getValue().forEach(segment -> append(next.getKey(), segment));
            }
        }

        private void append(int offset, ByteBuffer segment) {
            int knownBytes = bytes.size() - offset;
            if (knownBytes < segment.remaining()) {
                byte[] fresh = new byte[segment.remaining() - knownBytes];
                segment.get(knownBytes, fresh);
                bytes.writeBytes(fresh);
            }
        }
    }
}
