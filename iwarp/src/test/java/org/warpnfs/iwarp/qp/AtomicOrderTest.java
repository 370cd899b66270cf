package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * When a peer's atomic operation is executed and answered, in the order of its other messages (RFC 7306, section 7).
 */
class AtomicOrderTest extends AtomicTarget {
    @Test
    void requested_moreThanIrd_isTerminated() {
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        link.created.flush();
        link.writes.clear();
        link.fpdu(header(1) + fetchAdd(0, 1));
        link.fpdu("4141 00000000 00000001 00000002 00000000 00001000 0000000000000010 00000000 00000000 "
                + "0000000000000000");
        assertThat(link.reason).isNull();
        link.fpdu(header(3) + fetchAdd(0, 1));
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.takeWrite().substring(4 + 36))
                .startsWith("1202c000" + "0046" + header(3).replace(" ", ""));
    }

    @Test
    void requested_asManyAsIrdAgainAndAgain_areAllAnsweredInOrder() {
        for (int msn = 1; msn <= 500; msn++) {
            // A chain, in which each swap succeeds only after the one before.
            link.fpdu(header(msn)
                    + String.format(
                            "00000002 %08x %08x 0000000000000000 %016x ffffffffffffffff %016x ffffffffffffffff",
                            msn, target.stag(), msn, msn - 1));
        }
        assertThat(memory.getLong(0)).isEqualTo(500);
        assertThat(link.writes).hasSize(500);
        for (int msn = 1; msn <= 500; msn++) {
            assertThat(link.writes.get(msn - 1))
                    .isEqualTo(
                            String.format("001e414b0000000000000003%08x00000000%08x%016x00000000", msn, msn, msn - 1));
        }
    }

    @Test
    void requested_chainWhileTheSocketIsBusy_isExecutedInOrder() {
        TestLink deep = TestLink.accepting(
                QueuePairConfig.defaults(),
                new ConnectOptions(ByteBuffer.allocate(0), 16, 16).with(RdmaExtension.ATOMIC_OPERATIONS));
        deep.in("4d504120494420526571204672616d65 1002 0004 0080 0010");
        deep.created.postReceive(100, ByteBuffer.allocate(0));
        deep.fpdu("4143 00000000 00000000 00000001 00000000");
        deep.writes.clear();
        MemoryRegion region = deep.created.register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC));
        deep.socketTakes = false;
        for (int msn = 1; msn <= 16; msn++) {
            deep.fpdu(header(msn)
                    + String.format(
                            "00000002 %08x %08x 0000000000000000 %016x ffffffffffffffff %016x ffffffffffffffff",
                            msn, region.stag(), msn, msn - 1));
        }
        deep.socketTakes = true;
        deep.releaseHeld();
        assertThat(memory.getLong(0)).isEqualTo(16);
        String wire = String.join("", deep.writes);
        for (int msn = 1; msn <= 16; msn++) {
            assertThat(wire).contains(String.format("414b0000000000000003%08x00000000%08x%016x", msn, msn, msn - 1));
        }
    }

    @Test
    void requestedBehindARead_isExecutedWhenTheSocketHasTheBytesOfTheRead() {
        MemoryRegion readable = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_READ));
        memory.putLong(0, 1);
        link.socketTakes = false;
        link.fpdu("4141 00000000 00000001 00000001 00000000 00001000 0000000000000010 00000040"
                + String.format("%08x", readable.stag()) + "0000000000000000");
        assertThat(link.held).hasSize(1);
        link.fpdu(header(2) + fetchAdd(0, 1));
        assertThat(memory.getLong(0)).isEqualTo(1);
        assertThat(link.writes).hasSize(1);
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(memory.getLong(0)).isEqualTo(2);
        assertThat(link.writes).hasSize(2);
        assertThat(link.writes.get(0)).startsWith("004ec142");
        assertThat(link.writes.get(1)).startsWith("001e414b").contains("0102030400000000");
    }

    @Test
    void requestedBetweenReads_eachShowsWhatItsPlaceInTheOrderSays() {
        MemoryRegion readable = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_READ));
        memory.putLong(0, 1);
        String read =
                "00001000 0000000000000010 00000008" + String.format("%08x", readable.stag()) + "0000000000000000";
        String before = Hex.of(memory.slice(0, 8));
        link.fpdu("4141 00000000 00000001 00000001 00000000" + read);
        link.fpdu(header(2) + fetchAdd(0, 1));
        String after = Hex.of(memory.slice(0, 8));
        link.fpdu("4141 00000000 00000001 00000003 00000000" + read);
        assertThat(before).isNotEqualTo(after);
        assertThat(link.writes).hasSize(3);
        assertThat(link.writes.get(0)).contains(before);
        assertThat(link.writes.get(1)).startsWith("001e414b").contains("0000000000000001" + "00000000");
        assertThat(link.writes.get(2)).contains(after);
    }

    @Test
    void requestedBehindAWrite_findsWhatWasWritten() {
        MemoryRegion writable = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_WRITE));
        link.fpdu("c140" + String.format("%08x", writable.stag()) + "0000000000000008" + "0100000000000000");
        link.fpdu(header(1) + fetchAdd(8, 0));
        long written = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 1 : 0x0100000000000000L;
        expectAnswer(1, "01020304", written);
    }

    @Test
    void requestedWhileAnEarlierMessageIsIncomplete_waitsForIt() {
        link.created.postReceive(7, ByteBuffer.allocate(2));
        link.fpdu("0143 00000000 00000000 00000002 00000000 aa");
        link.fpdu(header(1) + fetchAdd(0, 1));
        assertThat(memory.getLong(0)).isZero();
        assertThat(link.writes).isEmpty();
        link.fpdu("4143 00000000 00000000 00000002 00000001 bb");
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(7L);
        assertThat(memory.getLong(0)).isEqualTo(1);
        expectAnswer(1, "01020304", 0);
    }

    @Test
    void requestedWhileAnEarlierMessageIsIncomplete_andWrong_isReportedWithItsOwnHeader() {
        link.created.postReceive(7, ByteBuffer.allocate(2));
        link.fpdu("0143 00000000 00000000 00000002 00000000 aa");
        link.fpdu(header(1) + fetchAdd(1, 1));
        assertThat(link.reason).isNull();
        link.fpdu("4143 00000000 00000000 00000002 00000001 bb");
        assertThat(link.takeWrite().substring(4 + 36))
                .startsWith("0207c000" + "0046" + header(1).replace(" ", ""));
        assertThat(memory.getLong(0)).isZero();
    }

    @Test
    void requested_regionInvalidatedBeforeItsTurn_isTerminatedAndUntouched() {
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        link.created.flush();
        link.fpdu(header(1) + fetchAdd(0, 1));
        target.invalidate();
        link.writes.clear();
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.takeWrite().substring(4 + 36))
                .startsWith("0100c000" + "0046" + header(1).replace(" ", ""));
        assertThat(memory.getLong(0)).isZero();
    }

    /**
     * A responder may answer late, and need not delay messages that follow the request (RFC 7306, section 5.4 rules 4
     * to 6, section 7).
     */
    @Test
    void requestedBehindAReadInTheSocket_laterMessages_arePlacedAndDeliveredMeanwhile() {
        MemoryRegion source = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_READ));
        MemoryRegion written = link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.REMOTE_WRITE));
        ByteBuffer message = ByteBuffer.allocate(2);
        link.created.postReceive(1, message);
        link.created.postReceive(2, ByteBuffer.allocate(8));
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(7, ByteBuffer.allocate(1)));
        link.created.flush();
        link.writes.clear();
        link.fpdu(String.format(
                "4141 00000000 00000001 00000001 00000000 00000051 0000000000000000 00000008 %08x 0000000000000000",
                source.stag()));
        link.fpdu(header(2) + fetchAdd(0, 3));
        link.fpdu(String.format("c140 %08x 0000000000000000 aabbccdd", written.stag()));
        link.fpdu("4143 00000000 00000000 00000002 00000000 0102");
        link.fpdu("4148 00000000 00000000 00000003 00000000 0102030405060708");
        // Neither request is answered, and the one that would change memory is not executed.
        assertThat(link.writes).isEmpty();
        assertThat(memory.getLong(0)).isZero();
        assertThat(written.memory().getInt(0)).isEqualTo(0xaabbccdd);
        assertThat(message.getShort(0)).isEqualTo((short) 0x0102);
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(1L, 2L);
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.writes).hasSize(2);
        assertThat(link.writes.getFirst()).startsWith("0016" + "c142").contains("0000000000000000");
        assertThat(link.writes.getLast()).startsWith("001e" + "414b");
        assertThat(memory.getLong(0)).isEqualTo(3);
        assertThat(link.reason).isNull();
    }
}
