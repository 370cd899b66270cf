package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Work that must not overtake the answers to Reads posted before it (RFC 5040 sections 2.1 and 5.5). */
class FencedWorkTest {
    private final RawPeer peer = RawPeer.open();
    private final MemoryRegion sink = peer.region(4, AccessRight.LOCAL_WRITE);

    /** What can be fenced. */
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
                return new WorkRequest.RdmaWrite(9, List.of(ByteBuffer.allocate(1)), new RemoteMemory(1, 0), fence);
            }
        },
        READ("4141") {
            @Override
            WorkRequest request(MemoryRegion sink, boolean fence) {
                return new WorkRequest.RdmaRead(9, sink, 0, 4, new RemoteMemory(9, 0), fence);
            }
        };

        final String firstOctets;

        Fenced(String firstOctets) {
            this.firstOctets = firstOctets;
        }

        abstract WorkRequest request(MemoryRegion sink, boolean fence);
    }

    private void postReads(int count) {
        for (int i = 0; i < count; i++) {
            peer.link.created.post(new WorkRequest.RdmaRead(i, sink, 0, 4, new RemoteMemory(9, 0)));
        }
    }

    private void answer(boolean whole) {
        peer.link.fpdu(
                (whole ? "c142" : "8142") + RawPeer.stag(sink) + "0000000000000000" + (whole ? "01020304" : "0102"));
    }

    @ParameterizedTest
    @EnumSource(Fenced.class)
    void post_fencedBehindReads_leavesWhenTheLastIsAnswered(Fenced fenced) {
        postReads(2);
        peer.link.created.post(fenced.request(sink, true));
        peer.link.created.post(WorkRequest.Send.of(10, ByteBuffer.allocate(0)));
        peer.link.created.flush();
        assertThat(peer.ulpdus()).hasSize(2);
        answer(true);
        answer(false);
        assertThat(peer.ulpdus()).isEmpty();
        answer(true);
        // And what is behind it comes behind it.
        List<String> left = peer.ulpdus();
        assertThat(left).hasSize(2);
        assertThat(left.get(0)).startsWith(fenced.firstOctets);
        assertThat(left.get(1)).startsWith("4143");
        peer.assertFine();
    }

    @ParameterizedTest
    @EnumSource(Fenced.class)
    void post_notFenced_leavesAtOnce(Fenced fenced) {
        postReads(2);
        peer.link.created.post(fenced.request(sink, false));
        peer.link.created.flush();
        assertThat(peer.ulpdus()).hasSize(3).last().asString().startsWith(fenced.firstOctets);
    }

    @Test
    void post_fencedWithNothingOutstanding_leavesAtOnce() {
        peer.link.created.post(Fenced.SEND.request(sink, true));
        peer.link.created.flush();
        peer.link.runTasks();
        assertThat(peer.ulpdu()).startsWith("4143");
        assertThat(peer.link.completions).containsExactly(new Completion.Sent(9, CompletionStatus.SUCCESS));
    }
}
