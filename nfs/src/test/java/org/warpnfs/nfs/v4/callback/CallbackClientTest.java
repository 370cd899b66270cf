package org.warpnfs.nfs.v4.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.testing.FakeDialer;
import org.warpnfs.nfs.v4.state.callback.CallbackAddress;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Calls to NFSv4.0 clients, over connections that a test provides. */
class CallbackClientTest {
    private static final CallbackOutcome FAILED = new CallbackOutcome.Failed();
    private static final CallbackOutcome DONE = new CallbackOutcome.Done();
    private static final long PATIENCE = CallbackCall.PATIENCE_NANOS;
    private static final long IDLE = DialedConnections.IDLE_NANOS;

    private record Ended(CallbackCall call, CallbackOutcome outcome) {}

    private final FakeDialer dialer = new FakeDialer();
    private final List<Ended> ended = new ArrayList<>();
    private final CallbackClient client =
            new CallbackClient(dialer, (call, outcome) -> ended.add(new Ended(call, outcome)));

    private static CallbackCall.Dialed target(String host, int port) {
        return new CallbackCall.Dialed(
                new CallbackAddress(0x4000_0000, new InetSocketAddress(InetAddress.ofLiteral(host), port), 7),
                new CallbackCredential.None());
    }

    private static CallbackCall.Dialed target() {
        return target("10.9.0.2", 44345);
    }

    private CallbackCall probe(CallbackCall.Dialed target) {
        CallbackCall call = new CallbackCall.Null(target);
        client.send(call);
        return call;
    }

    private CallbackCall recall(CallbackCall.Dialed target) {
        CallbackCall call = new CallbackCall.PlainRecall(
                target, new CallbackCall.Recall(new Stateid(1, 2, 3), Opaque.of(new byte[] {1, 2, 3, 4})));
        client.send(call);
        return call;
    }

    private static int nextXid(FakeDialer.Attempt attempt) {
        byte[] call = attempt.nextCall();
        assertThat(call).as("a call").isNotNull();
        return ByteBuffer.wrap(call).getInt();
    }

    private static void answer(FakeDialer.Attempt attempt, int... results) {
        attempt.answer(nextXid(attempt), results);
    }

    @Test
    void call_withoutAConnection_waitsForOne() {
        CallbackCall call = probe(target());

        assertThat(dialer.attempts).hasSize(1);
        assertThat(dialer.last().remote).isEqualTo(new InetSocketAddress("10.9.0.2", 44345));
        assertThat(dialer.last().nextCall()).isNull();

        dialer.last().succeed();
        answer(dialer.last());
        assertThat(ended).containsExactly(new Ended(call, DONE));
    }

    @Test
    void call_onTheClientsConnection_neverAnswered_failsInTimeAndLeavesTheQueue() {
        probe(target());
        FakeDialer.Attempt connection = dialer.last();
        connection.succeed();
        answer(connection);
        ended.clear();
        CallbackCall call = new CallbackCall.Null(
                new CallbackCall.Bound(connection.transport(), 0, 0x4000_0000, new CallbackCredential.None()));
        client.send(call);
        int xid = nextXid(connection);

        dialer.pass(PATIENCE - 1);
        assertThat(ended).isEmpty();

        dialer.pass(1);
        assertThat(ended).containsExactly(new Ended(call, FAILED));
        assertThat(connection.transport().getReplyQueue().get(xid))
                .as("still queued")
                .isNull();
        assertThat(connection.closed()).isFalse();
    }

    @Test
    void call_onTheClientsConnection_answered_leavesNoTimer() {
        probe(target());
        FakeDialer.Attempt connection = dialer.last();
        connection.succeed();
        answer(connection);
        long before = dialer.waiting();

        client.send(new CallbackCall.Null(
                new CallbackCall.Bound(connection.transport(), 0, 0x4000_0000, new CallbackCredential.None())));
        assertThat(dialer.waiting()).isEqualTo(before + 1);

        answer(connection);
        assertThat(dialer.waiting()).isEqualTo(before);
    }

