package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.MemoryRegion;

/**
 * A peer of one of our responders that speaks RDMAP by hand. It sends messages in hex and returns our ULPDUs in hex.
 */
final class RawPeer {
    final TestLink link;
    private int nextSendMsn = 1;
    private int nextReadMsn = 1;

    private RawPeer(TestLink link) {
        this.link = link;
    }

    /** Opens a stream without CRC, with the startup, the given IRD and ORD, and one zero-length Send. */
    static RawPeer open(QueuePairConfig config, int ird, int ord) {
        return open(new LocalRnic(new Random(1), RnicLimits.defaults()), config, ird, ord);
    }

    /** Opens such a stream on an RNIC that has other streams too. */
    static RawPeer open(LocalRnic rnic) {
        return open(rnic, QueuePairConfig.defaults(), 4, 4);
    }

    private static RawPeer open(LocalRnic rnic, QueuePairConfig config, int ird, int ord) {
        TestLink[] us = new TestLink[1];
        us[0] = TestLink.responder(
                rnic, config, request -> request.accept(new ConnectOptions(ByteBuffer.allocate(0), ird, ord), us[0]));
        RawPeer peer = new RawPeer(us[0]);
        us[0].in("4d504120494420526571204672616d65 1002 0004 1000 1000");
        peer.receive(0);
        peer.send("43", "");
        assertThat(us[0].established).isTrue();
        us[0].completions.clear();
        us[0].writes.clear();
        return peer;
    }

    static RawPeer open() {
        return open(QueuePairConfig.defaults(), 4, 4);
    }

    /** Posts a receive whose id is its capacity. */
    ByteBuffer receive(int capacityBytes) {
        ByteBuffer buffer = ByteBuffer.allocate(capacityBytes);
        link.created.postReceive(capacityBytes, buffer);
        return buffer;
    }

    MemoryRegion region(int lengthBytes, AccessRight... rights) {
        EnumSet<AccessRight> set = EnumSet.noneOf(AccessRight.class);
        set.addAll(List.of(rights));
        return link.created.register(ByteBuffer.allocate(lengthBytes), set);
    }

    static String stag(MemoryRegion region) {
        return String.format("%08x", region.stag());
    }

    /** Sends a Send in one segment: control octet, then payload. */
    void send(String control, String payload) {
        send(control, "00000000", payload);
    }

    void send(String control, String invalidateStag, String payload) {
        link.fpdu("41" + control + invalidateStag + "00000000" + String.format("%08x", nextSendMsn++) + "00000000"
                + payload);
    }

    /** Sends a Write in one segment. */
    void write(MemoryRegion sink, long offset, String payload) {
        link.fpdu("c140" + stag(sink) + String.format("%016x", offset) + payload);
    }

    /** Sends a Read Request with sink STag 0x51 and TO 0x1000. */
    void readRequest(MemoryRegion source, long offset, long sizeBytes) {
        readRequest(String.format("00000051 0000000000001000 %08x %s %016x", sizeBytes, stag(source), offset));
    }

    void readRequest(String header) {
        link.fpdu(readRequestSegment(header));
    }

    String readRequestSegment(String header) {
        return "4141 00000000 00000001" + String.format("%08x", nextReadMsn++) + "00000000" + header;
    }

    /** The MSN of the peer's next Send. */
    String sendMsn() {
        return String.format("%08x", nextSendMsn);
    }

    /** The ULPDUs that were sent since the last call. */
    List<String> ulpdus() {
        List<String> ulpdus = new ArrayList<>();
        for (String write : link.writes) {
            ByteBuffer bytes = Hex.bytes(write);
            while (bytes.hasRemaining()) {
                int lengthBytes = bytes.getShort() & 0xffff;
                ulpdus.add(Hex.of(bytes.slice(bytes.position(), lengthBytes)));
                bytes.position(bytes.position() + lengthBytes + (-(2 + lengthBytes) & 3) + 4);
            }
        }
        link.writes.clear();
        return ulpdus;
    }

    /** The only ULPDU since the last call. */
    String ulpdu() {
        List<String> ulpdus = ulpdus();
        assertThat(ulpdus).hasSize(1);
        return ulpdus.getFirst();
    }

    Completion.Received received(int index) {
        return (Completion.Received) link.completions.get(index);
    }

    /** The Terminate that was sent, from its first control octet on: layer, type, code, flags, headers. */
    String terminate() {
        String ulpdu = ulpdu();
        assertThat(ulpdu).startsWith("4147" + "00000000" + "00000002" + "00000001" + "00000000");
        return ulpdu.substring(36);
    }

    void assertFine() {
        assertThat(link.reason).isNull();
        assertThat(link.bugs).isEmpty();
        assertThat(link.closed).isFalse();
    }
}
