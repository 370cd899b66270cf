package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * Messages of RFC 7306 that a peer cuts into segments: in two and in three at every place, and in segments of one
 * octet. Nothing happens before the last segment. Each message is followed by another of its queue, so that a wrong
 * count of messages is seen.
 */
class CutMessagesTest {
    private static final String VALUE = "0102030405060708";

    /** Where a message is cut, in ascending order: with nothing, with one place, with two, with every place. */
    private static List<int[]> cutsOf(int bodyBytes) {
        List<int[]> cuts = new ArrayList<>();
        cuts.add(new int[0]);
        for (int first = 0; first <= bodyBytes; first++) {
            cuts.add(new int[] {first});
            for (int second = first; second <= bodyBytes; second++) {
                cuts.add(new int[] {first, second});
            }
        }
        cuts.add(IntStream.range(1, bodyBytes).toArray());
        return cuts;
    }

    /** The segments of a message: opcode, queue and MSN in hex, and its body. */
    private static List<String> segments(String opcode, String queue, String msn, String body, int[] cuts) {
        List<String> segments = new ArrayList<>();
        for (int i = 0; i <= cuts.length; i++) {
            int start = i == 0 ? 0 : cuts[i - 1];
            int end = i == cuts.length ? body.length() / 2 : cuts[i];
            segments.add((i == cuts.length ? "41" : "01") + opcode + "00000000" + queue + msn
                    + String.format("%08x", start) + body.substring(2 * start, 2 * end));
        }
        return segments;
    }

    @Test
    void atomicRequest_cutAnywhere_isExecutedOnceWithItsLastSegment() {
        for (int[] cuts : cutsOf(52)) {
            AtomicTarget peer = new AtomicTarget() {};
            String body = peer.fetchAdd(8, 0x11).replace(" ", "");
            List<String> segments = segments("4a", "00000001", "00000001", body, cuts);
            for (String segment : segments.subList(0, segments.size() - 1)) {
                peer.link.fpdu(segment);
                assertThat(peer.memory.getLong(8)).as("%s", cuts).isZero();
                assertThat(peer.link.writes).as("%s", cuts).isEmpty();
            }
            peer.link.fpdu(segments.getLast());
            assertThat(peer.memory.getLong(8)).as("%s", cuts).isEqualTo(0x11);
            peer.expectAnswer(1, "01020304", 0);
            peer.link.fpdu(AtomicTarget.header(2) + peer.fetchAdd(8, 1));
            peer.expectAnswer(2, "01020304", 0x11);
        }
    }

    @Test
    void atomicResponse_cutAnywhere_completesItsOperationWithItsLastSegment() {
        for (int[] cuts : cutsOf(12)) {
            TestLink link = TestLink.extended();
            for (int id = 1; id <= 2; id++) {
                link.created.post(new WorkRequest.FetchAdd(id, new RemoteMemory(0x77, 0), MaskedWord.addend(1)));
            }
            link.created.flush();
            List<String> segments = segments("4b", "00000003", "00000001", "00000000" + VALUE, cuts);
            for (String segment : segments.subList(0, segments.size() - 1)) {
                link.fpdu(segment);
                assertThat(link.completions).as("%s", cuts).isEmpty();
            }
            link.fpdu(segments.getLast());
            assertThat(link.completions)
                    .as("%s", cuts)
                    .containsExactly(new Completion.AtomicDone(1, CompletionStatus.SUCCESS, 0x0102030405060708L));
            link.fpdu("414b 00000000 00000003 00000002 00000000 00000001 00000000000000ff");
            assertThat(link.completions)
                    .as("%s", cuts)
                    .endsWith(new Completion.AtomicDone(2, CompletionStatus.SUCCESS, 0xff));
        }
    }

    @Test
    void immediateData_cutAnywhere_isDeliveredWithItsLastSegment() {
        for (int[] cuts : cutsOf(8)) {
            TestLink link = TestLink.extended();
            for (int id = 1; id <= 2; id++) {
                link.created.postReceive(id, ByteBuffer.allocate(8).order(ByteOrder.BIG_ENDIAN));
            }
            List<String> segments = segments("49", "00000000", "00000002", VALUE, cuts);
            for (String segment : segments.subList(0, segments.size() - 1)) {
                link.fpdu(segment);
                assertThat(link.completions).as("%s", cuts).isEmpty();
            }
            link.fpdu(segments.getLast());
            assertThat(link.completions).as("%s", cuts).hasSize(1);
            Completion.ReceivedImmediate received = (Completion.ReceivedImmediate) link.completions.getFirst();
            assertThat(received.status()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(received.data()).as("%s", cuts).isEqualTo(0x0102030405060708L);
            assertThat(received.solicitedEvent()).isTrue();
            link.fpdu("4143 00000000 00000000 00000003 00000000 aa");
            assertThat(link.completions)
                    .extracting(Completion::workRequestId)
                    .as("%s", cuts)
                    .containsExactly(1L, 2L);
        }
    }
}