    @Test
    void calls_toOneClient_shareItsConnection() {
        CallbackCall.Dialed target = target();
        CallbackCall first = probe(target);
        CallbackCall second = recall(target);
        dialer.last().succeed();
        CallbackCall third = recall(target);
        answer(dialer.last());
        answer(dialer.last(), 0, 0, 1, 4, 0);
        answer(dialer.last(), 10001, 0, 1, 4, 10001);

        assertThat(ended)
                .containsExactly(
                        new Ended(first, DONE),
                        new Ended(second, new CallbackOutcome.Compound(0, 0)),
                        new Ended(third, new CallbackOutcome.Compound(0, 10001)));
        assertThat(dialer.attempts).hasSize(1);
    }

    @Test
    void calls_toTwoClientsAtOneAddress_haveAConnectionEach() {
        probe(target());
        probe(target());

        assertThat(dialer.attempts).hasSize(2);
    }

    @Test
    void connection_notToBeHad_failsWhatWaitsAndIsTriedAnew() {
        CallbackCall.Dialed target = target();
        CallbackCall first = probe(target);
        CallbackCall second = recall(target);
        dialer.last().fail();

        assertThat(ended).containsExactly(new Ended(first, FAILED), new Ended(second, FAILED));

        probe(target);
        assertThat(dialer.attempts).hasSize(2);
    }

    @Test
    void connection_neverMade_failsInTimeAndIsClosedWhenItComes() {
        CallbackCall call = probe(target());

        dialer.pass(PATIENCE - 1);
        assertThat(ended).isEmpty();

        dialer.pass(1);
        assertThat(ended).containsExactly(new Ended(call, FAILED));

        dialer.last().succeed();
        assertThat(dialer.last().closed()).isTrue();
        assertThat(dialer.last().nextCall()).isNull();
    }

    @Test
    void call_neverAnswered_failsWithItsConnection() {
        CallbackCall.Dialed target = target();
        CallbackCall silent = probe(target);
        dialer.last().succeed();
        dialer.pass(PATIENCE / 2);
        CallbackCall later = recall(target);

        dialer.pass(PATIENCE - PATIENCE / 2);
        assertThat(dialer.last().closed()).isTrue();
        assertThat(ended).containsExactly(new Ended(silent, FAILED), new Ended(later, FAILED));

        probe(target);
        assertThat(dialer.attempts).hasSize(2);
    }

    @Test
    void call_answered_leavesNoTimerBehindButThatOfTheIdleConnection() {
        CallbackCall.Dialed target = target();
        for (int i = 0; i < 100; i++) {
            probe(target);
            dialer.last().succeed();
            answer(dialer.last());
        }

        assertThat(dialer.waiting()).isEqualTo(1);
    }

    @Test
    void reply_thatIsNone_failsThatCallAlone() {
        CallbackCall.Dialed target = target();
        CallbackCall cut = recall(target);
        CallbackCall next = recall(target);
        dialer.last().succeed();
        answer(dialer.last(), 0, 0, 1, 4);
        answer(dialer.last(), 0, 0, 1, 4, 0);

        assertThat(ended).containsExactly(new Ended(cut, FAILED), new Ended(next, new CallbackOutcome.Compound(0, 0)));
    }

    @Test
    void connection_closedByTheClientWhileIdle_isMadeAnew() {
        CallbackCall.Dialed target = target();
        probe(target);
        dialer.last().succeed();
        answer(dialer.last());
        dialer.last().transport.end();
        CallbackCall second = probe(target);

        assertThat(dialer.attempts).hasSize(2);

        dialer.last().succeed();
        answer(dialer.last());
        assertThat(ended).last().isEqualTo(new Ended(second, DONE));
    }

