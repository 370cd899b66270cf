package org.warpnfs.nfs.v4.state.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Opaque;

class BoundPathsTest {
    private static final int PROGRAM = 0x4000_0000;
    private static final CallbackCredential.Plain PLAIN = new CallbackCredential.None();
    private static final int MANY = 8;

    private final List<CallbackCall> sent = new ArrayList<>();
    private final Object first = new Object();
    private final Object second = new Object();
    private final ClearContext firstContext = new ClearContext();
    private final ClearContext secondContext = new ClearContext();
    private final CallbackCredential.Gss firstOffered = gss(firstContext, 1);
    private final CallbackCredential.Gss secondOffered = gss(secondContext, 2);

    private static CallbackCredential.Gss gss(ClearContext context, int handle) {
        return new CallbackCredential.Gss(1, Opaque.of(new byte[] {(byte) handle}), context);
    }

    private BoundPaths offering(CallbackCredential.Gss... contexts) {
        return new BoundPaths(PROGRAM, new OfferedCredentials(List.of(contexts), PLAIN), sent::add);
    }

    private CallbackCall.Null nextProbe() {
        return (CallbackCall.Null) sent.removeFirst();
    }

    private static CallbackCall.Bound targetOf(CallbackCall.Null probe) {
        return (CallbackCall.Bound) probe.target();
    }

    private void bringUp(BoundPaths paths, Object connection) {
        assertThat(paths.bind(connection, MANY)).isTrue();
        paths.probe(0, connection);
        assertThat(paths.probed(0, nextProbe(), true)).isTrue();
    }

    @Test
    void backchannelCtl_everyConnection_isTestedWithTheNewCredential() {
        BoundPaths paths = offering(firstOffered);
        bringUp(paths, first);
        bringUp(paths, second);

        paths.change(PROGRAM + 1, new OfferedCredentials(List.of(secondOffered), null));
        assertThat(sent).as("before the reply").isEmpty();
        assertThat(paths.up()).isNull();
        paths.probeChanged(1);

        List<CallbackCall.Bound> tested = List.of(targetOf(nextProbe()), targetOf(nextProbe()));
        assertThat(tested).extracting(CallbackCall.Bound::connection).containsExactly(first, second);
        assertThat(tested).extracting(CallbackCall.Bound::program).containsOnly(PROGRAM + 1);
        assertThat(tested).extracting(CallbackCall.Bound::credential).containsOnly(secondOffered);
        assertThat(sent).isEmpty();
    }

    /** The client need not understand a callback before it knows of the binding. */
    @Test
    void backchannelCtl_connectionWhoseBindingIsNotAnswered_waitsForThat() {
        BoundPaths paths = offering(firstOffered);
        assertThat(paths.bind(first, MANY)).isTrue();
        paths.change(PROGRAM, new OfferedCredentials(List.of(secondOffered), null));

        paths.probeChanged(1);
        assertThat(sent).isEmpty();
        paths.probe(2, first);

        assertThat(targetOf(nextProbe()).credential()).isEqualTo(secondOffered);
    }

    @Test
    void contextThatIsRefused_next_isTriedAtOnce() {
        BoundPaths paths = offering(firstOffered, secondOffered);
        assertThat(paths.bind(first, MANY)).isTrue();
        paths.probe(0, first);
        CallbackCall.Null refused = nextProbe();

        firstContext.refused();
        assertThat(paths.probed(1, refused, false)).isFalse();

        CallbackCall.Null next = nextProbe();
        assertThat(targetOf(next).credential()).isEqualTo(secondOffered);
        assertThat(paths.isDown()).isFalse();
        assertThat(paths.probed(2, next, true)).isTrue();
        assertThat(Objects.requireNonNull(paths.up()).credential()).isEqualTo(secondOffered);
    }

    /** A refusal can be forged, so it leads to no call without keys. */
    @Test
    void lastContextIsRefused_connection_isDown() {
        BoundPaths paths = offering(firstOffered);
        bringUp(paths, first);
        CallbackCall.Bound up = Objects.requireNonNull(paths.up());

        firstContext.refused();
        paths.failed(1, up);

        assertThat(sent).isEmpty();
        assertThat(paths.isDown()).isTrue();
    }

    @Test
    void manyCallsFailWithARefusedContext_oneTest_follows() {
        BoundPaths paths = offering(firstOffered, secondOffered);
        bringUp(paths, first);
        CallbackCall.Bound up = Objects.requireNonNull(paths.up());

        firstContext.refused();
        paths.failed(1, up);
        paths.failed(1, up);

        CallbackCall.Null next = nextProbe();
        assertThat(sent).isEmpty();
        assertThat(paths.probed(2, next, true)).isTrue();
    }

    @Test
    void callFailsLate_connectionThatWasRenewed_staysUp() {
        BoundPaths paths = offering(firstOffered);
        bringUp(paths, first);
        CallbackCall.Bound old = Objects.requireNonNull(paths.up());
        paths.change(PROGRAM, new OfferedCredentials(List.of(secondOffered), null));

        paths.failed(1, old);
        paths.probeChanged(2);
        CallbackCall.Null probe = nextProbe();
        paths.failed(3, old);
        assertThat(paths.probed(4, probe, true)).isTrue();
        paths.failed(5, old);

        assertThat(paths.up()).isNotNull();
        assertThat(paths.isDown()).isFalse();
    }

    @Test
    void callFailsLate_connectionThatWasBoundAgain_isTestedAllTheSame() {
        BoundPaths paths = offering(firstOffered);
        bringUp(paths, first);
        CallbackCall.Bound old = Objects.requireNonNull(paths.up());
        paths.failed(1, old);
        assertThat(paths.isDown()).isTrue();

        assertThat(paths.bind(first, MANY)).isTrue();
        paths.failed(2, old);
        paths.probe(3, first);

        assertThat(paths.probed(4, nextProbe(), true)).isTrue();
    }

    @Test
    void probeIsAnsweredLate_connectionThatWasRenewed_isNotUpByIt() {
        BoundPaths paths = offering(firstOffered);
        assertThat(paths.bind(first, MANY)).isTrue();
        paths.probe(0, first);
        CallbackCall.Null old = nextProbe();
        paths.change(PROGRAM, new OfferedCredentials(List.of(secondOffered), null));

        assertThat(paths.probed(1, old, true)).isFalse();

        assertThat(paths.up()).isNull();
    }
}
