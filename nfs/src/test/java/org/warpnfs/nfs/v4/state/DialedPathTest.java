package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** The way back to one NFSv4.0 client: time is a number, and what goes out a queue. */
class DialedPathTest {
    private static final long PAUSE = DialedPath.RETRY_PAUSE_NANOS;
    private static final long PATIENCE = CallbackStates.PATIENCE_NANOS;
    private static final CallbackAddress ADDRESS =
            new CallbackAddress(0x4000_0000, new InetSocketAddress(InetAddress.ofLiteral("10.9.0.2"), 44345), 7);
    private static final CallbackAddress OTHER_ADDRESS =
            new CallbackAddress(0x4000_0000, new InetSocketAddress(InetAddress.ofLiteral("10.9.0.2"), 44346), 7);
    private static final CallbackOutcome ACKNOWLEDGED = new CallbackOutcome.Compound(0, 0);
    private static final CallbackOutcome BAD_HANDLE = new CallbackOutcome.Compound(0, 10001);
    private static final CallbackOutcome FAILED = new CallbackOutcome.Failed();

    private final Queue<CallbackCall> sent = new ArrayDeque<>();
    private final Client client =
            new Client(1, Opaque.of(new byte[] {1}), 2, new Principal(1, 0), true, ClientAddress.NONE);
    private final DialedPath path;
    private long now = Long.MAX_VALUE - 5; // a monotonic clock may wrap
    private int stateids;

    DialedPathTest() {
        client.callBackAt(ADDRESS, sent::add);
        path = client.dialedPath;
    }

    private CallbackCall.Null nextProbe() {
        assertThat(sent.peek()).isInstanceOf(CallbackCall.Null.class);
        return (CallbackCall.Null) sent.remove();
    }

    private CallbackCall.PlainRecall nextRecall() {
        assertThat(sent.peek()).isInstanceOf(CallbackCall.PlainRecall.class);
        return (CallbackCall.PlainRecall) sent.remove();
    }

    private DialedPath up() {
        path.confirmed(now);
        assertThat(path.probed(now, nextProbe(), true)).isTrue();
        return path;
    }

    private DelegationState delegation() {
        DelegationState delegation = new DelegationState(
                client,
                new FileKey(1, FileHandle.of(new byte[] {1})),
                new Stateid(1, 9, ++stateids),
                Opaque.of(new byte[] {(byte) stateids}),
                new SharedFile(new NoFile()));
        delegation.recall(now);
        return delegation;
    }

    private boolean isDue(DelegationState delegation) {
        return delegation.isRecallDue(now, TimeUnit.MILLISECONDS.toNanos(500));
    }

    @Test
    void untried_replyHasLeft_isProbedOnceAsRoot() {
        assertThat(client.recall(now, delegation())).as("nobody answered yet").isFalse();
        assertThat(client.hasCallbackPath()).isFalse();
        assertThat(path.isDown()).isFalse();
        path.confirmed(now);
        path.confirmed(now);
        CallbackCall.Null probe = nextProbe();
        assertThat(sent).isEmpty();
        assertThat(((CallbackCall.Dialed) probe.target()).address()).isEqualTo(ADDRESS);
        assertThat(probe.target().credential()).isEqualTo(new CallbackCredential.Sys(0, "warpnfs", 0, 0, List.of()));
    }

    @Test
    void probed_answered_isUpAndCarriesRecalls() {
        up();
        assertThat(client.hasCallbackPath()).isTrue();
        DelegationState delegation = delegation();
        assertThat(client.recall(now, delegation)).isTrue();
        CallbackCall.PlainRecall recall = nextRecall();
        assertThat(recall.stateid()).isEqualTo(delegation.stateid());
        assertThat(recall.fileHandle()).isEqualTo(delegation.wireHandle());
        path.recalled(now, recall, ACKNOWLEDGED);
        now += PAUSE;
        assertThat(isDue(delegation)).as("it knows").isFalse();
        assertThat(path.isUp()).isTrue();
    }

    @Test
    void probed_failed_isDownAndTriedAgainAfterAPause() {
        path.confirmed(now);
        assertThat(path.probed(now, nextProbe(), false)).isFalse();
        assertThat(path.isDown()).isTrue();
        now += PAUSE - 1;
        path.retry(now);
        assertThat(client.recall(now, delegation())).isFalse();
        assertThat(sent).isEmpty();
        now++;
        path.retry(now);
        path.retry(now);
        CallbackCall.Null again = nextProbe();
        assertThat(sent).isEmpty();
        assertThat(path.isDown()).as("until it is answered").isTrue();
        path.probed(now, again, true);
        assertThat(path.isDown()).isFalse();
        assertThat(path.isUp()).isTrue();
    }

    @Test
    void probed_unanswered_isDownAfterAWhileAndALateAnswerIsNone() {
        path.confirmed(now);
        CallbackCall.Null late = nextProbe();
        now += PATIENCE;
        path.retry(now);
        assertThat(path.isDown()).isFalse();
        now++;
        path.retry(now);
        assertThat(path.isDown()).isTrue();
        assertThat(path.probed(now, late, true)).isFalse();
        assertThat(path.isUp()).isFalse();
    }

