package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TcpReassemblerTest {
    private static final int SYN = 0x02;
    private static final int ACK = 0x10;

    /** Just below 2^32, so that the sequence numbers of every stream here wrap. */
    private static final int START = -3;

    private final List<CapturedPacket> packets = new ArrayList<>();

    @Test
    void segments_outOfOrderTwiceAndOverlapping_makeOneStream() {
        open();
        data(1, 1 + 4, "efgh");
        data(1, 1, "abcd");
        data(1, 1, "abcd");
        data(1, 1 + 2, "cdefghij");
        assertThat(only().fromInitiator()).isEqualTo(ascii("abcdefghij"));
        assertThat(only().turns())
                .extracting(CapturedConnection.Turn::lengthBytes)
                .containsExactly(8, 2);
    }

    @Test
    void segments_behindAGap_areLeftOut() {
        open();
        data(2, 1, "abcd");
        data(2, 1 + 5, "fg");
        assertThat(only().fromResponder()).isEqualTo(ascii("abcd"));
        assertThat(only().fromInitiator().remaining()).isZero();
    }

    @Test
    void connection_portReused_isAnotherOne() {
        open();
        data(1, 1, "first");
        packets.add(packet(1, 5000, SYN, ""));
        packets.add(packet(2, 7000, SYN | ACK, ""));
        packets.add(packet(1, 5001, ACK, "second"));
        List<CapturedConnection> connections = TcpReassembler.connections(packets);
        assertThat(connections)
                .extracting(CapturedConnection::fromInitiator)
                .containsExactly(ascii("first"), ascii("second"));
    }

    @Test
    void connection_withoutSyn_isLeftOut() {
        data(1, 1, "late");
        assertThat(TcpReassembler.connections(packets)).isEmpty();
    }

    private void open() {
        packets.add(packet(1, START, SYN, ""));
        packets.add(packet(2, START, SYN | ACK, ""));
    }

    private void data(int host, int offset, String text) {
        packets.add(packet(host, START + offset, ACK, text));
    }

    private CapturedConnection only() {
        List<CapturedConnection> connections = TcpReassembler.connections(packets);
        assertThat(connections).hasSize(1);
        return connections.getFirst();
    }

    private static CapturedPacket packet(int fromHost, int sequence, int flags, String text) {
        ByteBuffer data = ascii(text);
        ByteBuffer ip = ByteBuffer.allocate(40 + data.remaining());
        ip.put(0, (byte) 0x45);
        ip.putShort(2, (short) ip.capacity());
        ip.put(9, (byte) 6);
        ip.putInt(12, 0x0a000000 + fromHost);
        ip.putInt(16, 0x0a000000 + 3 - fromHost);
        ip.putShort(20, (short) (1000 + fromHost));
        ip.putShort(22, (short) (1000 + 3 - fromHost));
        ip.putInt(24, sequence);
        ip.put(32, (byte) 0x50);
        ip.put(33, (byte) flags);
        ip.put(40, data, 0, data.remaining());
        return new CapturedPacket(0, ip);
    }

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }
}
