package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * How a stream ends, and what happens to work in progress (RFC 5040, sections 5.4, 6.2 and 7; RFC 5041, section 6.2).
 */
class StreamEndTest {
    private static final String TERMINATE = "4147 00000000 00000002 00000001 00000000";

    private final RawPeer peer = RawPeer.open();
    private final TestLink link = peer.link;

    /** How the stream ends. */
    enum End {
        PEER_TERMINATES {
            @Override
            void happen(RawPeer peer) {
                peer.link.fpdu(TERMINATE + "1100 0000");
            }
        },
        PEER_ERRS {
            @Override
            void happen(RawPeer peer) {
                peer.link.fpdu("c140 00000000 0000000000000000 aa");
            }
        },
        LINK_IS_LOST {
            @Override
            void happen(RawPeer peer) {
                peer.link.machine.linkLost("reset by peer");
            }
        },
        PEER_CLOSES_WITHIN_AN_FPDU {
            @Override
            void happen(RawPeer peer) {
                peer.link.in("0012 4143");
                peer.link.machine.receivedEnd();
            }
        },
        WE_ABORT {
            @Override
            void happen(RawPeer peer) {
                peer.link.created.abort("enough");
                peer.link.runTasks();
            }
        };

        abstract void happen(RawPeer peer);
    }

    /** Posts 20 receives, 4 Reads that are sent, and 40 requests behind them of which the socket has taken nothing. */
    private void loadUp() {
        for (int i = 0; i < 20; i++) {
            link.created.postReceive(1000 + i, ByteBuffer.allocate(10));
        }
        for (int i = 0; i < 4; i++) {
            MemoryRegion sink = peer.region(4, AccessRight.LOCAL_WRITE);
            link.created.post(new WorkRequest.RdmaRead(i, sink, 0, 4, new RemoteMemory(9, 0)));
        }
        link.created.flush();
        link.socketTakes = false;
        for (int i = 4; i < 24; i++) {
            link.created.post(WorkRequest.Send.of(i, ByteBuffer.allocate(1)));
        }
        link.created.flush();
        for (int i = 24; i < 44; i++) {
            link.created.post(new WorkRequest.RdmaWrite(i, List.of(ByteBuffer.allocate(1)), new RemoteMemory(1, i)));
        }
        link.writes.clear();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void ended_muchOutstanding_eachCompletesOnceInOrderAndNothingFollows(End end) {
        loadUp();
        end.happen(peer);
        link.socketTakes = true;
        if (!link.closed && end != End.LINK_IS_LOST) {
            link.releaseHeld();
        }
        assertThat(link.reason).isNotNull();
        List<Long> receives = new ArrayList<>();
        List<Long> work = new ArrayList<>();
        for (Completion completion : link.completions) {
            if (completion instanceof Completion.Received received) {
                receives.add(completion.workRequestId());
                assertThat(received.status()).isEqualTo(CompletionStatus.FLUSHED);
                // No length is reported: the buffer is as it was posted.
                assertThat(received.buffer().remaining()).isEqualTo(10);
            } else {
                work.add(completion.workRequestId());
                // A Send that the socket had taken may have arrived. The other requests are lost.
                boolean taken = completion.workRequestId() >= 4 && completion.workRequestId() < 24;
                if (!taken) {
                    assertThat(completion.status()).isNotEqualTo(CompletionStatus.SUCCESS);
                }
            }
        }
        assertThat(receives)
                .containsExactlyElementsOf(LongStream.range(1000, 1020).boxed().toList());
        assertThat(work)
                .containsExactlyElementsOf(LongStream.range(0, 44).boxed().toList());
        boolean weTell = end == End.PEER_ERRS || end == End.WE_ABORT;
        assertThat(peer.ulpdus()).hasSize(weTell ? 1 : 0).allMatch(ulpdu -> ulpdu.startsWith("4147"));

        // Work posted now is flushed, and bytes that arrive now are discarded.
        link.completions.clear();
        assertThat(link.created.connected()).isFalse();
        if (!link.closed && end != End.LINK_IS_LOST) {
            link.fpdu("4143 00000000 00000000 00000002 00000000 aa");
            assertThat(link.completions).isEmpty();
            assertThat(link.writes).isEmpty();
            link.machine.receivedEnd();
            assertThat(link.closed).isTrue();
        }
        assertThat(link.bugs).isEmpty();
    }

    @Test
    void ended_eachWay_isToldApart() {
        List<Cause> causes = new ArrayList<>();
        for (End end : End.values()) {
            RawPeer other = RawPeer.open();
            end.happen(other);
            causes.add(other.link.reason.cause());
        }
        assertThat(causes)
                .containsExactly(
                        Cause.PEER_TERMINATE,
                        Cause.LOCAL_TERMINATE,
                        Cause.CONNECTION_LOST,
                        Cause.CONNECTION_LOST,
                        Cause.LOCAL_CLOSE);
    }

    @Test
    void terminate_answersPending_noneFollowsIt() {
        RawPeer deep = RawPeer.open(QueuePairConfig.defaults(), 16, 4);
        MemoryRegion source = deep.region(4, AccessRight.REMOTE_READ);
        deep.link.socketTakes = false;
        deep.link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        deep.link.created.flush();
        deep.ulpdus();
        for (int i = 0; i < 16; i++) {
            deep.readRequest(source, 0, 4);
        }
        deep.link.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(1)));
        // There are two errors before the Terminate can be sent. It reports the first.
        deep.link.fpdu("c140 0000dead 0000000000000000 aa");
        deep.link.fpdu("c040 0000beef 0000000000000000 aa");
        assertThat(deep.link.writes).isEmpty();
        deep.link.socketTakes = true;
        deep.link.releaseHeld();
        assertThat(deep.terminate()).isEqualTo("1100" + "c000" + "000f" + "c140" + "0000dead" + "0000000000000000");
        assertThat(deep.link.outputEnded).isTrue();
        assertThat(deep.link.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(tuple(1L, CompletionStatus.SUCCESS), tuple(2L, CompletionStatus.FLUSHED));
    }

