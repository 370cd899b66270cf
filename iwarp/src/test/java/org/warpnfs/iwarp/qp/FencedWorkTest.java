package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * Work that must not overtake the responses to earlier Reads and atomic operations, and that holds up the work behind
 * it (RFC 5040, sections 2.1 and 5.5, RFC 7306, section 7).
 */
class FencedWorkTest {
    private static final RemoteMemory REMOTE = new RemoteMemory(0x77, 0);

    private final TestLink link = TestLink.extended();
    private final MemoryRegion sink =
            link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.LOCAL_WRITE));

    /** Requests that can be fenced and send something. */
    enum Fenced {
        SEND("4143") {
            @Override
            WorkRequest request(MemoryRegion sink, boolean fence) {
                return new WorkRequest.Send(9, List.of(ByteBuffer.allocate(1)), false, OptionalLong.empty(), fence);
            }
        },
        WRITE("c140") {
            @Override
            WorkRequest request(MemoryRegion sink, boolean fence) {
                return new WorkRequest.RdmaWrite(9, List.of(ByteBuffer.allocate(1)), REMOTE, fence);
            }
        },
        READ("4141") {
            @Override
            WorkRequest request(MemoryRegion sink, boolean fence) {
                return new WorkRequest.RdmaRead(9, sink, 0, 4, REMOTE, fence);
            }
        },
        IMMEDIATE_DATA("4148") {
            @Override
            WorkRequest request(MemoryRegion sink, boolean fence) {
                return new WorkRequest.ImmediateData(9, 1, false, fence);
            }
        },
        FETCH_ADD("414a") {
            @Override
            WorkRequest request(MemoryRegion sink, boolean fence) {
                return new WorkRequest.FetchAdd(9, REMOTE, MaskedWord.addend(1), fence);
            }
        },
        COMPARE_SWAP("414a") {
            @Override
            WorkRequest request(MemoryRegion sink, boolean fence) {
                return new WorkRequest.CompareSwap(9, REMOTE, MaskedWord.whole(1), MaskedWord.whole(2), fence);
            }
        };

        final String firstOctets;

        Fenced(String firstOctets) {
            this.firstOctets = firstOctets;
        }

        abstract WorkRequest request(MemoryRegion sink, boolean fence);
    }

    private void post(WorkRequest... work) {
        for (WorkRequest one : work) {
            link.created.post(one);
        }
        link.created.flush();
        link.runTasks();
    }

    private WorkRequest read(long id) {
        return new WorkRequest.RdmaRead(id, sink, 0, 4, REMOTE);
    }

    private void answerRead(boolean whole) {
        link.fpdu((whole ? "c142" : "8142") + RawPeer.stag(sink) + "0000000000000000" + (whole ? "01020304" : "0102"));
    }

    /** The first octets of the messages sent since the last call. */
    private List<String> messagesThatLeft() {
        List<String> messages = new ArrayList<>();
        ByteBuffer bytes = Hex.bytes(String.join("", link.writes));
        link.writes.clear();
        while (bytes.hasRemaining()) {
            int lengthBytes = bytes.getShort();
            messages.add(Hex.of(bytes.slice(bytes.position(), 2)));
            bytes.position(bytes.position() + lengthBytes + (-(2 + lengthBytes) & 3) + 4);
        }
        return messages;
    }

    @ParameterizedTest
    @EnumSource(Fenced.class)
    void post_fencedBehindReads_leavesWhenTheLastIsAnswered(Fenced fenced) {
        post(read(1), read(2), fenced.request(sink, true), WorkRequest.Send.of(10, ByteBuffer.allocate(0)));
        assertThat(messagesThatLeft()).containsExactly("4141", "4141");
        answerRead(true);
        answerRead(false);
        assertThat(messagesThatLeft()).isEmpty();
        answerRead(true);
        // The work behind it follows it.
        assertThat(messagesThatLeft()).containsExactly(fenced.firstOctets, "4143");
        assertThat(link.reason).isNull();
    }

    @ParameterizedTest
    @EnumSource(Fenced.class)
    void post_fencedBehindAnAtomic_leavesWhenItIsAnswered(Fenced fenced) {
        post(new WorkRequest.FetchAdd(1, REMOTE, MaskedWord.addend(1)), fenced.request(sink, true));
        assertThat(messagesThatLeft()).containsExactly("414a");
        link.fpdu("414b 00000000 00000003 00000001 00000000 00000000 0000000000000000");
        assertThat(messagesThatLeft()).containsExactly(fenced.firstOctets);
        assertThat(link.completions).element(0).isEqualTo(new Completion.AtomicDone(1, CompletionStatus.SUCCESS, 0));
    }

    @ParameterizedTest
    @EnumSource(Fenced.class)
    void post_notFenced_leavesAtOnce(Fenced fenced) {
        post(read(1), read(2), fenced.request(sink, false));
        assertThat(messagesThatLeft()).containsExactly("4141", "4141", fenced.firstOctets);
    }

    @Test
    void post_fencedWithNothingOutstanding_leavesAtOnce() {
        post(Fenced.SEND.request(sink, true));
        assertThat(messagesThatLeft()).containsExactly("4143");
        assertThat(link.completions).containsExactly(new Completion.Sent(9, CompletionStatus.SUCCESS));
    }

    @Test
    void post_fencedInvalidation_happensWhenTheReadIsAnswered() {
        post(read(1), new WorkRequest.LocalInvalidate(2, sink, true));
        assertThat(sink.valid()).isTrue();
        answerRead(true);
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
        post(new WorkRequest.LocalInvalidate(1, other, false));
        assertThat(other.valid()).isFalse();
        assertThat(link.writes).isEmpty();
        assertThat(link.completions).containsExactly(new Completion.Invalidated(1, CompletionStatus.SUCCESS));
        assertThatThrownBy(() -> link.created.post(new WorkRequest.LocalInvalidate(2, other, false)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ended_fencedWork_isFlushedInOrder() {
        post(read(1), Fenced.SEND.request(sink, true), new WorkRequest.LocalInvalidate(3, sink, false));
        link.created.abort("enough");
        link.runTasks();
        assertThat(link.completions)
                .containsExactly(
                        new Completion.ReadDone(1, CompletionStatus.FLUSHED),
                        new Completion.Sent(9, CompletionStatus.FLUSHED),
                        new Completion.Invalidated(3, CompletionStatus.FLUSHED));
    }
}
