package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** An initiator whose peer does not understand revision 2 (RFC 6581, section 10). */
class FallBackTest {
    private static final QueuePairConfig CONFIG = QueuePairConfig.defaults();
    private static final String REQUEST_KEY = "4d504120494420526571204672616d65";
    private static final String REPLY_KEY = "4d504120494420526570204672616d65";
    private static final String REQUEST_2 = REQUEST_KEY + "10020008" + "00050006" + "01020304";
    private static final String REQUEST_1 = REQUEST_KEY + "00010004" + "01020304";
    private static final String REPLY_1 = REPLY_KEY + "00010002" + "aabb";
    private static final ConnectOptions OPTIONS = new ConnectOptions(Hex.bytes("01020304"), 5, 6);

    private static TestLink initiator(QueuePairConfig config) {
        TestLink link = TestLink.initiator(config, OPTIONS);
        assertThat(link.takeWrite()).isEqualTo(REQUEST_2);
        return link;
    }

    /** Checks that the old connection ended without a call to the upper layer, and that the new one is established. */
    private static void assertFallsBack(TestLink link) {
        assertThat(link.reconnects).isEqualTo(1);
        assertThat(link.reason).isNull();
        assertThat(link.closed).isFalse();
        assertThat(link.writes).isEmpty();
        assertThat(link.machine.deadlineNanos()).isEmpty();
        link.connectAgain();
        assertThat(link.takeWrite()).isEqualTo(REQUEST_1);
        assertThat(link.machine.deadlineNanos()).isPresent();
        assertThat(link.creations).isEqualTo(1);
    }

    private static void assertEstablishedWithRevision1(TestLink link) {
        link.in(REPLY_1);
        assertThat(link.established).isTrue();
        assertThat(link.created.parameters().revision()).isEqualTo(1);
        assertThat(link.created.parameters().ird()).isEqualTo(5);
        assertThat(link.created.parameters().ord()).isEqualTo(6);
        assertThat(Hex.of(link.created.parameters().peerPrivateData())).isEqualTo("aabb");
    }

    @Test
    void initiator_peerClosesWithoutAReply_triesRevision1OnANewConnection() {
        TestLink link = initiator(CONFIG);
        link.created.postReceive(3, ByteBuffer.allocate(10));
        link.created.post(WorkRequest.Send.of(9, ByteBuffer.allocate(0)));
        link.machine.receivedEnd();
        assertFallsBack(link);
        assertEstablishedWithRevision1(link);
        assertThat(link.takeWrite()).startsWith("0012" + "4143");
        assertThat(link.completions).hasSize(1);
        link.fpdu("4143 00000000 00000000 00000001 00000000 07");
        assertThat(link.completions).hasSize(2);
        assertThat(link.completions.getLast().workRequestId()).isEqualTo(3);
    }

    @Test
    void initiator_peerResetsTheConnection_triesRevision1() {
        TestLink link = initiator(CONFIG);
        link.machine.linkLost("connection reset");
        assertFallsBack(link);
        assertEstablishedWithRevision1(link);
    }

    @Test
    void initiator_requestStillHeldByTheSocket_startsAfresh() {
        TestLink link = TestLink.initiator(CONFIG, OPTIONS);
        link.writes.clear();
        link.socketTakes = false;
        link.machine.receivedEnd();
        link.socketTakes = true;
        assertFallsBack(link);
        assertEstablishedWithRevision1(link);
        assertThat(link.bugs).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Accepted and rejected by a peer of revision 1; accepted without a block.
                "0001" + "0002" + "aabb",
                "2001" + "0000",
                "0002" + "0000"
            })
    void initiator_replyOfAPeerThatDidNotUnderstand_triesRevision1(String reply) {
        TestLink link = initiator(CONFIG);
        link.in(REPLY_KEY + reply);
        assertFallsBack(link);
        assertEstablishedWithRevision1(link);
    }

    @Test
    void initiator_rejectedByAPeerThatUnderstood_doesNotTryAgain() {
        TestLink link = initiator(CONFIG);
        link.in(REPLY_KEY + "3002" + "0004" + "00000000");
        assertThat(link.reconnects).isZero();
        assertThat(link.reason.cause()).isEqualTo(Cause.REJECTED);
    }

    @Test
    void initiator_revision1FailsToo_endsThere() {
        TestLink link = initiator(CONFIG);
        link.machine.receivedEnd();
        assertFallsBack(link);
        link.machine.receivedEnd();
        assertThat(link.reconnects).isEqualTo(1);
        assertThat(link.reason.cause()).isEqualTo(Cause.CONNECTION_LOST);
        assertThat(link.closed).isTrue();
    }

    @Test
    void initiator_newConnectionCannotBeMade_endsThere() {
        TestLink link = initiator(CONFIG);
        link.machine.receivedEnd();
        link.machine.linkLost("connection refused");
        assertThat(link.reconnects).isEqualTo(1);
        assertThat(link.reason.cause()).isEqualTo(Cause.CONNECTION_LOST);
        assertThat(link.reason.detail()).contains("connection refused");
    }

    @Test
    void initiator_rejectedByRevision1_hearsThePeersWords() {
        TestLink link = initiator(CONFIG);
        link.machine.receivedEnd();
        assertFallsBack(link);
        link.in(REPLY_KEY + "2001" + "0002" + "aabb");
        assertThat(link.reason.cause()).isEqualTo(Cause.REJECTED);
        assertThat(Hex.of(link.reason.rejection().privateData())).isEqualTo("aabb");
    }

    @Test
    void initiator_connectionEndsWithinAReply_doesNotTryAgain() {
        TestLink link = initiator(CONFIG);
        link.in(REPLY_KEY);
        link.machine.receivedEnd();
        assertThat(link.reconnects).isZero();
        assertThat(link.reason.cause()).isEqualTo(Cause.CONNECTION_LOST);
    }

    @Test
    void initiator_silentPeer_isNotAskedAgain() {
        TestLink link = initiator(CONFIG);
        link.pass(CONFIG.startupTimeoutNanos());
        assertThat(link.reconnects).isZero();
        assertThat(link.reason.cause()).isEqualTo(Cause.TIMEOUT);
    }

    @Test
    void initiator_connectionWasNeverUp_doesNotTryAgain() {
        TestLink link = TestLink.waiting(CONFIG, OPTIONS);
        link.machine.linkLost("connection refused");
        assertThat(link.reconnects).isZero();
        assertThat(link.reason.cause()).isEqualTo(Cause.CONNECTION_LOST);
    }

    @Test
    void initiator_endedByTheUpperLayer_doesNotTryAgain() {
        TestLink link = initiator(CONFIG);
        link.created.disconnect();
        link.runTasks();
        assertThat(link.reconnects).isZero();
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
    }

    @Test
    void initiator_fallBackSwitchedOff_hearsOfTheEnd() {
        TestLink link = initiator(CONFIG.withMpa(CONFIG.mpa().withRevision(2, false)));
        link.machine.receivedEnd();
        assertThat(link.reconnects).isZero();
        assertThat(link.reason.cause()).isEqualTo(Cause.CONNECTION_LOST);
    }
}
