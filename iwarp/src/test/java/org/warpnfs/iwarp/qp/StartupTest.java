package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.PeerReads;
import org.warpnfs.iwarp.verbs.Rejection;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** The startup of a queue pair in both roles: order, limits, timeouts, malformed frames. */
class StartupTest {
    private static final QueuePairConfig CONFIG = QueuePairConfig.defaults();
    private static final String REQUEST_KEY = "4d504120494420526571204672616d65";
    private static final String REPLY_KEY = "4d504120494420526570204672616d65";
    private static final String EMPTY_SEND = "4143 00000000 00000000 00000001 00000000";

    @Test
    void responder_acceptedRequest_repliesOnceAndIsSilentUntilTheFirstFpdu() {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(TestLink.REQUEST);
        assertThat(link.takeWrite()).isEqualTo(REPLY_KEY + "10020004" + "00020004");
        link.created.postReceive(1, ByteBuffer.allocate(10));
        link.created.post(WorkRequest.Send.of(2, ByteBuffer.wrap(new byte[] {1})));
        link.created.flush();
        assertThat(link.writes).isEmpty();
        assertThat(link.established).isFalse();
        link.fpdu(EMPTY_SEND);
        assertThat(link.established).isTrue();
        assertThat(link.takeWrite()).startsWith("0013" + "4143");
        assertThat(link.created.parameters().ird()).isEqualTo(2);
        assertThat(link.created.parameters().ord()).isEqualTo(4);
        assertThat(link.drained).isEqualTo(2);
    }

    @Test
    void responder_requestByteByByte_isTheSame() {
        TestLink link = TestLink.responder(CONFIG, null);
        String hex = TestLink.REQUEST.replace(" ", "");
        for (int i = 0; i < hex.length(); i += 2) {
            assertThat(link.writes).isEmpty();
            link.in(hex.substring(i, i + 2));
        }
        assertThat(link.takeWrite()).isEqualTo(REPLY_KEY + "10020004" + "00020004");
    }

    @Test
    void responder_bytesBehindTheRequest_areAnError() {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(TestLink.REQUEST + "00");
        assertThat(link.closed).isTrue();
        assertThat(link.writes).isEmpty();
    }

