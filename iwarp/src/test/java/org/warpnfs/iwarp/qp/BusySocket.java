package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** A queue pair whose socket holds one Send and takes nothing more. Work that is posted after it waits. */
abstract class BusySocket {
    static final long CLOSE_NANOS = QueuePairConfig.defaults().closeTimeoutNanos();

    static final RemoteMemory REMOTE = new RemoteMemory(0x77, 0);
    static final String READ_REQUEST =
            "4141 00000000 00000001 0000000%d 00000000 00000051 0000000000000000 %08x %08x 0000000000000000";

    final TestLink link = TestLink.extended();
    final MemoryRegion sink = link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.LOCAL_WRITE));

    @BeforeEach
    void socketTakesNothing() {
        link.socketTakes = false;
        post(send(0));
        link.writes.clear();
    }

    void post(WorkRequest... work) {
        for (WorkRequest one : work) {
            link.created.post(one);
        }
        link.created.flush();
        link.runTasks();
    }

    void socketTakesAll() {
        link.socketTakes = true;
        link.releaseHeld();
        link.runTasks();
    }

    void peerEnds() {
        link.machine.receivedEnd();
        link.runTasks();
    }

    static WorkRequest send(long id) {
        return send(id, false);
    }

    static WorkRequest send(long id, boolean fence) {
        return new WorkRequest.Send(id, List.of(ByteBuffer.allocate(0)), false, OptionalLong.empty(), fence);
    }

    WorkRequest read(long id) {
        return new WorkRequest.RdmaRead(id, sink, 0, 1, REMOTE);
    }

    static WorkRequest add(long id) {
        return new WorkRequest.FetchAdd(id, REMOTE, MaskedWord.addend(1), false);
    }

    List<Long> idsOf(CompletionStatus status) {
        return link.completions.stream()
                .filter(completion -> completion.status() == status)
                .map(Completion::workRequestId)
                .toList();
    }

    /** The control octets of the messages sent since the last call, in order. */
    List<String> messagesThatLeft() {
        List<String> controls = new ArrayList<>();
        ByteBuffer bytes = Hex.bytes(String.join("", link.writes));
        while (bytes.hasRemaining()) {
            int start = bytes.position();
            int lengthBytes = bytes.getShort(start) & 0xffff;
            boolean last = (bytes.get(start + 2) & 0x40) != 0;
            if (last) {
                controls.add(Hex.of(bytes.slice(start + 3, 1)));
            }
            bytes.position(start + 2 + lengthBytes + (-(2 + lengthBytes) & 3) + 4);
        }
        return controls;
    }

    void expectGracefulEnd(Cause cause) {
        assertThat(link.reason.cause()).isEqualTo(cause);
        assertThat(link.outputEnded).isTrue();
        assertThat(link.closed).isTrue();
        assertThat(link.halfCloses).isEqualTo(1);
        assertThat(link.bugs).isEmpty();
        assertThat(link.machine.deadlineNanos()).isEmpty();
    }

    void readNothing(int msn) {
        link.fpdu(String.format(READ_REQUEST, msn, 0, 0));
    }
}
