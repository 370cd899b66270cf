package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.testkit.Seeds;

/** The octets on the wire for each kind of posted work (RFC 5040, sections 4 and 5, Appendix A). */
class SendingTest {
    private static final ByteBuffer HI = ByteBuffer.wrap("Hi".getBytes(StandardCharsets.US_ASCII));

    private final RawPeer peer = RawPeer.open();

    private void post(WorkRequest... requests) {
        for (WorkRequest request : requests) {
            peer.link.created.post(request);
        }
        peer.link.created.flush();
        peer.link.runTasks();
    }

    private static WorkRequest.Send send(long id, boolean solicited, OptionalLong stag, ByteBuffer... message) {
        return new WorkRequest.Send(id, List.of(message), solicited, stag);
    }

    private static WorkRequest.RdmaWrite write(long id, long stag, long to, ByteBuffer... source) {
        return new WorkRequest.RdmaWrite(id, List.of(source), new RemoteMemory(stag, to));
    }

    private WorkRequest.RdmaRead read(long id, int lengthBytes, long stag, long to) {
        MemoryRegion sink = peer.region(lengthBytes, AccessRight.LOCAL_WRITE);
        return new WorkRequest.RdmaRead(id, sink, 0, lengthBytes, new RemoteMemory(stag, to));
    }

    @Test
    void post_everyOperation_isOneMessageWithTheOctetsOfItsFigure() {
        MemoryRegion sink = peer.region(10_000, AccessRight.LOCAL_WRITE);
        OptionalLong stag = OptionalLong.of(0x01020304);
        post(
                send(1, false, OptionalLong.empty(), HI),
                send(2, false, stag, HI),
                send(3, true, OptionalLong.empty(), HI),
                send(4, true, stag, HI),
                write(5, 0x01020304, 0x1000, HI),
                new WorkRequest.RdmaRead(6, sink, 0, 10_000, new RemoteMemory(0x22222222, 0x3000)));
        assertThat(peer.ulpdus())
                .containsExactly(
                        "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "4869",
                        "4144" + "01020304" + "00000000" + "00000002" + "00000000" + "4869",
                        "4145" + "00000000" + "00000000" + "00000003" + "00000000" + "4869",
                        "4146" + "01020304" + "00000000" + "00000004" + "00000000" + "4869",
                        "c140" + "01020304" + "0000000000001000" + "4869",
                        "4141" + "00000000" + "00000001" + "00000001" + "00000000" + RawPeer.stag(sink)
                                + "0000000000000000" + "00002710" + "22222222" + "0000000000003000");
    }

    @Test
    void post_emptyMessages_areOneSegmentOfHeaderEach() {
        post(
                send(1, false, OptionalLong.empty()),
                write(2, 0, 0),
                write(3, 0xffffffffL, -1L, ByteBuffer.allocate(0)),
                read(4, 0, 7, 9));
        List<String> ulpdus = peer.ulpdus();
        assertThat(ulpdus.subList(0, 3))
                .containsExactly(
                        "4143" + "00000000" + "00000000" + "00000001" + "00000000",
                        "c140" + "00000000" + "0000000000000000",
                        "c140" + "ffffffff" + "ffffffffffffffff");
        assertThat(ulpdus.get(3)).hasSize(2 * 46).endsWith("00000000" + "00000007" + "0000000000000009");
    }

    @Test
    void post_extremeNumbers_areWhatThePosterGave() {
        long[] stags = {0, 1, 0x7fffffffL, 0x80000000L, 0xffffffffL};
        long[] offsets = {0, 1, Long.MAX_VALUE, Long.MIN_VALUE, -5L};
        for (int i = 0; i < stags.length; i++) {
            post(write(1, stags[i], offsets[i], HI));
            assertThat(peer.ulpdu()).isEqualTo(String.format("c140%08x%016x4869", stags[i], offsets[i]));
            post(send(1, false, OptionalLong.of(stags[i])));
            assertThat(peer.ulpdu()).startsWith(String.format("4144%08x00000000", stags[i]));
            WorkRequest.RdmaRead read = read(1, 4, stags[i], offsets[i]);
            post(read);
            assertThat(peer.ulpdu()).endsWith(String.format("00000004%08x%016x", stags[i], offsets[i]));
            peer.link.fpdu("c142" + RawPeer.stag(read.sink()) + "0000000000000000 01020304");
        }
        peer.assertFine();
    }

