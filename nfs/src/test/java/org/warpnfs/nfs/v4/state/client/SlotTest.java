package org.warpnfs.nfs.v4.state.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.StateTable;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.recovery.VolatileRecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** One slot over the whole range of its sequence ids. */
class SlotTest {
    private static final long NOW = 1;
    private static final int MAX_COLLECTIONS = 1000;
    private static final long LEASE = TimeUnit.SECONDS.toNanos(90);
    private static final Principal ROOT = new Principal(1, 0);
    private static final ChannelAttributes CHANNEL = new ChannelAttributes(4096, 4096, 4096, 8, 8);
    private static final CallbackParameters NO_CALLBACKS =
            new CallbackParameters(false, 0, new OfferedCredentials(List.of(), null), CHANNEL, 1);

    private final StateTable table =
            new StateTable(StateLimits.forIoOf(1 << 20), LEASE, LEASE, new VolatileRecoveryLog(), _ -> {}, NOW);

    @AfterEach
    void close() {
        table.close();
    }

    private static SequenceRequest request(SessionId session, int seqid) {
        return new SequenceRequest(session, seqid, 0, 0, 2, false, 92, 42, ROOT, new Object());
    }

    private SessionId session() throws Nfs4Exception {
        ExchangedId id = table.sessions()
                .exchangeId(NOW, Opaque.of(new byte[] {1}), 1, new Sender(ROOT, ClientAddress.NONE), false);
        return table.sessions()
                .createSession(NOW, ROOT, id.clientId(), id.sequence(), CHANNEL, NO_CALLBACKS, new Object())
                .id();
    }

    private SequenceOutcome.Execute begin(SessionId session, int seqid) throws Nfs4Exception {
        return (SequenceOutcome.Execute) table.sessions().beginSequence(NOW, request(session, seqid));
    }

    @Test
    void slot_seqidWraps_goesOn() throws Nfs4Exception {
        SessionId session = session();
        SequenceOutcome.Execute first = begin(session, 1);
        first.slot().latest.set(-1);
        table.sessions().endSequence(NOW, first, null);

        assertThat(table.sessions().beginSequence(NOW, request(session, 0)))
                .isInstanceOf(SequenceOutcome.Execute.class);
    }

    /** What a delegation knows of the request that it was granted to, and the session without which it does so. */
    private record Granted(ReferringCall referring, WeakReference<Session> session) {}

    private Granted granted(SessionId id) throws Nfs4Exception {
        SequenceOutcome.Execute request = begin(id, 1);
        table.sessions().endSequence(NOW, request, null);
        return new Granted(request.slot().referring(), new WeakReference<>(request.session()));
    }

    @Test
    void session_ends_nothingThatWasGrantedInItKeepsItAlive() throws Exception {
        SessionId id = session();
        Granted granted = granted(id);
        assertThat(granted.referring().mayBeUnanswered()).isTrue();

        table.sessions().destroySession(id);
        for (int tries = 0; tries < MAX_COLLECTIONS && granted.session().get() != null; tries++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(granted.session().get()).isNull();
        assertThat(granted.referring().mayBeUnanswered()).isFalse();
    }
}
