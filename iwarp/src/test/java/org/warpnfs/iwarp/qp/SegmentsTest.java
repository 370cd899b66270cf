package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.mpa.Fpdu;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** FPDUs fit TCP segments as long as these are known to be. */
class SegmentsTest {
    private static final RemoteMemory SINK = new RemoteMemory(7, 0x1000);
    private static final int WRITE_BYTES = 30_000;

    private static TestLink connected() {
        return connected(QueuePairConfig.defaults().toBuilder().batchBytes(5000).build());
    }

    private static TestLink connected(QueuePairConfig config) {
        TestLink link = TestLink.responder(config, null);
        link.in(TestLink.REQUEST);
        link.created.postReceive(1, ByteBuffer.allocate(5));
        link.in("0017 4143 00000000 00000000 00000001 00000000 52444d4121 000000 00000000");
        link.writes.clear();
        link.socketTakes = false;
        return link;
    }

    /** The lengths of the FPDUs of a batch. */
    private static List<Integer> lengths(FpduBatch batch) {
        ByteBuffer bytes = ByteBuffer.allocate((int) batch.lengthBytes());
        batch.buffers().forEach(buffer -> bytes.put(buffer.duplicate()));
        List<Integer> lengths = new ArrayList<>();
        for (int at = 0; at < bytes.limit(); at += lengths.getLast()) {
            lengths.add(Fpdu.lengthBytes(bytes.getShort(at) & 0xffff));
        }
        return lengths;
    }

    private static List<Integer> next(TestLink link) {
        FpduBatch batch = link.held.remove();
        List<Integer> lengths = lengths(batch);
        link.machine.sent(batch);
        return lengths;
    }

    private static void write(TestLink link) {
        link.created.post(new WorkRequest.RdmaWrite(1, List.of(ByteBuffer.allocate(WRITE_BYTES)), SINK));
        link.created.flush();
    }

    @ParameterizedTest
    @CsvSource({"1448, 1448", "1428, 1428", "1447, 1444", "1398, 1396", "536, 536", "512, 512", "511, 512", "88, 512"})
    void fitSegments_anyLength_allButTheLastFpduHaveIt(int segmentBytes, int fpduBytes) {
        TestLink link = connected();
        link.machine.fitSegments(segmentBytes);
        assertThat(link.machine.fpduBytes()).isEqualTo(fpduBytes);
        write(link);
        List<Integer> lengths = new ArrayList<>();
        while (!link.held.isEmpty()) {
            lengths.addAll(next(link));
        }
        assertThat(lengths.subList(0, lengths.size() - 1)).containsOnly(fpduBytes);
        assertThat(lengths.getLast()).isLessThanOrEqualTo(fpduBytes);
        assertThat(lengths.stream().mapToInt(each -> each - 20).sum()).isEqualTo(WRITE_BYTES);
    }

    /** The path changes while a message is being sent: what was framed stays, and what follows fits. */
    @Test
    void fitSegments_changesInTheMiddleOfAMessage_theNextFpdusFit() {
        TestLink link = connected();
        link.machine.fitSegments(1448);
        write(link);
        link.machine.fitSegments(536);
        assertThat(next(link)).containsOnly(1448);
        assertThat(next(link)).containsOnly(536);
        link.machine.fitSegments(8948);
        assertThat(next(link)).containsOnly(536);
        assertThat(next(link)).startsWith(8948);
    }

    /**
     * A reply of a small READ: its Send is cut, so that a segment ends where a frame does without a call of its own.
     */
    @ParameterizedTest
    @CsvSource({"4096, 230, 188, 92", "2856, 1424, 1448, 0", "4096, 100, 124, 0"})
    void fitSegments_messageBehindAnother_fillsItsSegment(
            int writeBytes, int sendBytes, int firstBytes, int restBytes) {
        TestLink link = connected();
        link.machine.fitSegments(1448);
        link.created.post(new WorkRequest.RdmaWrite(1, List.of(ByteBuffer.allocate(writeBytes)), SINK));
        link.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(sendBytes)));
        link.created.flush();
        FpduBatch batch = link.held.element();
        assertThat(batch.pieces().segmentEnds()).isEmpty();
        List<Integer> lengths = lengths(batch);
        assertThat(lengths).startsWith(1448, 1448);
        assertThat(lengths)
                .endsWith(restBytes == 0 ? new Integer[] {firstBytes} : new Integer[] {firstBytes, restBytes});
    }

    /** What is left of the segment is too little to be worth a frame. */
    @Test
    void fitSegments_littleIsLeftOfASegment_theNextMessageBeginsAnother() {
        TestLink link = connected();
        link.machine.fitSegments(1448);
        link.created.post(new WorkRequest.RdmaWrite(1, List.of(ByteBuffer.allocate(1428 - 140)), SINK));
        link.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(200)));
        link.created.flush();
        FpduBatch batch = link.held.element();
        assertThat(batch.pieces().segmentEnds()).containsExactly(1448L - 140);
        assertThat(lengths(batch)).containsExactly(1448 - 140, 224);
    }

    /** So a READ of 1 MiB is two writes, with the headers of its FPDUs and its reply. */
    @ParameterizedTest
    @ValueSource(ints = {1428, 1448, 1460, 8928, 8948, 8960, 65_483})
    void fitSegments_readOf1MiB_isTwoBatches(int segmentBytes) {
        TestLink link = connected(QueuePairConfig.defaults());
        link.machine.fitSegments(segmentBytes);
        link.created.post(new WorkRequest.RdmaWrite(1, List.of(ByteBuffer.allocate(1 << 20)), SINK));
        link.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(230)));
        link.created.flush();
        int batches = 0;
        for (; !link.held.isEmpty(); batches++) {
            link.machine.sent(link.held.remove());
            link.outputReady();
        }
        assertThat(batches).isEqualTo(2);
    }

    @Test
    void noSegmentsKnown_fpdusAreAsLongAsConfigured() {
        TestLink link = connected();
        write(link);
        assertThat(next(link)).containsExactly(WRITE_BYTES + 20);
    }

    /** What a batch ends with ends a segment; what adapters do not have is not aligned. */
    @Test
    void fitSegments_batches_areCutIntoSegmentsUpTo16KiB() {
        TestLink link = connected();
        link.machine.fitSegments(1448);
        write(link);
        assertThat(link.held.element().pieces().inSegments()).isTrue();
        TestLink loopback = connected();
        loopback.machine.fitSegments(65_483);
        write(loopback);
        assertThat(loopback.held.element().pieces().inSegments()).isFalse();
    }
}