    @Test
    void post_longMessages_everySegmentCarriesTheSameFields() {
        RawPeer narrow = RawPeer.open(QueuePairConfig.defaults().withMulpduBytes(128), 4, 4);
        ByteBuffer bytes = ByteBuffer.allocate(2_000);
        new SplittableRandom(1).nextBytes(bytes.array());
        narrow.link.created.post(send(1, true, OptionalLong.of(0x01020304), bytes));
        narrow.link.created.post(write(2, 0x0a0b0c0d, 0x7000_0000_0000_0001L, bytes));
        narrow.link.created.flush();
        long mo = 0;
        long to = 0x7000_0000_0000_0001L;
        StringBuilder sent = new StringBuilder();
        StringBuilder written = new StringBuilder();
        List<String> ulpdus = narrow.ulpdus();
        // 110 octets of payload fit with 18 of header, 114 with 14.
        assertThat(ulpdus).hasSize(19 + 18);
        for (int i = 0; i < ulpdus.size(); i++) {
            String ulpdu = ulpdus.get(i);
            assertThat(ulpdu.length()).isLessThanOrEqualTo(2 * 128);
            if (i < 19) {
                String control = i == 18 ? "41" : "01";
                assertThat(ulpdu).startsWith(control + "46" + "01020304" + "00000000" + "00000001" + hex32(mo));
                sent.append(ulpdu.substring(36));
                mo = sent.length() / 2;
            } else {
                String control = i == 36 ? "c1" : "81";
                assertThat(ulpdu).startsWith(control + "40" + "0a0b0c0d" + String.format("%016x", to));
                written.append(ulpdu.substring(28));
                to = 0x7000_0000_0000_0001L + written.length() / 2;
            }
        }
        assertThat(sent.toString()).isEqualTo(Hex.of(bytes));
        assertThat(written.toString()).isEqualTo(Hex.of(bytes));
    }

    private static String hex32(long value) {
        return String.format("%08x", value);
    }

    @Test
    void post_gatheredPieces_areOneMessage() {
        post(
                send(1, false, OptionalLong.empty(), HI, ByteBuffer.allocate(0), HI.slice(0, 1)),
                write(2, 1, 2, HI, ByteBuffer.allocate(0), HI.slice(1, 1)));
        assertThat(peer.ulpdus())
                .containsExactly(
                        "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "486948",
                        "c140" + "00000001" + "0000000000000002" + "486969");
        assertThat(peer.link.completions).hasSize(2);
    }

