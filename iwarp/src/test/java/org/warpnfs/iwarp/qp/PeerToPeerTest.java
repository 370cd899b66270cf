package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Peer-to-peer startup (RFC 6581, section 9.2): each kind of RTR, in both roles, byte by byte. */
class PeerToPeerTest {
    private static final QueuePairConfig CONFIG = QueuePairConfig.defaults();
    private static final String REQUEST_KEY = "4d504120494420526571204672616d65";
    private static final String REPLY_KEY = "4d504120494420526570204672616d65";
    private static final String EMPTY_WRITE = "000e" + "c140" + "00000000" + "0000000000000000" + "00000000";
    private static final String EMPTY_FPDU = "0000" + "0000" + "00000000";
    private static final String EMPTY_SEND =
            "0012" + "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "00000000";
    private static final String EMPTY_READ = "002e" + "4141" + "00000000" + "00000001" + "00000001" + "00000000"
            + "00000000" + "0000000000000000" + "00000000" + "00000000" + "0000000000000000" + "00000000";
    private static final String SEND_OF_TWO =
            "0014" + "4143" + "00000000" + "00000000" + "00000002" + "00000000" + "0708" + "0000" + "00000000";

    private static QueuePairConfig only(RtrKind... kinds) {
        EnumSet<RtrKind> set = EnumSet.noneOf(RtrKind.class);
        set.addAll(List.of(kinds));
        return CONFIG.withMpa(CONFIG.mpa().withPeerToPeer(true).withRtrKinds(set));
    }

    /** A responder that was asked for an RTR and has answered. */
    private static TestLink responder(String block, String answer) {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(REQUEST_KEY + "1002" + "0004" + block);
        assertThat(link.takeWrite()).isEqualTo(REPLY_KEY + "10020004" + answer);
        assertThat(link.established).isFalse();
        return link;
    }

    @Test
    void responder_writeAsRtr_opensTheStreamAndIsNotDelivered() {
        TestLink link = responder("8080c001", "8001c004");
        link.in("000e c140 00000001 0000000000000000 00000000");
        assertThat(link.established).isTrue();
        assertThat(link.completions).isEmpty();
    }

    @Test
    void responder_emptyFpduAsRtr_opensTheStreamOnce() {
        TestLink link = responder("c0800001", "c0010004");
        link.in(EMPTY_FPDU);
        assertThat(link.established).isTrue();
        link.in(EMPTY_FPDU);
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
    }

    @Test
    void responder_emptySendAsRtr_takesANumberButNoReceive() {
        TestLink link = responder("c0800001", "c0010004");
        link.created.postReceive(7, ByteBuffer.allocate(10));
        link.in(EMPTY_SEND);
        assertThat(link.established).isTrue();
        assertThat(link.completions).isEmpty();
        link.in(SEND_OF_TWO);
        assertThat(link.completions).hasSize(1);
        assertThat(link.completions.getFirst().workRequestId()).isEqualTo(7);
        assertThat(((Completion.Received) link.completions.getFirst()).buffer())
                .isEqualTo(ByteBuffer.wrap(new byte[] {7, 8}));
        // The next zero-length Send is an ordinary message.
        link.created.postReceive(8, ByteBuffer.allocate(10));
        link.fpdu("4143 00000000 00000000 00000003 00000000");
        assertThat(link.completions).hasSize(2);
    }

    @Test
    void responder_emptySendAsRtrWithoutAnyReceivePosted_opensTheStream() {
        TestLink link = responder("c0800001", "c0010004");
        link.in(EMPTY_SEND);
        assertThat(link.established).isTrue();
        assertThat(link.reason).isNull();
        link.machine.receivedEnd();
        assertThat(link.completions).isEmpty();
        assertThat(link.reason.cause()).isEqualTo(Cause.PEER_CLOSE);
    }

