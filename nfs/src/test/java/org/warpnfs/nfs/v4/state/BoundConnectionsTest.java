package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.SessionStates.Directions;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.core.MachineCredential;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** On which connections a session may be used (RFC 8881, sections 2.10.3.1 and 18.46.3). */
class BoundConnectionsTest {
    private static final Directions FORE = new Directions(true, false);

    private static final StateLimits LIMIT_OF_64 = StateLimits.forIoOf(1 << 20);

    private final Object first = new Object();
    private final StateTable table = SmallState.table(LIMIT_OF_64, _ -> {}, 1);
    private final SessionClients clients = new SessionClients(table, () -> 1);

    private SessionId session(boolean isProtected) throws Nfs4Exception {
        ExchangedId id = clients.exchangeId("a");
        if (isProtected) {
            table.sessions().protect(id, new MachineCredential(new BitSet(), new BitSet()));
        }
        return clients.createSession(id, first);
    }

    private Nfs4Status sent(SessionId session, int seqid, Object connection) {
        return statusOf(() -> clients.run(SessionClients.request(session, 0, seqid, false, connection), null));
    }

    @Test
    void sessionOfAMachineCredential_onAConnectionThatWasNotBound_isRefused() throws Nfs4Exception {
        SessionId session = session(true);
        Object other = new Object();
        assertThat(sent(session, 1, first)).as("where it was created").isEqualTo(Nfs4Status.OK);

        assertThat(sent(session, 2, other)).isEqualTo(Nfs4Status.CONN_NOT_BOUND_TO_SESSION);

        table.sessions().bindConnection(session, other, FORE);
        assertThat(sent(session, 2, other)).as("the same request, once bound").isEqualTo(Nfs4Status.OK);
    }

    @Test
    void sessionOfAMachineCredential_afterItsConnectionEnded_hasToBeBoundAgain() throws Nfs4Exception {
        SessionId session = session(true);
        table.sessions().connectionClosed(first);

        assertThat(sent(session, 1, first)).isEqualTo(Nfs4Status.CONN_NOT_BOUND_TO_SESSION);
    }

    @Test
    void sessionOfAMachineCredential_withItsLimitOfConnections_bindsNoMore() throws Nfs4Exception {
        SessionId session = session(true);
        for (int i = 1; i < LIMIT_OF_64.maxConnectionsPerSession(); i++) {
            table.sessions().bindConnection(session, new Object(), FORE);
        }

        assertThat(statusOf(() -> table.sessions().bindConnection(session, new Object(), FORE)))
                .isEqualTo(Nfs4Status.DELAY);
    }

    @Test
    void sessionWithoutAMachineCredential_isUsedOnAnyConnection() throws Nfs4Exception {
        assertThat(sent(session(false), 1, new Object())).isEqualTo(Nfs4Status.OK);
    }
}