    @Test
    void post_randomMix_leavesInTheOrderOfPostingAndEachQueueCounts() {
        Seeds.each(20, seed -> {
            RawPeer other = RawPeer.open();
            SplittableRandom random = new SplittableRandom(seed);
            List<String> expected = new ArrayList<>();
            int sends = 0;
            int reads = 0;
            List<MemoryRegion> sinks = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                switch (random.nextInt(3)) {
                    case 0 -> {
                        other.link.created.post(WorkRequest.Send.of(i, HI));
                        expected.add("4143" + "00000000" + "00000000" + hex32(++sends));
                    }
                    case 1 -> {
                        other.link.created.post(write(i, i, i, HI));
                        expected.add("c140" + hex32(i));
                    }
                    default -> {
                        MemoryRegion sink = other.region(1, AccessRight.LOCAL_WRITE);
                        sinks.add(sink);
                        other.link.created.post(new WorkRequest.RdmaRead(i, sink, 0, 1, new RemoteMemory(i, 0)));
                        expected.add("4141" + "00000000" + "00000001" + hex32(++reads));
                    }
                }
                if (random.nextInt(4) == 0) {
                    other.link.created.flush();
                }
            }
            other.link.created.flush();
            // ORD is 4. Each response permits one more request.
            for (MemoryRegion sink : sinks) {
                other.link.fpdu("c142" + RawPeer.stag(sink) + "0000000000000000 77");
            }
            List<String> ulpdus = other.ulpdus();
            assertThat(ulpdus).hasSameSizeAs(expected);
            for (int i = 0; i < ulpdus.size(); i++) {
                assertThat(ulpdus.get(i)).startsWith(expected.get(i));
            }
            assertThat(other.link.completions)
                    .extracting(Completion::workRequestId)
                    .containsExactlyElementsOf(LongStream.range(0, 300).boxed().toList());
        });
    }

    @Test
    void post_socketTakesNothing_nothingCompletesUntilItDoes() {
        peer.link.socketTakes = false;
        post(send(1, false, OptionalLong.empty(), HI), write(2, 1, 2, HI));
        assertThat(peer.ulpdus()).hasSize(2);
        assertThat(peer.link.completions).isEmpty();
        peer.link.socketTakes = true;
        peer.link.releaseHeld();
        assertThat(peer.link.completions)
                .containsExactly(
                        new Completion.Sent(1, CompletionStatus.SUCCESS),
                        new Completion.Written(2, CompletionStatus.SUCCESS));
    }

    /** The message completes with its last byte, not with its first batch. */
    @Test
    void post_messageOfSeveralBatches_completesWhenTheLastIsTaken() {
        peer.link.socketTakes = false;
        ByteBuffer large = ByteBuffer.allocate(3 << 20);
        peer.link.created.post(new WorkRequest.RdmaWrite(1, List.of(large), new RemoteMemory(1, 2)));
        peer.link.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(2 << 20)));
        peer.link.created.flush();
        int batches = 0;
        while (!peer.link.held.isEmpty()) {
            assertThat(peer.link.completions).hasSizeLessThan(2);
            boolean writeLeft = batches * (512 << 10) >= (3 << 20);
            assertThat(peer.link.completions).hasSizeLessThanOrEqualTo(writeLeft ? 1 : 0);
            peer.link.machine.sent(peer.link.held.remove());
            peer.link.outputReady();
            batches++;
        }
        assertThat(batches).isGreaterThan(8);
        assertThat(peer.link.completions)
                .containsExactly(
                        new Completion.Written(1, CompletionStatus.SUCCESS),
                        new Completion.Sent(2, CompletionStatus.SUCCESS));
    }

    @Test
    void register_invalidateAndPostReceive_putNothingOnTheWire() {
        peer.region(10, AccessRight.REMOTE_WRITE).invalidate();
        peer.region(10, AccessRight.REMOTE_READ);
        peer.receive(10);
        peer.link.created.flush();
        peer.link.runTasks();
        assertThat(peer.link.writes).isEmpty();
    }

    @Test
    void newStream_afterOneThatBroke_numbersItsMessagesFromOne() {
        post(send(1, false, OptionalLong.empty()), send(2, false, OptionalLong.empty()));
        peer.link.fpdu("c040 00000001 0000000000000000 aa");
        assertThat(peer.link.reason).isNotNull();
        RawPeer next = RawPeer.open();
        next.receive(10);
        next.send("43", "aa");
        next.link.created.post(WorkRequest.Send.of(1, HI));
        next.link.created.flush();
        assertThat(next.ulpdu()).startsWith("4143" + "00000000" + "00000000" + "00000001");
        assertThat(next.received(0).status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    @Test
    void workRequest_ofMoreThanALengthFieldHolds_isRefusedAtOnce() {
        ByteBuffer megabyte = ByteBuffer.allocateDirect(1 << 20);
        List<ByteBuffer> longest = new ArrayList<>(Collections.nCopies(4095, megabyte));
        longest.add(megabyte.slice(0, (1 << 20) - 1));
        RemoteMemory sink = new RemoteMemory(1, 0);
        assertThat(new WorkRequest.Send(1, longest, false, OptionalLong.empty()).message())
                .hasSize(4096);
        assertThat(new WorkRequest.RdmaWrite(1, longest, sink).source()).hasSize(4096);
        List<ByteBuffer> tooLong = Collections.nCopies(4096, megabyte);
        assertThatThrownBy(() -> new WorkRequest.Send(1, tooLong, false, OptionalLong.empty()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WorkRequest.RdmaWrite(1, tooLong, sink))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void workRequest_withImpossibleArguments_isRefusedAndTheStreamLives() {
        MemoryRegion sink = peer.region(8, AccessRight.LOCAL_WRITE);
        List<Runnable> wrong = List.of(
                () -> send(1, false, OptionalLong.of(1L << 32)),
                () -> send(1, false, OptionalLong.of(-1)),
                () -> new RemoteMemory(-1, 0),
                () -> new WorkRequest.RdmaRead(1, sink, 1, 8, new RemoteMemory(1, 0)),
                () -> new WorkRequest.RdmaRead(1, sink, -1, 2, new RemoteMemory(1, 0)),
                () -> new WorkRequest.RdmaRead(1, sink, 0, -1, new RemoteMemory(1, 0)));
        for (Runnable creation : wrong) {
            assertThatThrownBy(creation::run).isInstanceOf(IllegalArgumentException.class);
        }
        // Offsets are not checked here. The peer checks whether a range wraps.
        post(write(1, 1, -1L, HI), send(2, false, OptionalLong.empty()));
        assertThat(peer.ulpdus()).hasSize(2);
        peer.assertFine();
    }

    @Test
    void readWithoutOrd_isRefusedAtOnce() {
        RawPeer none = RawPeer.open(QueuePairConfig.defaults(), 0, 0);
        MemoryRegion sink = none.link.created.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.LOCAL_WRITE));
        assertThatThrownBy(
                        () -> none.link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 1, new RemoteMemory(1, 0))))
                .isInstanceOf(IllegalStateException.class);
        none.readRequest("00000051 0000000000001000 00000000 00000000 0000000000000000");
        assertThat(none.terminate()).startsWith("1202" + "c000" + "002e");
    }

    @Test
    void workRequest_kinds_leaveTerminateToRdmap() {
        for (Class<?> kind : WorkRequest.class.getPermittedSubclasses()) {
            assertThat(kind.getSimpleName()).doesNotContainIgnoringCase("terminate");
        }
    }

    @Test
    void post_readsOfNothing_countTowardsOrdAsWell() {
        RawPeer one = RawPeer.open(QueuePairConfig.defaults(), 1, 1);
        MemoryRegion sink = one.region(1, AccessRight.LOCAL_WRITE);
        one.link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 0, new RemoteMemory(9, 0)));
        one.link.created.post(new WorkRequest.RdmaRead(2, sink, 0, 1, new RemoteMemory(9, 0)));
        one.link.created.post(WorkRequest.Send.of(3, HI));
        one.link.created.flush();
        assertThat(one.ulpdu()).startsWith("4141");
        one.link.fpdu("c142" + RawPeer.stag(sink) + "0000000000000000");
        assertThat(one.ulpdus()).hasSize(2).last().asString().startsWith("4143");
        assertThat(one.link.completions).containsExactly(new Completion.ReadDone(1, CompletionStatus.SUCCESS));
    }
}