    @Test
    void responder_emptySendOutsideOfPeerToPeerMode_fillsAReceive() {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(TestLink.REQUEST);
        link.created.postReceive(7, ByteBuffer.allocate(10));
        link.in(EMPTY_SEND);
        assertThat(link.completions).hasSize(1);
    }

    @Test
    void responder_readAsRtr_opensTheStreamAndIsAnswered() {
        TestLink link = responder("80004000", "80014000");
        link.fpdu("4141 00000000 00000001 00000001 00000000 00000007 0000000000000009 00000000 00000000 "
                + "0000000000000000");
        assertThat(link.established).isTrue();
        assertThat(link.takeWrite()).isEqualTo("000e" + "c142" + "00000007" + "0000000000000009" + "00000000");
    }

    @Test
    void responder_requestThatNamesNoKind_repliesWithOurs() {
        responder("80800001", "c001c004");
    }

    @Test
    void responder_noRtr_isClosedAtTheStartupDeadline() {
        TestLink link = responder("8080c001", "8001c004");
        link.pass(CONFIG.startupTimeoutNanos());
        assertThat(link.closed).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.TIMEOUT);
    }

    @Test
    void responder_rtrAndNoMessage_isClosedAtTheDeadlineOfTheFirst() {
        TestLink link = responder("c0800001", "c0010004");
        link.pass(CONFIG.startupTimeoutNanos() - 1);
        link.in(EMPTY_FPDU);
        link.pass(CONFIG.firstMessageTimeoutNanos() - 1);
        assertThat(link.closed).isFalse();
        link.pass(1);
        assertThat(link.closed).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.TIMEOUT);
        assertThat(link.reason.detail()).isEqualTo("no message within 30000 ms");
    }

    @Test
    void responder_rtrAndAMessageOfOurs_mayBeSilentAsLongAsItLikes() {
        TestLink link = responder("c0800001", "c0010004");
        link.in(EMPTY_FPDU);
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        link.created.flush();
        link.pass(10 * CONFIG.firstMessageTimeoutNanos());
        assertThat(link.closed).isFalse();
        assertThat(link.machine.deadlineNanos()).isEmpty();
    }

    @Test
    void responder_rtrAndAMessage_mayBeSilentAsLongAsItLikes() {
        TestLink link = responder("c0800001", "c0010004");
        link.in(EMPTY_SEND);
        link.created.postReceive(7, ByteBuffer.allocate(10));
        link.in(SEND_OF_TWO);
        link.pass(10 * CONFIG.firstMessageTimeoutNanos());
        assertThat(link.closed).isFalse();
        assertThat(link.machine.deadlineNanos()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "WRITE, 80028004, 80048002, " + EMPTY_WRITE,
        "FPDU, c0020004, c0040002, " + EMPTY_FPDU,
        "SEND, c0020004, c0040002, " + EMPTY_SEND,
        "READ, 80024004, 80044002, " + EMPTY_READ
    })
    void initiator_anyKind_isSentFirstAloneAndNeverCompletes(RtrKind kind, String asked, String answer, String rtr) {
        TestLink link = TestLink.initiator(only(kind), TestLink.OPTIONS);
        assertThat(link.takeWrite()).isEqualTo(REQUEST_KEY + "10020004" + asked);
        link.created.post(WorkRequest.Send.of(9, ByteBuffer.wrap(new byte[] {7, 8})));
        link.in(REPLY_KEY + "10020004" + answer);
        assertThat(link.established).isTrue();
        assertThat(link.writes).hasSize(2);
        assertThat(link.writes.removeFirst()).isEqualTo(rtr);
        String second = kind == RtrKind.SEND ? "00000002" : "00000001";
        assertThat(link.takeWrite()).isEqualTo(SEND_OF_TWO.replace("00000002", second));
        assertThat(link.completions).hasSize(1);
        assertThat(link.completions.getFirst().workRequestId()).isEqualTo(9);
    }

    @Test
    void initiator_readAsRtr_isAnsweredBeforeTheReadsThatFollow() {
        TestLink link = TestLink.initiator(only(RtrKind.READ), TestLink.OPTIONS);
        link.writes.clear();
        MemoryRegion sink = link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.LOCAL_WRITE));
        link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 4, new RemoteMemory(5, 0)));
        link.in(REPLY_KEY + "10020004" + "80044002");
        assertThat(link.writes.removeFirst()).isEqualTo(EMPTY_READ);
        assertThat(link.takeWrite()).startsWith("002e" + "4141" + "00000000" + "00000001" + "00000002");
        link.fpdu("c142 00000000 0000000000000000");
        assertThat(link.completions).isEmpty();
        link.fpdu(String.format("c142 %08x %016x 01020304", sink.stag(), sink.taggedOffset()));
        assertThat(link.completions).hasSize(1);
        assertThat(link.completions.getFirst().workRequestId()).isEqualTo(1);
        assertThat(link.reason).isNull();
    }

    @Test
    void initiator_readAsRtrWithoutReadsOfItsOwn_needsRoomForOneAtThePeer() {
        ConnectOptions none = new ConnectOptions(ByteBuffer.allocate(0), 0, 0);
        TestLink link = TestLink.initiator(only(RtrKind.READ), none);
        assertThat(link.takeWrite()).isEqualTo(REQUEST_KEY + "10020004" + "80004000");
        link.in(REPLY_KEY + "10020004" + "80014000");
        assertThat(link.takeWrite()).isEqualTo(EMPTY_READ);
        assertThat(link.created.parameters().ord()).isZero();
        link.fpdu("c142 00000000 0000000000000000");
        assertThat(link.reason).isNull();
        TestLink refused = TestLink.initiator(only(RtrKind.READ), none);
        refused.writes.clear();
        refused.in(REPLY_KEY + "10020004" + "80004000");
        assertThat(refused.takeWrite()).startsWith("0016" + "41470000000000000002" + "0000000100000000" + "2007");
    }

    @Test
    void initiator_readAsRtrAnsweredWithPayload_endsTheStream() {
        TestLink link = TestLink.initiator(only(RtrKind.READ), TestLink.OPTIONS);
        link.in(REPLY_KEY + "10020004" + "80044002");
        link.fpdu("c142 00000000 0000000000000000 01020304");
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(link.bugs).isEmpty();
    }

    @Test
    void initiator_postedReadThatThePeerCannotHold_tellsThePeerInsteadOfAnRtr() {
        TestLink link = TestLink.initiator(CONFIG.withPeerToPeer(true), TestLink.OPTIONS);
        link.writes.clear();
        MemoryRegion sink = link.created.register(ByteBuffer.allocate(8), EnumSet.of(AccessRight.LOCAL_WRITE));
        link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 8, new RemoteMemory(5, 0)));
        // IRD 0: the peer accepts no RDMA Read.
        link.in(REPLY_KEY + "10020004" + "80008002");
        assertThat(link.reason.cause()).isEqualTo(Cause.REJECTED);
        // RFC 6581, section 9.3: code 5 is for errors without a code of their own.
        assertThat(link.takeWrite()).startsWith("0016" + "41470000000000000002" + "0000000100000000" + "2005");
        assertThat(link.outputEnded).isTrue();
        assertThat(link.bugs).isEmpty();
    }

    @Test
    void initiator_revision1_opensTheStreamWithAWrite() {
        QueuePairConfig old = CONFIG.withMpa(CONFIG.mpa().withPeerToPeer(true).withRevision(1, false));
        TestLink link = TestLink.initiator(old, TestLink.OPTIONS);
        assertThat(link.takeWrite()).isEqualTo(REQUEST_KEY + "00010000");
        link.in(REPLY_KEY + "00010000");
        assertThat(link.takeWrite()).isEqualTo(EMPTY_WRITE);
        assertThat(link.created.parameters().revision()).isEqualTo(1);
    }
}