    @Test
    void terminateDue_manySendsQueued_isTheNextMessage() {
        link.socketTakes = false;
        for (int i = 0; i < 100; i++) {
            link.created.post(WorkRequest.Send.of(i, ByteBuffer.allocateDirect(100_000)));
        }
        link.created.flush();
        link.writes.clear();
        link.fpdu("c140 0000dead 0000000000000000 aa");
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(peer.terminate()).startsWith("1100");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000 0000",
                "1202 c000 001c 4143 00000000 00000000 00000005 00000000",
                "1100 c000 0012 c140 deadbeef 0000000000001000",
                "0100 e000 002e 4141 00000000 00000001 00000001 00000000"
                        + " 11111111 0000000000002000 00002710 22222222 0000000000003000",
                // As siw writes it, with unassigned numbers, with every reserved bit, truncated, empty
                "1000 0300 002e 4141 00000000 00000001 00000003 00000000",
                "f7ee 1fff",
                "1100 dfff 0012 c140 deadbeef 0000000000001000",
                "0100 e000 002e 4141 0000",
                "12",
                ""
            })
    void terminate_anyContentNoReceivePosted_isTakenToldAndNotAnswered(String message) {
        link.fpdu(TERMINATE + message);
        assertThat(link.reason.cause()).isEqualTo(Cause.PEER_TERMINATE);
        assertThat(link.reason.detail()).contains("layer").endsWith("raw " + message.replace(" ", ""));
        assertThat(link.writes).isEmpty();
        assertThat(link.outputEnded).isTrue();
        assertThat(link.bugs).isEmpty();
        // A second one is ignored.
        link.fpdu("4147 00000000 00000002 00000002 00000000 0000 0000");
        assertThat(link.writes).isEmpty();
        link.machine.receivedEnd();
        assertThat(link.closed).isTrue();
    }

    @Test
    void terminateInSegments_isTakenWithItsLast() {
        link.fpdu("0147 00000000 00000002 00000001 00000000 1100");
        assertThat(link.reason).isNull();
        link.fpdu("4147 00000000 00000002 00000001 00000002 0000");
        assertThat(link.reason.detail()).contains("layer 1 (DDP) type 1 code 0x00");
    }

    @Test
    void terminateLongerThanAnyThereIs_isAnErrorOfThePeer() {
        link.fpdu(TERMINATE + "00".repeat(53));
        assertThat(peer.terminate()).startsWith("1205" + "c000" + "0047");
    }

    @Test
    void writeTakenBySocket_isDoneThoughThePeerRefusesItLater() {
        link.created.post(new WorkRequest.RdmaWrite(7, List.of(ByteBuffer.allocate(1)), new RemoteMemory(1, 0)));
        link.created.flush();
        link.runTasks();
        assertThat(link.completions).containsExactly(new Completion.Written(7, CompletionStatus.SUCCESS));
        link.fpdu(TERMINATE + "1100 c000 000f c140 00000001 0000000000000000");
        assertThat(link.completions).hasSize(1);
        assertThat(link.reason.cause()).isEqualTo(Cause.PEER_TERMINATE);
    }

    @Test
    void bothTerminate_eachReportsItsOwn() {
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        link.created.flush();
        link.fpdu("c140 0000dead 0000000000000000 aa");
        link.fpdu(TERMINATE + "1202 0000");
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
    }

    /** Also after an orderly end, bytes that follow are not parsed as a segment (RFC 5041, section 6.2.1). */
    @ParameterizedTest
    @ValueSource(strings = {"we disconnect", "the peer ends", "the peer ends and we go on"})
    void endedGracefully_whatArrivesLater_isNotParsed(String how) {
        MemoryRegion region = peer.region(4, AccessRight.REMOTE_WRITE);
        peer.receive(1);
        switch (how) {
            case "we disconnect" -> link.created.disconnect();
            case "the peer ends" -> link.machine.receivedEnd();
            default -> {
                link.staysHalfClosed = true;
                link.machine.receivedEnd();
            }
        }
        link.runTasks();
        link.completions.clear();
        String stag = RawPeer.stag(region);
        peer.write(region, 0, "aa");
        peer.send("43", "bb");
        link.in("ffff ffff ffff");
        assertThat(region.memory().get(0)).as(stag).isZero();
        assertThat(link.completions).isEmpty();
        // Nothing is answered, not even with a Terminate, and no defect is reported.
        assertThat(peer.ulpdus()).isEmpty();
        assertThat(link.bugs).isEmpty();
        assertThat(link.reason.cause())
                .isEqualTo(
                        switch (how) {
                            case "we disconnect" -> Cause.LOCAL_CLOSE;
                            case "the peer ends" -> Cause.PEER_CLOSE;
                            default -> Cause.CONNECTION_LOST;
                        });
    }

    /** After a DDP error the connection stays open until RDMAP has reported it, as long as the peer takes that. */
    @ParameterizedTest
    @ValueSource(strings = {"c140 0000dead 0000000000000000 aa", "4143 00000000 00000000 00000002 00000000 aa"})
    void ddpError_connectionStaysUntilItsUpperLayerEndsIt(String segment) {
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        link.created.flush();
        link.fpdu(segment);
        link.pass(QueuePairConfig.defaults().closeTimeoutNanos() - 1);
        assertThat(link.closed).isFalse();
        assertThat(link.outputEnded).isFalse();
        assertThat(link.reason).isNull();
        link.writes.clear();
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(peer.ulpdu()).startsWith("4147");
        assertThat(link.outputEnded).isTrue();
        assertThat(link.closed).isFalse();
        link.machine.receivedEnd();
        assertThat(link.closed).isTrue();
    }

    /** Peers that connect and disconnect as fast as they can leave no direct memory to the garbage collector. */
    @Test
    void manyStreamsOneAfterTheOther_theirScratchMemory_isUsedAgain() {
        LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
        for (int i = 0; i < 1000; i++) {
            TestLink stream = TestLink.openOn(rnic, TestLink.OPTIONS);
            stream.socketTakes = i % 2 == 0;
            stream.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
            stream.created.flush();
            stream.machine.linkLost("reset");
            stream.runTasks();
        }
        assertThat(rnic.scratch().made()).isBetween(1L, 3L);
    }
}
