package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Fenced work waits for the Reads and atomic operations before it, and holds up what is behind it. */
class FenceTest {
    private static final RemoteMemory REMOTE = new RemoteMemory(0x77, 0);

    private final TestLink link = TestLink.extended();
    private final MemoryRegion sink =
            link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.LOCAL_WRITE));

    private WorkRequest fenced(String kind) {
        return switch (kind) {
            case "send" -> new WorkRequest.Send(2, List.of(ByteBuffer.allocate(0)), false, OptionalLong.empty(), true);
            case "write" -> new WorkRequest.RdmaWrite(2, List.of(ByteBuffer.allocate(4)), REMOTE, true);
            case "read" -> new WorkRequest.RdmaRead(2, sink, 0, 1, REMOTE, true);
            case "immediate" -> new WorkRequest.ImmediateData(2, 1, false, true);
            case "add" -> new WorkRequest.FetchAdd(2, REMOTE, MaskedWord.addend(1), true);
            case "swap" -> new WorkRequest.CompareSwap(2, REMOTE, MaskedWord.whole(1), MaskedWord.whole(2), true);
            default -> new WorkRequest.LocalInvalidate(2, sink, true);
        };
    }

    private void answerRead() {
        link.fpdu("c142" + String.format("%08x", sink.stag()) + "0000000000000000 aa");
    }

    @ParameterizedTest
    @ValueSource(strings = {"send", "write", "read", "immediate", "add", "swap"})
    void post_fencedBehindARead_leavesWhenTheReadIsAnswered(String kind) {
        link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 1, REMOTE));
        link.created.post(fenced(kind));
        link.created.post(WorkRequest.Send.of(3, ByteBuffer.allocate(0)));
        link.created.flush();
        assertThat(link.takeWrite()).startsWith("002e4141");
        answerRead();
        assertThat(link.writes).isNotEmpty();
        assertThat(String.join("", link.writes)).contains("4143");
    }

    @Test
    void post_fencedBehindAnAtomic_leavesWhenItIsAnswered() {
        link.created.post(new WorkRequest.FetchAdd(1, REMOTE, MaskedWord.addend(1)));
        link.created.post(fenced("write"));
        link.created.flush();
        assertThat(link.takeWrite()).startsWith("0046414a");
        link.fpdu("414b 00000000 00000003 00000001 00000000 00000000 0000000000000000");
        assertThat(link.takeWrite()).startsWith("0012c140");
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(1L, 2L);
    }

    @Test
    void post_fencedWithNothingOutstanding_leavesAtOnce() {
        link.created.post(fenced("send"));
        link.created.flush();
        assertThat(link.takeWrite()).startsWith("00124143");
    }

    @Test
    void post_withoutFence_overtakesTheAnswer() {
        link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 1, REMOTE));
        link.created.post(WorkRequest.Send.of(3, ByteBuffer.allocate(0)));
        link.created.flush();
        assertThat(link.writes).hasSize(2);
    }

    @Test
    void post_fencedInvalidation_happensWhenTheReadIsAnswered() {
        link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 1, REMOTE));
        link.created.post(fenced("invalidate"));
        link.created.flush();
        link.runTasks();
        assertThat(sink.valid()).isTrue();
        answerRead();
        assertThat(sink.valid()).isFalse();
        assertThat(link.reason).isNull();
        assertThat(link.completions)
                .containsExactly(
                        new Completion.ReadDone(1, CompletionStatus.SUCCESS),
                        new Completion.Invalidated(2, CompletionStatus.SUCCESS));
    }

    @Test
    void post_invalidation_completesInItsTurnAndSendsNothing() {
        MemoryRegion other = link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.REMOTE_READ));
        link.created.post(new WorkRequest.LocalInvalidate(1, other, false));
        link.created.flush();
        link.runTasks();
        assertThat(other.valid()).isFalse();
        assertThat(link.writes).isEmpty();
        assertThat(link.completions).containsExactly(new Completion.Invalidated(1, CompletionStatus.SUCCESS));
        assertThatThrownBy(() -> link.created.post(new WorkRequest.LocalInvalidate(2, other, false)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ended_fencedWork_isFlushedInOrder() {
        link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 1, REMOTE));
        link.created.post(fenced("send"));
        link.created.post(new WorkRequest.LocalInvalidate(3, sink, false));
        link.created.flush();
        link.created.abort("enough");
        link.runTasks();
        assertThat(link.completions)
                .containsExactly(
                        new Completion.ReadDone(1, CompletionStatus.FLUSHED),
                        new Completion.Sent(2, CompletionStatus.FLUSHED),
                        new Completion.Invalidated(3, CompletionStatus.FLUSHED));
    }
}
