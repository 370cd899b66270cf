package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.testkit.Seeds;

/** The effect of valid messages (RFC 5040, sections 3.2, 5.1 to 5.3 and 5.5). */
class ReceivingTest {
    private final RawPeer peer = RawPeer.open();

    @Test
    void sends_ofAllKinds_areDeliveredInOrderWithWhatTheySay() {
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            buffers.add(peer.receive(10 + i));
        }
        MemoryRegion first = peer.region(4, AccessRight.REMOTE_WRITE);
        MemoryRegion second = peer.region(4, AccessRight.REMOTE_READ);
        peer.send("43", "aabb");
        peer.send("44", RawPeer.stag(first), "");
        peer.send("45", "cc");
        peer.send("46", RawPeer.stag(second), "dddddddd");
        assertThat(peer.link.completions)
                .extracting(
                        Completion::workRequestId,
                        Completion::status,
                        done -> Hex.of(((Completion.Received) done).buffer()),
                        done -> ((Completion.Received) done).solicitedEvent(),
                        done -> ((Completion.Received) done).invalidatedStag())
                .containsExactly(
                        tuple(10L, CompletionStatus.SUCCESS, "aabb", false, OptionalLong.empty()),
                        tuple(11L, CompletionStatus.SUCCESS, "", false, OptionalLong.of(first.stag())),
                        tuple(12L, CompletionStatus.SUCCESS, "cc", true, OptionalLong.empty()),
                        tuple(13L, CompletionStatus.SUCCESS, "dddddddd", true, OptionalLong.of(second.stag())));
        for (ByteBuffer buffer : buffers) {
            // The rest of the buffer is unchanged.
            assertThat(Hex.of(buffer.duplicate().clear().position(4))).matches("(00)*");
        }
        assertThat(first.valid() || second.valid()).isFalse();
        peer.assertFine();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9, 10})
    void send_shorterThanItsBufferOrAsLong_tellsItsLength(int lengthBytes) {
        peer.receive(10);
        peer.receive(11);
        peer.send("43", "ab".repeat(lengthBytes));
        peer.send("43", "cd");
        assertThat(peer.received(0).buffer().remaining()).isEqualTo(lengthBytes);
        assertThat(peer.received(1).workRequestId()).isEqualTo(11);
        assertThat(Hex.of(peer.received(1).buffer())).isEqualTo("cd");
    }

    @Test
    void emptySend_withoutAReceive_isAnErrorAsAnyOther() {
        peer.send("43", "");
        assertThat(peer.terminate()).startsWith("1202" + "c000" + "0012");
    }

    @Test
    void sendInSegments_isDeliveredWithItsLastAndNotBefore() {
        peer.receive(10);
        String header = "00000000 00000000" + peer.sendMsn();
        peer.link.fpdu("0145" + header + "00000000 aabb");
        peer.link.fpdu("0145" + header + "00000002 cc");
        assertThat(peer.link.completions).isEmpty();
        peer.link.fpdu("4145" + header + "00000003 dd");
        assertThat(Hex.of(peer.received(0).buffer())).isEqualTo("aabbccdd");
        assertThat(peer.received(0).solicitedEvent()).isTrue();
    }

    @Test
    void writes_aThousandToOneStag_areAllPlacedAndNobodyIsTold() {
        MemoryRegion sink = peer.region(1000, AccessRight.REMOTE_WRITE);
        peer.receive(10);
        for (int i = 0; i < 1000; i++) {
            peer.write(sink, i, String.format("%02x", i & 0xff));
        }
        peer.write(sink, 0, "5555");
        peer.link.fpdu("c140" + RawPeer.stag(sink) + "0000000000000064");
        assertThat(peer.link.completions).isEmpty();
        assertThat(peer.link.writes).isEmpty();
        assertThat(sink.valid()).isTrue();
        assertThat(sink.memory().get(0)).isEqualTo((byte) 0x55);
        for (int i = 2; i < 1000; i++) {
            assertThat(sink.memory().get(i)).isEqualTo((byte) i);
        }
        // The receive is still available for the Send that reports the Write.
        peer.send("43", "aa");
        assertThat(peer.link.completions).hasSize(1);
    }

    @Test
    void writesThenSend_everythingIsInPlaceWhenTheSendIsSeen() {
        Seeds.each(20, seed -> {
            RawPeer other = RawPeer.open();
            SplittableRandom random = new SplittableRandom(seed);
            MemoryRegion sink = other.region(300, AccessRight.REMOTE_WRITE);
            byte[] expected = new byte[300];
            for (int round = 0; round < 50; round++) {
                for (int i = random.nextInt(5); i > 0; i--) {
                    int offset = random.nextInt(300);
                    byte[] bytes = new byte[random.nextInt(300 - offset) + 1];
                    random.nextBytes(bytes);
                    System.arraycopy(bytes, 0, expected, offset, bytes.length);
                    other.write(sink, offset, Hex.of(ByteBuffer.wrap(bytes)));
                }
                other.receive(1);
                other.send("43", "");
                assertThat(other.link.completions).hasSize(round + 1);
                assertThat(sink.memory()).isEqualTo(ByteBuffer.wrap(expected));
            }
        });
    }

    @Test
    void writeThenSendWithInvalidateThenWrite_onlyTheFirstIsPlaced_andANewStagWorks() {
        ByteBuffer memory = ByteBuffer.allocate(4);
        MemoryRegion old = peer.link.created.register(memory, EnumSet.of(AccessRight.REMOTE_WRITE));
        peer.write(old, 0, "aa");
        peer.receive(10);
        peer.send("44", RawPeer.stag(old), "");
        assertThat(old.valid()).isFalse();
        MemoryRegion renewed = peer.link.created.register(memory, EnumSet.of(AccessRight.REMOTE_WRITE));
        assertThat(renewed.stag()).isNotEqualTo(old.stag());
        peer.write(renewed, 1, "bb");
        peer.assertFine();
        peer.write(old, 2, "cc");
        assertThat(peer.terminate()).startsWith("1100" + "c000" + "000f" + "c140" + RawPeer.stag(old));
        assertThat(Hex.of(memory)).isEqualTo("aabb0000");
    }

    @Test
    void readRequests_answeredInOrderWithoutTheUpperLayer() {
        MemoryRegion source = peer.region(6, AccessRight.REMOTE_READ);
        source.memory().put(Hex.bytes("010203040506"));
        peer.receive(10);
        peer.readRequest("00000051 8000000000001000 00000002" + RawPeer.stag(source) + "0000000000000004");
        peer.readRequest("00000000 0000000000000000 00000006" + RawPeer.stag(source) + "0000000000000000");
        peer.readRequest(
                RawPeer.stag(source) + "0000000000000003 00000001" + RawPeer.stag(source) + "0000000000000001");
        assertThat(peer.ulpdus())
                .containsExactly(
                        "c142" + "00000051" + "8000000000001000" + "0506",
                        "c142" + "00000000" + "0000000000000000" + "010203040506",
                        "c142" + RawPeer.stag(source) + "0000000000000003" + "02");
        assertThat(peer.link.completions).isEmpty();
        assertThat(peer.link.drained).isEqualTo(1);
        assertThat(source.valid()).isTrue();
        peer.assertFine();
    }

    @Test
    void readRequestInSegments_isProcessedWhenWholeAndNotBefore() {
        MemoryRegion source = peer.region(4, AccessRight.REMOTE_READ);
        String request =
                Hex.of(Hex.bytes("00000051 0000000000001000 00000004" + RawPeer.stag(source) + "0000000000000000"));
        peer.link.fpdu("0141 00000000 00000001 00000001 00000000" + request.substring(0, 20));
        assertThat(peer.link.writes).isEmpty();
        source.memory().put(Hex.bytes("0a0b0c0d"));
        peer.link.fpdu("4141 00000000 00000001 00000001 0000000a" + request.substring(20));
        assertThat(peer.ulpdu()).isEqualTo("c142" + "00000051" + "0000000000001000" + "0a0b0c0d");
    }

    @Test
    void readRequest_ofAMegabyte_isAnsweredInSegmentsOfOneMessage() {
        MemoryRegion source = peer.region(1 << 20, AccessRight.REMOTE_READ);
        new SplittableRandom(1).nextBytes(source.memory().array());
        peer.readRequest(source, 0, 1 << 20);
        List<String> ulpdus = peer.ulpdus();
        assertThat(ulpdus).hasSize(17);
        StringBuilder answered = new StringBuilder();
        for (int i = 0; i < ulpdus.size(); i++) {
            assertThat(ulpdus.get(i))
                    .startsWith((i == 16 ? "c1" : "81") + "42" + "00000051"
                            + String.format("%016x", 0x1000 + answered.length() / 2));
            answered.append(ulpdus.get(i).substring(28));
        }
        assertThat(answered.toString()).isEqualTo(Hex.of(source.memory()));
    }

    @Test
    void readAfterWrite_seesWhatWasWritten() {
        Seeds.each(20, seed -> {
            RawPeer other = RawPeer.open();
            SplittableRandom random = new SplittableRandom(seed);
            MemoryRegion both = other.region(200, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
            for (int round = 0; round < 50; round++) {
                int offset = random.nextInt(200);
                byte[] bytes = new byte[random.nextInt(200 - offset) + 1];
                random.nextBytes(bytes);
                other.write(both, offset, Hex.of(ByteBuffer.wrap(bytes)));
                other.readRequest(both, offset, bytes.length);
                assertThat(other.ulpdu()).endsWith(Hex.of(ByteBuffer.wrap(bytes)));
            }
            other.assertFine();
        });
    }

    @Test
    void readRequests_asManyAsIrdWhileNothingLeaves_areAllTaken_andSendsPassThem() {
        RawPeer deep = RawPeer.open(QueuePairConfig.defaults(), 16, 4);
        MemoryRegion source = deep.region(16, AccessRight.REMOTE_READ);
        deep.link.socketTakes = false;
        deep.link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        deep.link.created.flush();
        deep.ulpdus();
        for (int i = 0; i < 16; i++) {
            deep.readRequest(source, i, 1);
        }
        deep.receive(10);
        deep.send("43", "aa");
        assertThat(deep.link.completions).hasSize(1);
        deep.assertFine();
        assertThat(deep.link.writes).isEmpty();
        deep.link.socketTakes = true;
        deep.link.releaseHeld();
        assertThat(deep.ulpdus()).hasSize(16).allMatch(ulpdu -> ulpdu.startsWith("c142"));
        // As many requests again, because each answer made room.
        for (int i = 0; i < 16; i++) {
            deep.readRequest(source, i, 1);
        }
        deep.assertFine();
    }

    @Test
    void reads_sixteenIntoOneSink_completeOldestFirst() {
        RawPeer deep = RawPeer.open(QueuePairConfig.defaults(), 4, 16);
        MemoryRegion sink = deep.region(4, AccessRight.LOCAL_WRITE);
        for (int i = 0; i < 16; i++) {
            deep.link.created.post(new WorkRequest.RdmaRead(i, sink, 0, 4, new RemoteMemory(9, 0)));
        }
        deep.link.created.flush();
        assertThat(deep.ulpdus()).hasSize(16);
        for (int i = 0; i < 16; i++) {
            // In two segments, of which the first does not complete it.
            deep.link.fpdu("8142" + RawPeer.stag(sink) + "0000000000000000" + "0000");
            assertThat(deep.link.completions).hasSize(i);
            deep.link.fpdu("c142" + RawPeer.stag(sink) + "0000000000000002" + String.format("%04x", i));
            assertThat(deep.link.completions).hasSize(i + 1);
            assertThat(deep.link.completions.getLast()).isEqualTo(new Completion.ReadDone(i, CompletionStatus.SUCCESS));
            assertThat(Hex.of(sink.memory())).isEqualTo(String.format("0000%04x", i));
        }
        assertThat(sink.valid()).isTrue();
        sink.invalidate();
        assertThat(sink.valid()).isFalse();
        deep.assertFine();
    }

    @Test
    void readOfNothing_isAskedForAndAnsweredWithNothing() {
        MemoryRegion sink = peer.region(4, AccessRight.LOCAL_WRITE);
        peer.link.created.post(new WorkRequest.RdmaRead(1, sink, 2, 0, new RemoteMemory(9, 5)));
        peer.link.created.flush();
        assertThat(peer.ulpdu())
                .endsWith(RawPeer.stag(sink) + "0000000000000002" + "00000000" + "00000009" + "0000000000000005");
        assertThat(peer.link.completions).isEmpty();
        peer.link.fpdu("c142" + RawPeer.stag(sink) + "0000000000000002");
        assertThat(peer.link.completions).containsExactly(new Completion.ReadDone(1, CompletionStatus.SUCCESS));
    }

    @Test
    void readResponse_segmentsInAnyOrder_completeTheRead() {
        MemoryRegion sink = peer.region(4, AccessRight.LOCAL_WRITE);
        peer.link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 4, new RemoteMemory(9, 0)));
        peer.link.created.flush();
        peer.link.fpdu("8142" + RawPeer.stag(sink) + "0000000000000002" + "cc");
        peer.link.fpdu("8142" + RawPeer.stag(sink) + "0000000000000000" + "aabb");
        peer.link.fpdu("c142" + RawPeer.stag(sink) + "0000000000000003" + "dd");
        assertThat(peer.link.completions).containsExactly(new Completion.ReadDone(1, CompletionStatus.SUCCESS));
        assertThat(Hex.of(sink.memory())).isEqualTo("aabbccdd");
    }

    @Test
    void sendThenReadRequestInOneSegmentOfTcp_theSendIsSeenBeforeTheAnswerLeaves() {
        List<Integer> writesWhenSeen = new ArrayList<>();
        TestLink[] us = new TestLink[1];
        QueuePairHandler handler = new QueuePairHandler() {
            @Override
            public void created(QueuePair queuePair) {
                us[0].created(queuePair);
            }

            @Override
            public void established(QueuePair queuePair) {
                us[0].established(queuePair);
            }

            @Override
            public void completed(QueuePair queuePair, Completion completion) {
                writesWhenSeen.add(us[0].writes.size());
            }

            @Override
            public void disconnected(QueuePair queuePair, DisconnectReason reason) {
                us[0].disconnected(queuePair, reason);
            }
        };
        us[0] = TestLink.responder(QueuePairConfig.defaults(), request -> request.accept(TestLink.OPTIONS, handler));
        us[0].in(TestLink.REQUEST);
        us[0].writes.clear();
        us[0].created.postReceive(1, ByteBuffer.allocate(4));
        us[0].in("0014 4143 00000000 00000000 00000001 00000000 aabb 0000 00000000"
                + "002e 4141 00000000 00000001 00000001 00000000"
                + "00000051 0000000000001000 00000000 00000000 0000000000000000 00000000");
        assertThat(writesWhenSeen).containsExactly(0);
        assertThat(us[0].takeWrite()).startsWith("000e" + "c142" + "00000051");
    }

    @Test
    void readOfNothingAfterAWrite_isAnsweredWhenTheWriteIsInPlace() {
        MemoryRegion sink = peer.region(2, AccessRight.REMOTE_WRITE);
        peer.link.fpdu("8140" + RawPeer.stag(sink) + "0000000000000000 aa");
        assertThat(peer.link.writes).isEmpty();
        peer.link.fpdu("c140" + RawPeer.stag(sink) + "0000000000000001 bb");
        peer.readRequest("00000051 0000000000001000 00000000 00000000 0000000000000000");
        assertThat(Hex.of(sink.memory())).isEqualTo("aabb");
        assertThat(peer.ulpdu()).startsWith("c142");
    }

    @Test
    void readRequests_longThenShort_theShortWaitsForTheLong() {
        MemoryRegion source = peer.region(200_000, AccessRight.REMOTE_READ);
        peer.link.socketTakes = false;
        peer.link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        peer.link.created.flush();
        peer.ulpdus();
        peer.readRequest(source, 0, 200_000);
        peer.readRequest("00000052 0000000000000000 00000001" + RawPeer.stag(source) + "0000000000000000");
        peer.link.socketTakes = true;
        peer.link.releaseHeld();
        assertThat(peer.ulpdus())
                .extracting(ulpdu -> ulpdu.substring(0, 12))
                .containsExactly("814200000051", "814200000051", "814200000051", "c14200000051", "c14200000052");
    }

    @ParameterizedTest
    @CsvSource({
        // 8 bytes were requested, at TO 4 of the sink, which has 20.
        "0, 0000000000000004, 1, 9, 1101, one byte too many",
        "0, 0000000000000004, 0, 9, 1101, one byte too many with more to come",
        "0, 0000000000000003, 1, 8, 1101, one byte too low",
        "0, 000000000000000c, 0, 1, 1101, behind the end",
        "0, 8000000000000004, 1, 8, 1101, far behind the end",
        "0, fffffffffffffffc, 1, 8, 1103, wraps",
        "1, 0000000000000004, 1, 8, 1100, an STag that was not asked for",
        "0, 0000000000000004, 1, 7, 02ff, one byte missing at the end",
        "0, 0000000000000005, 1, 7, 02ff, one byte missing at the start",
        "0, 0000000000000004, 1, 0, 02ff, nothing"
    })
    void readResponse_notWhatWasAskedFor_isRefusedAndTheReadFails(
            int stag, String to, int last, int payloadBytes, String code, String why) {
        MemoryRegion sink = peer.region(20, AccessRight.LOCAL_WRITE);
        MemoryRegion other = peer.region(20, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        peer.link.created.post(new WorkRequest.RdmaRead(1, sink, 4, 8, new RemoteMemory(9, 0)));
        peer.link.created.flush();
        peer.ulpdus();
        peer.link.fpdu((last == 1 ? "c142" : "8142")
                + RawPeer.stag(stag == 0 ? sink : other)
                + to
                + "aa".repeat(payloadBytes));
        assertThat(peer.terminate()).as(why).startsWith(code + "c000");
        assertThat(peer.link.completions).containsExactly(new Completion.ReadDone(1, CompletionStatus.REMOTE_ERROR));
        assertThat(Hex.of(other.memory())).isEqualTo("00".repeat(20));
        if (!code.equals("02ff")) {
            assertThat(Hex.of(sink.memory())).isEqualTo("00".repeat(20));
        }
    }
}