    @Test
    void down_fileWanted_isTriedAgain() {
        path.confirmed(now);
        path.probed(now, nextProbe(), false);
        now += PAUSE;
        assertThat(client.recall(now, delegation())).isFalse();
        path.probed(now, nextProbe(), true);
        assertThat(client.recall(now, delegation())).isTrue();
    }

    @Test
    void up_recallFails_isDownAndTheRecallIsDueAgain() {
        up();
        DelegationState delegation = delegation();
        client.recall(now, delegation);
        path.recalled(now, nextRecall(), FAILED);
        assertThat(path.isDown()).isTrue();
        now += PAUSE;
        assertThat(isDue(delegation)).isTrue();
        path.retry(now);
        path.probed(now, nextProbe(), true);
        assertThat(client.recall(now, delegation)).isTrue();
    }

    @Test
    void up_recallUnanswered_isDownAfterAWhileAndTheRecallIsDueAgain() {
        up();
        DelegationState delegation = delegation();
        client.recall(now, delegation);
        CallbackCall.PlainRecall silent = nextRecall();
        now += PATIENCE + 1;
        path.retry(now);
        assertThat(path.isDown()).isTrue();
        assertThat(isDue(delegation)).isTrue();
        path.recalled(now, silent, ACKNOWLEDGED);
        assertThat(isDue(delegation)).as("an answer that comes too late").isTrue();
    }

    @Test
    void up_recallRefused_staysUpAndTheRecallIsDueAgain() {
        up();
        DelegationState delegation = delegation();
        client.recall(now, delegation);
        path.recalled(now, nextRecall(), BAD_HANDLE);
        assertThat(path.isUp()).isTrue();
        assertThat(isDue(delegation)).as("not at once").isFalse();
        now += TimeUnit.MILLISECONDS.toNanos(500);
        assertThat(isDue(delegation)).isTrue();
    }

    @Test
    void up_manyRecalls_waitForAnAnswer() {
        up();
        List<CallbackCall.PlainRecall> calls = new ArrayList<>();
        for (int i = 0; i < DialedPath.MAX_RECALLS; i++) {
            assertThat(client.recall(now, delegation())).isTrue();
            calls.add(nextRecall());
        }
        DelegationState next = delegation();
        assertThat(client.recall(now, next)).isFalse();
        path.recalled(now, calls.get(3), ACKNOWLEDGED);
        assertThat(client.recall(now, next)).isTrue();
    }

    @Test
    void changedAddress_startsAnewAndWhatWasUnderWayIsDueAgain() {
        up();
        DelegationState delegation = delegation();
        client.recall(now, delegation);
        CallbackCall.PlainRecall old = nextRecall();
        client.callBackAt(OTHER_ADDRESS, sent::add);
        assertThat(client.hasCallbackPath()).isFalse();
        now += PAUSE;
        assertThat(isDue(delegation)).isTrue();
        path.recalled(now, old, ACKNOWLEDGED);
        assertThat(isDue(delegation)).isTrue();
        client.dialedPath.confirmed(now);
        CallbackCall.Null probe = nextProbe();
        assertThat(probe.target()).isNotSameAs(old.target());
        client.dialedPath.probed(now, probe, true);
        assertThat(client.recall(now, delegation)).isTrue();
    }

    @Test
    void sameAddress_startsAnewOverTheSameConnection() {
        up();
        DelegationState delegation = delegation();
        client.recall(now, delegation);
        CallbackCall.PlainRecall old = nextRecall();
        client.callBackAt(new CallbackAddress(ADDRESS.program(), ADDRESS.socket(), ADDRESS.ident()), sent::add);
        assertThat(client.hasCallbackPath()).isFalse();
        now += PAUSE;
        path.recalled(now, old, ACKNOWLEDGED);
        assertThat(isDue(delegation)).isTrue();
        client.dialedPath.confirmed(now);
        CallbackCall.Null probe = nextProbe();
        assertThat(probe.target()).isSameAs(old.target());
        client.dialedPath.probed(now, probe, true);
        assertThat(client.hasCallbackPath()).isTrue();
    }

    @Test
    void sameAddress_whileItIsProbed_isNotProbedTwice() {
        path.confirmed(now);
        CallbackCall.Null probe = nextProbe();
        client.callBackAt(ADDRESS, sent::add);
        client.dialedPath.confirmed(now);
        assertThat(sent).isEmpty();
        client.dialedPath.probed(now, probe, true);
        assertThat(client.hasCallbackPath()).isTrue();
    }

    @Test
    void addressTakenBack_isNoPath() {
        up();
        client.callBackAt(null, sent::add);
        assertThat(client.hasCallbackPath()).isFalse();
        assertThat(client.recall(now, delegation())).isFalse();
    }
}