    @Test
    void connection_unusedForTheIdleTime_isClosed() {
        CallbackCall.Dialed target = target();
        probe(target);
        dialer.last().succeed();
        answer(dialer.last());
        dialer.pass(IDLE - 1);
        recall(target);
        answer(dialer.last(), 0, 0, 1, 4, 0);

        dialer.pass(1);
        assertThat(dialer.last().closed()).as("used in the meantime").isFalse();

        dialer.pass(IDLE);
        assertThat(dialer.last().closed()).isTrue();
        assertThat(dialer.attempts).hasSize(1);
        assertThat(dialer.waiting()).isZero();
    }

    @Test
    void connectionsOfOneHost_atTheirLimit_giveUpAnIdleOneOrRefuse() {
        for (int i = 0; i < DialedConnections.MAX_CONNECTIONS_PER_HOST; i++) {
            probe(target("10.9.0.2", 1000 + i));
            dialer.last().succeed();
        }
        CallbackCall refused = probe(target("10.9.0.2", 2000));

        assertThat(ended).containsExactly(new Ended(refused, FAILED));
        assertThat(dialer.attempts).hasSize(DialedConnections.MAX_CONNECTIONS_PER_HOST);

        probe(target("10.9.0.3", 2000));
        assertThat(dialer.attempts).as("another host").hasSize(DialedConnections.MAX_CONNECTIONS_PER_HOST + 1);

        FakeDialer.Attempt idle = dialer.attempts.get(3);
        answer(idle);
        probe(target("10.9.0.2", 2001));
        assertThat(idle.closed()).isTrue();
        assertThat(dialer.last().remote.getPort()).isEqualTo(2001);
    }

    @Test
    void connectionsBeingMade_atTheirLimit_areRefusedUntilOneIsThere() {
        for (int i = 0; i < DialedConnections.MAX_CONNECTING; i++) {
            probe(target("10.9.1." + i, 1000));
        }
        CallbackCall refused = probe(target("10.9.2.1", 1000));

        assertThat(ended).containsExactly(new Ended(refused, FAILED));

        dialer.attempts.getFirst().fail();
        probe(target("10.9.2.1", 1000));
        assertThat(dialer.attempts).hasSize(DialedConnections.MAX_CONNECTING + 1);
    }

    @Test
    void connectionsOfAll_atTheirLimit_giveUpTheOneIdleForLongest() {
        List<CallbackCall.Dialed> targets = new ArrayList<>();
        for (int i = 0; i < DialedConnections.MAX_CONNECTIONS; i++) {
            targets.add(target("10.9." + i / 8 + "." + i % 8, 1000));
            probe(targets.getLast());
            dialer.last().succeed();
            answer(dialer.last());
        }
        probe(targets.getFirst());
        answer(dialer.attempts.getFirst());
        probe(target("10.10.0.1", 1000));

        assertThat(dialer.attempts.get(0).closed()).as("used again").isFalse();
        assertThat(dialer.attempts.get(1).closed()).isTrue();
        assertThat(dialer.open()).isEqualTo(DialedConnections.MAX_CONNECTIONS);
    }

    @Test
    void close_closesEveryConnectionAndMakesNoMore() {
        CallbackCall.Dialed idle = target();
        probe(idle);
        dialer.last().succeed();
        answer(dialer.last());
        CallbackCall connecting = probe(target());

        client.close();
        assertThat(dialer.attempts.getFirst().closed()).isTrue();
        assertThat(ended).last().isEqualTo(new Ended(connecting, FAILED));

        dialer.last().succeed();
        assertThat(dialer.last().closed()).isTrue();

        CallbackCall late = probe(idle);
        assertThat(ended).last().isEqualTo(new Ended(late, FAILED));
        assertThat(dialer.attempts).hasSize(2);
    }

    @Test
    void noDialer_everyCallFails() {
        List<CallbackOutcome> outcomes = new ArrayList<>();
        try (CallbackClient undialed = new CallbackClient(CallbackDialer.NONE, (_, outcome) -> outcomes.add(outcome))) {
            undialed.send(new CallbackCall.Null(target()));
        }

        assertThat(outcomes).containsExactly(FAILED);
    }
}