    @Test
    void responder_bytesWhileTheRequestIsDecided_areAnError() {
        List<ConnectionRequest> requests = new ArrayList<>();
        TestLink link = TestLink.responder(CONFIG, requests::add);
        link.in(TestLink.REQUEST);
        assertThat(requests).hasSize(1);
        assertThat(requests.getFirst().peerIrd()).isEqualTo(128);
        assertThat(requests.getFirst().peerOrd()).isEqualTo(2);
        link.in("00");
        assertThat(link.closed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000", "0003", "00ff", "1003", "1000"})
    void responder_unknownRevision_isClosedWithoutAReply(String flagsAndRevision) {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(REQUEST_KEY + flagsAndRevision + "0004" + "00000000");
        assertThat(link.writes).isEmpty();
        assertThat(link.created).isNull();
        assertThat(link.closed).isTrue();
    }

    @Test
    void responder_ofRevision1Alone_closesOnRevision2AndAnswersRevision1() {
        QueuePairConfig old = CONFIG.withMpa(CONFIG.mpa().withRevision(1, false));
        TestLink closed = TestLink.responder(old, null);
        closed.in(TestLink.REQUEST);
        assertThat(closed.writes).isEmpty();
        assertThat(closed.closed).isTrue();
        TestLink link = TestLink.responder(old, null);
        link.in(REQUEST_KEY + "0001" + "0000");
        assertThat(link.takeWrite()).isEqualTo(REPLY_KEY + "00010000");
    }

    @Test
    void responder_reservedFlagsAndR_areIgnoredInARequest() {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(REQUEST_KEY + "3f02" + "0004" + "00800002");
        assertThat(link.takeWrite()).isEqualTo(REPLY_KEY + "10020004" + "00020004");
    }

    @Test
    void responder_readLimitsLeftToTheUpperLayers_areAnsweredInKindAndStayOurs() {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(REQUEST_KEY + "1002" + "0004" + "3fff3fff");
        assertThat(link.takeWrite()).isEqualTo(REPLY_KEY + "10020004" + "3fff3fff");
        link.created.postReceive(1, ByteBuffer.allocate(0));
        link.fpdu(EMPTY_SEND);
        assertThat(link.created.parameters().ird()).isEqualTo(2);
        assertThat(link.created.parameters().ord()).isEqualTo(4);
        assertThat(link.created.parameters().peerReads()).isEqualTo(PeerReads.NONE);
    }

    @Test
    void responder_rejected_hearsTheInitiatorOut() {
        TestLink link = TestLink.responder(CONFIG, request -> request.reject(ByteBuffer.allocate(0)));
        link.in(TestLink.REQUEST);
        assertThat(link.takeWrite()).isEqualTo(REPLY_KEY + "30020004" + "00000000");
        assertThat(link.created).isNull();
        assertThat(link.outputEnded).isTrue();
        assertThat(link.closed).isFalse();
        link.machine.receivedEnd();
        assertThat(link.closed).isTrue();
    }

    @Test
    void responder_upperLayerRejects_itsWordsReachThePeer() {
        TestLink link = TestLink.responder(CONFIG, request -> request.reject(Hex.bytes("aabbccdd")));
        link.in(TestLink.REQUEST);
        assertThat(link.takeWrite()).isEqualTo(REPLY_KEY + "30020008" + "00000000" + "aabbccdd");
        assertThat(link.outputEnded).isTrue();
        link.pass(CONFIG.closeTimeoutNanos());
        assertThat(link.closed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "4d50", "4d504120494420526571204672616d65 1002 0004 0080"})
    void responder_silenceOrHalfARequest_isClosedAtTheDeadline(String hex) {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(hex);
        link.pass(TimeUnit.SECONDS.toNanos(10) - 1);
        assertThat(link.closed).isFalse();
        link.pass(1);
        assertThat(link.closed).isTrue();
    }

    /** The peer sends nothing, or half an FPDU, after our reply. */
    @ParameterizedTest
    @ValueSource(strings = {"", "00", "0012 4143 00000000 00000000 00000001 00000000 000000"})
    void responder_noWholeFpduBehindTheReply_isClosedAtItsDeadline(String hex) {
        TestLink link = TestLink.responder(CONFIG, null);
        link.pass(CONFIG.startupTimeoutNanos() - 1);
        link.in(TestLink.REQUEST);
        link.created.postReceive(1, ByteBuffer.allocate(0));
        link.pass(CONFIG.firstMessageTimeoutNanos() - 1);
        link.in(hex);
        assertThat(link.closed).isFalse();
        link.pass(1);
        assertThat(link.closed).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.TIMEOUT);
        assertThat(link.reason.detail()).isEqualTo("no message within 30000 ms");
    }

    @Test
    void responder_firstMessageArrived_mayBeSilentAsLongAsItLikes() {
        TestLink link = TestLink.open();
        link.pass(10 * CONFIG.firstMessageTimeoutNanos());
        assertThat(link.closed).isFalse();
        assertThat(link.machine.deadlineNanos()).isEmpty();
    }

    /** An upper layer that has disconnected gets no more time because something arrives. */
    @Test
    void responder_disconnectsBeforeTheFirstFpdu_itsArrivalProlongsNothing() {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(TestLink.REQUEST);
        link.created.postReceive(1, ByteBuffer.allocate(0));
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(9)));
        link.created.disconnect();
        link.runTasks();
        link.fpdu(EMPTY_SEND);
        assertThat(link.established).isTrue();
        link.pass(CONFIG.closeTimeoutNanos());
        assertThat(link.closed).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
    }

    @Test
    void responder_decisionTooLate_isABugOfTheCaller() {
        List<ConnectionRequest> requests = new ArrayList<>();
        TestLink link = TestLink.responder(CONFIG, requests::add);
        link.in(TestLink.REQUEST);
        link.pass(CONFIG.startupTimeoutNanos());
        assertThat(link.closed).isTrue();
        assertThatThrownBy(() -> requests.getFirst().accept(TestLink.OPTIONS, link))
                .isInstanceOf(IllegalStateException.class);
        assertThat(link.created).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "OFF, 10, 10",
        "OFF, 50, 50",
        "PREFERRED, 10, 10",
        "PREFERRED, 50, 50",
        "REQUIRED, 10, 50",
        "REQUIRED, 50, 50"
    })
    void responder_crc_isOnIfEitherSideSaysSo(CrcPolicy policy, String asked, String answered) {
        TestLink link = TestLink.responder(CONFIG.withCrcPolicy(policy), null);
        link.in(REQUEST_KEY + asked + "02" + "0004" + "00800000");
        assertThat(link.takeWrite().substring(32, 34)).isEqualTo(answered);
        boolean crc = answered.equals("50");
        link.created.postReceive(1, ByteBuffer.allocate(10));
        // The golden Send of 5 bytes, with its valid CRC.
        link.in("0017 4143 00000000 00000000 00000001 00000000 52444d4121 000000 489124f5");
        assertThat(link.completions).hasSize(1);
        assertThat(link.created.parameters().crc()).isEqualTo(crc);
        link.in("000e c140 00000001 0000000000000000 ebd34c5e");
        assertThat(link.reason != null).isEqualTo(crc);
        if (crc) {
            assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
            assertThat(link.takeWrite())
                    .isEqualTo("0016" + "41470000000000000002" + "0000000100000000" + "20020000" + "7fe42585");
        }
    }

    @Test
    void responder_revision1_isAnsweredInKind() {
        TestLink link = TestLink.responder(CONFIG, null);
        link.in(REQUEST_KEY + "0001" + "0000");
        assertThat(link.takeWrite()).isEqualTo(REPLY_KEY + "00010000");
        link.created.postReceive(1, ByteBuffer.allocate(10));
        link.fpdu(EMPTY_SEND);
        assertThat(link.created.parameters().ord()).isEqualTo(4);
    }

    @Test
    void initiator_accepted_sendsAtOnce() {
        TestLink link = TestLink.initiator(CONFIG, new ConnectOptions(Hex.bytes("01020304"), 5, 6));
        assertThat(link.takeWrite()).isEqualTo(REQUEST_KEY + "10020008" + "00050006" + "01020304");
        link.created.post(WorkRequest.Send.of(9, ByteBuffer.allocate(0)));
        link.created.flush();
        assertThat(link.writes).isEmpty();
        link.in(REPLY_KEY + "1002000a" + "00030005" + "aabbccddeeff");
        assertThat(link.established).isTrue();
        assertThat(Hex.of(link.created.parameters().peerPrivateData())).isEqualTo("aabbccddeeff");
        assertThat(link.created.parameters().ord()).isEqualTo(3);
        assertThat(link.created.parameters().peerReads())
                .isEqualTo(new PeerReads(OptionalInt.of(3), OptionalInt.of(5)));
        assertThat(link.created.parameters().revision()).isEqualTo(2);
        assertThat(link.takeWrite()).isEqualTo("0012" + EMPTY_SEND.replace(" ", "") + "00000000");
    }

    @Test
    void initiator_rejected_hearsThePeersWordsAndLimits() {
        TestLink link = TestLink.initiator(CONFIG, TestLink.OPTIONS);
        link.in(REPLY_KEY + "30020008" + "00033fff" + "aabbccdd");
        assertThat(link.closed).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.REJECTED);
        Rejection rejection = link.reason.rejection();
        assertThat(Hex.of(rejection.privateData())).isEqualTo("aabbccdd");
        assertThat(rejection.peerReads()).isEqualTo(new PeerReads(OptionalInt.of(3), OptionalInt.empty()));
    }

    @Test
    void initiator_rejectedWithoutABlock_hearsAllOfThePrivateData() {
        TestLink link = TestLink.initiator(CONFIG, TestLink.OPTIONS);
        link.in(REPLY_KEY + "20020002" + "aabb");
        Rejection rejection = link.reason.rejection();
        assertThat(Hex.of(rejection.privateData())).isEqualTo("aabb");
        assertThat(rejection.peerReads()).isEqualTo(PeerReads.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "10020004, 00040003, 2006, 00000000, the peer would read three at once and we hold two",
        "10020004, 00040002, 2007, 00000000, no RTR chosen in peer-to-peer mode",
        // Another implementation computed the CRCs of the Terminates.
        "50020004, 00040003, 2006, 6540fb1b, the same with CRC",
        "50020004, 00040002, 2007, 1bd2babe, the same with CRC"
    })
    void initiator_replyThatCannotBeMet_isAnsweredWithATerminate(
            String header, String block, String code, String crc, String why) {
        QueuePairConfig config = CONFIG.withPeerToPeer(code.equals("2007"));
        TestLink link = TestLink.initiator(config, TestLink.OPTIONS);
        link.writes.clear();
        link.in(REPLY_KEY + header + block);
        assertThat(link.takeWrite())
                .as(why)
                .isEqualTo("0016" + "41470000000000000002" + "0000000100000000" + code + "0000" + crc);
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(link.outputEnded).isTrue();
    }

    @Test
    void initiator_badReplyOrNone_closes() {
        for (String bad : new String[] {
            "48545450",
            // The key of a request, so that the other end is an initiator too (RFC 5044, section 7.1.2 rule 8).
            REQUEST_KEY,
            REPLY_KEY + "1002" + "0201",
            REPLY_KEY + "1002" + "0002" + "0000",
            REPLY_KEY + "0003" + "0000",
            REPLY_KEY + "0000" + "0000"
        }) {
            TestLink link = TestLink.initiator(CONFIG, TestLink.OPTIONS);
            link.writes.clear();
            link.in(bad);
            assertThat(link.reason.cause()).as(bad).isEqualTo(Cause.REJECTED);
            assertThat(link.closed).isTrue();
            // The connection is closed at once, without output (RFC 5044, section 8).
            assertThat(link.writes).isEmpty();
        }
        TestLink silent = TestLink.initiator(CONFIG, TestLink.OPTIONS);
        silent.pass(CONFIG.startupTimeoutNanos());
        assertThat(silent.reason.cause()).isEqualTo(Cause.TIMEOUT);
        assertThat(silent.reason.detail()).endsWith("within 10000 ms");
        TestLink gone = TestLink.initiator(CONFIG.withMpa(CONFIG.mpa().withRevision(2, false)), TestLink.OPTIONS);
        gone.machine.receivedEnd();
        assertThat(gone.reason.cause()).isEqualTo(Cause.CONNECTION_LOST);
        assertThat(CONFIG.startupTimeoutNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
    }
}
