package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * A Terminate is sent at the earliest opportunity (RFC 5040, section 7.1): it follows what the socket has been given,
 * in the middle of a message if that is long.
 */
class CutOffByTerminateTest {
    private static final int LONG_BYTES = 2 << 20;

    private final RawPeer peer = RawPeer.open();
    private final TestLink link = peer.link;
    private final MemoryRegion sink = peer.region(4, AccessRight.LOCAL_WRITE);

    /** A message that arrives with an error, and the error with which the Terminate names it. */
    enum Fault {
        WRITE("1100") {
            @Override
            String segment(CutOffByTerminateTest test) {
                return "c140 0000dead 0000000000000000 aa";
            }
        },
        SEND("1202") {
            @Override
            String segment(CutOffByTerminateTest test) {
                return "4143 00000000 00000000" + test.peer.sendMsn() + "00000000";
            }
        },
        SEND_WITH_INVALIDATE("0209") {
            @Override
            String segment(CutOffByTerminateTest test) {
                test.peer.receive(4);
                return "4144 0000dead 00000000" + test.peer.sendMsn() + "00000000";
            }
        },
        READ_REQUEST("0100") {
            @Override
            String segment(CutOffByTerminateTest test) {
                return test.peer.readRequestSegment("00000051 0000000000001000 00000001 0000dead 0000000000000000");
            }
        },
        READ_RESPONSE("1101") {
            @Override
            String segment(CutOffByTerminateTest test) {
                return "c142" + RawPeer.stag(test.sink) + "0000000000000004 aa";
            }
        };

        final String error;

        Fault(String error) {
            this.error = error;
        }

        abstract String segment(CutOffByTerminateTest test);
    }

    private void readBegins() {
        link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 4, new RemoteMemory(9, 0)));
        link.created.flush();
        link.writes.clear();
        link.socketTakes = false;
    }

    /** The socket has FPDUs of a message with this opcode, and not its end. */
    private void expectUnderWay(String opcode) {
        List<String> sent = peer.ulpdus();
        assertThat(sent).isNotEmpty().allSatisfy(ulpdu -> assertThat(ulpdu.substring(2, 4))
                .isEqualTo(opcode));
        assertThat(Integer.parseInt(sent.getLast().substring(0, 2), 16) & 0x40).isZero();
    }

    private void expectTerminateNextAndNothingElse(Fault fault) {
        link.fpdu(fault.segment(this));
        assertThat(link.writes).isEmpty();
        link.socketTakes = true;
        link.releaseHeld();
        link.runTasks();
        assertThat(peer.terminate()).startsWith(fault.error);
        assertThat(link.completions).isNotEmpty().allSatisfy(completion -> assertThat(completion.status())
                .isNotEqualTo(CompletionStatus.SUCCESS));
        assertThat(link.bugs).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void terminateDue_sendUnderWay_isCutOff(Fault fault) {
        readBegins();
        for (int id = 2; id < 5; id++) {
            link.created.post(WorkRequest.Send.of(id, ByteBuffer.allocateDirect(LONG_BYTES)));
        }
        link.created.flush();
        expectUnderWay("43");
        expectTerminateNextAndNothingElse(fault);
        assertThat(link.completions)
                .filteredOn(Completion.Sent.class::isInstance)
                .extracting(Completion::workRequestId)
                .containsExactly(2L, 3L, 4L);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void terminateDue_readResponseUnderWay_isCutOff(Fault fault) {
        readBegins();
        MemoryRegion source = peer.region(LONG_BYTES, AccessRight.REMOTE_READ);
        peer.readRequest(source, 0, LONG_BYTES);
        peer.readRequest(source, 0, 1);
        expectUnderWay("42");
        expectTerminateNextAndNothingElse(fault);
    }
}
