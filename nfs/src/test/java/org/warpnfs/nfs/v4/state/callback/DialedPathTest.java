package org.warpnfs.nfs.v4.state.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** The callback path to one NFSv4.0 client. Time is a number, and outgoing calls are a queue. */
class DialedPathTest {
    private static final long PAUSE = DialedPath.RETRY_PAUSE_NANOS;
    private static final long PATIENCE = CallbackCall.PATIENCE_NANOS;
    private static final CallbackAddress ADDRESS =
            new CallbackAddress(0x4000_0000, new InetSocketAddress(InetAddress.ofLiteral("10.9.0.2"), 44345), 7);
    private static final CallbackAddress OTHER_ADDRESS =
            new CallbackAddress(0x4000_0000, new InetSocketAddress(InetAddress.ofLiteral("10.9.0.2"), 44346), 7);
    private static final CallbackOutcome ACKNOWLEDGED = new CallbackOutcome.Compound(0, 0);
    private static final CallbackOutcome BAD_HANDLE = new CallbackOutcome.Compound(0, 10001);
    private static final CallbackOutcome FAILED = new CallbackOutcome.Failed();

    private final Queue<CallbackCall> sent = new ArrayDeque<>();
    private final Client client =
            new Client(1, Opaque.of(new byte[] {1}), 2, new Sender(new Principal(1, 0), ClientAddress.NONE), true);
    private final DialedPaths paths = new DialedPaths(sent::add);
    private final DialedPath path;
    private long now = Long.MAX_VALUE - 5; // a monotonic clock may wrap
    private int stateids;

    DialedPathTest() {
        paths.callAt(client, ADDRESS);
        path = current();
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

    private DialedPath current() {
        return Objects.requireNonNull(paths.of(client));
    }

    private boolean isUp() {
        DialedPath way = paths.of(client);
        return way != null && way.isUp();
    }

    private boolean recall(Delegation delegation) {
        DialedPath way = paths.of(client);
        return way != null && way.recall(now, delegation);
    }

    private Delegation delegation() {
        return new Delegation(++stateids);
    }

    private boolean isDue(Delegation delegation) {
        return delegation.isDue(now);
    }

    /**
     * A delegation that somebody waits for. Its recall is due until it is acknowledged, half a second after each
     * attempt.
     */
    private static final class Delegation implements Recallable {
        private final int number;
        private boolean asked;
        private long askedNanos;
        private boolean due = true;

        Delegation(int number) {
            this.number = number;
        }

        boolean isDue(long nowNanos) {
            return due && (!asked || nowNanos - askedNanos >= TimeUnit.MILLISECONDS.toNanos(500));
        }

        @Override
        public Stateid stateid() {
            return new Stateid(1, 9, number);
        }

        @Override
        public Opaque wireHandle() {
            return Opaque.of(new byte[] {(byte) number});
        }

        @Override
        public void asked(long nowNanos) {
            asked = true;
            due = false;
            askedNanos = nowNanos;
        }

        @Override
        public void answered(boolean acknowledged) {
            due = !acknowledged;
        }
    }

    @Test
    void untried_replyHasLeft_isProbedOnceAsRoot() {
        assertThat(recall(delegation())).as("nobody answered yet").isFalse();
        assertThat(isUp()).isFalse();
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

        assertThat(isUp()).isTrue();

        Delegation delegation = delegation();
        assertThat(recall(delegation)).isTrue();

        CallbackCall.PlainRecall recall = nextRecall();
        assertThat(recall.operation().stateid()).isEqualTo(delegation.stateid());
        assertThat(recall.operation().fileHandle()).isEqualTo(delegation.wireHandle());

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
        assertThat(recall(delegation())).isFalse();
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

        assertThat(recall(delegation())).isFalse();

        path.probed(now, nextProbe(), true);
        assertThat(recall(delegation())).isTrue();
    }

    @Test
    void up_recallFails_isDownAndTheRecallIsDueAgain() {
        up();
        Delegation delegation = delegation();
        recall(delegation);
        path.recalled(now, nextRecall(), FAILED);

        assertThat(path.isDown()).isTrue();

        now += PAUSE;
        assertThat(isDue(delegation)).isTrue();

        path.retry(now);
        path.probed(now, nextProbe(), true);
        assertThat(recall(delegation)).isTrue();
    }

    @Test
    void up_recallUnanswered_isDownAfterAWhileAndTheRecallIsDueAgain() {
        up();
        Delegation delegation = delegation();
        recall(delegation);
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
        Delegation delegation = delegation();
        recall(delegation);
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
            assertThat(recall(delegation())).isTrue();
            calls.add(nextRecall());
        }
        Delegation next = delegation();

        assertThat(recall(next)).isFalse();

        path.recalled(now, calls.get(3), ACKNOWLEDGED);
        assertThat(recall(next)).isTrue();
    }

    @Test
    void changedAddress_startsAnewAndWhatWasUnderWayIsDueAgain() {
        up();
        Delegation delegation = delegation();
        recall(delegation);
        CallbackCall.PlainRecall old = nextRecall();
        paths.callAt(client, OTHER_ADDRESS);

        assertThat(isUp()).isFalse();

        now += PAUSE;
        assertThat(isDue(delegation)).isTrue();

        path.recalled(now, old, ACKNOWLEDGED);
        assertThat(isDue(delegation)).isTrue();

        current().confirmed(now);
        CallbackCall.Null probe = nextProbe();
        assertThat(probe.target()).isNotSameAs(old.target());

        current().probed(now, probe, true);
        assertThat(recall(delegation)).isTrue();
    }

    @Test
    void sameAddress_startsAnewOverTheSameConnection() {
        up();
        Delegation delegation = delegation();
        recall(delegation);
        CallbackCall.PlainRecall old = nextRecall();
        paths.callAt(client, new CallbackAddress(ADDRESS.program(), ADDRESS.socket(), ADDRESS.ident()));

        assertThat(isUp()).isFalse();

        now += PAUSE;
        path.recalled(now, old, ACKNOWLEDGED);
        assertThat(isDue(delegation)).isTrue();

        current().confirmed(now);
        CallbackCall.Null probe = nextProbe();
        assertThat(probe.target()).isSameAs(old.target());

        current().probed(now, probe, true);
        assertThat(isUp()).isTrue();
    }

    @Test
    void sameAddress_whileItIsProbed_isNotProbedTwice() {
        path.confirmed(now);
        CallbackCall.Null probe = nextProbe();
        paths.callAt(client, ADDRESS);
        current().confirmed(now);

        assertThat(sent).isEmpty();

        current().probed(now, probe, true);
        assertThat(isUp()).isTrue();
    }

    @Test
    void addressTakenBack_isNoPath() {
        up();
        paths.callAt(client, null);

        assertThat(isUp()).isFalse();
        assertThat(recall(delegation())).isFalse();
    }
}
