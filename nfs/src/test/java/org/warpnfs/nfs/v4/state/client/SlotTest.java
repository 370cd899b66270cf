package org.warpnfs.nfs.v4.state.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.StateTable;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
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

    @Test
    void slot_seqidWraps_goesOn() throws Nfs4Exception {
        ExchangedId id = table.sessions()
                .exchangeId(NOW, Opaque.of(new byte[] {1}), 1, new Sender(ROOT, ClientAddress.NONE), false);
        SessionId session = table.sessions()
                .createSession(NOW, ROOT, id.clientId(), id.sequence(), CHANNEL, NO_CALLBACKS, new Object())
                .id();
        SequenceOutcome.Execute first =
                (SequenceOutcome.Execute) table.sessions().beginSequence(NOW, request(session, 1));
        first.slot().seqid = -1;
        table.sessions().endSequence(NOW, first, null);

        assertThat(table.sessions().beginSequence(NOW, request(session, 0)))
                .isInstanceOf(SequenceOutcome.Execute.class);
    }
}
