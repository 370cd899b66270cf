package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.LIMITS;
import static org.warpnfs.nfs.v4.state.SmallState.ROOT;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Protection;
import org.warpnfs.limits.SecuredPeer.Security;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.recovery.FakeRecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** Who may take the name of a client that registered on a protected connection. */
class ProtectedNamesTest {
    private static final Security TLS = new Security(Protection.TLS, List.of());
    private static final Security OWN = new Security(Protection.MUTUAL_TLS, List.of("a.example", "a"));
    private static final Security RENEWED = new Security(Protection.MUTUAL_TLS, List.of("a.example", "alias.example"));
    private static final Security OTHER = new Security(Protection.MUTUAL_TLS, List.of("b.example"));

    private long now = 1;
    private final StateTable table = SmallState.table(LIMITS, _ -> {}, now);
    private final SessionClients clients = new SessionClients(table, () -> now);

    private ExchangedId introduce(long verifier, Security security) throws Nfs4Exception {
        Sender sender = new Sender(ROOT, ClientAddress.NONE, security);
        return table.sessions().exchangeId(now, opaque("a"), verifier, sender, false);
    }

    private void openWith(Security security) throws Nfs4Exception {
        Client client = clients.client(clients.createSession(introduce(1, security)), 1);
        table.sessions().reclaimComplete(client);
        clients.open(client, 1, OpenRequest.BOTH);
    }

    private Nfs4Status restarted(Security security) {
        return statusOf(() -> introduce(2, security));
    }

    @Test
    void restart_onALessProtectedConnection_endsNoStateWhileTheLeaseLives() throws Nfs4Exception {
        openWith(OWN);
        assertThat(restarted(Security.CLEAR)).isEqualTo(Nfs4Status.CLID_INUSE);
        assertThat(restarted(TLS)).isEqualTo(Nfs4Status.CLID_INUSE);
        assertThat(restarted(OTHER)).isEqualTo(Nfs4Status.CLID_INUSE);
        assertThat(restarted(RENEWED)).isEqualTo(Nfs4Status.OK);
        now += 2 * LEASE;
        assertThat(restarted(Security.CLEAR)).as("its lease ran out").isEqualTo(Nfs4Status.OK);
    }

    @Test
    void secondMount_inClear_isTheSameClient() throws Nfs4Exception {
        openWith(TLS);
        assertThat(introduce(1, Security.CLEAR).confirmed()).isTrue();
        assertThat(restarted(Security.CLEAR)).isEqualTo(Nfs4Status.CLID_INUSE);
    }

    @Test
    void restart_inClear_ofAClientInClear_isAsEver() throws Nfs4Exception {
        openWith(Security.CLEAR);
        assertThat(restarted(Security.CLEAR)).isEqualTo(Nfs4Status.OK);
        assertThat(restarted(OWN)).isEqualTo(Nfs4Status.OK);
    }

    /** What a reclaim in {@code after} gets if the server restarts while a client has a file open in {@code before}. */
    private static Nfs4Status reclaimed(Security before, Security after) throws Nfs4Exception {
        FakeRecoveryLog log = new FakeRecoveryLog();
        openIn(tableOf(log), before, false);
        StateTable restarted = tableOf(log);
        return statusOf(() -> openIn(restarted, after, true));
    }

    private static StateTable tableOf(FakeRecoveryLog log) {
        return new StateTable(LIMITS, LEASE, LEASE, log, _ -> {}, Runnable::run, 1);
    }

    private static void openIn(StateTable table, Security security, boolean reclaim) throws Nfs4Exception {
        SessionClients clients = new SessionClients(table, () -> 1);
        Sender sender = new Sender(ROOT, ClientAddress.NONE, security);
        ExchangedId id = table.sessions().exchangeId(1, opaque("a"), 1, sender, false);
        Client client = clients.client(clients.createSession(id), 1);
        if (!reclaim) {
            table.sessions().reclaimComplete(client);
        }
        clients.open(new OpenRequest(client, opaque("o"), file(1), OpenRequest.BOTH, 0, reclaim), new NoFile());
    }

    @Test
    void serverRestart_reclaimOnALessProtectedConnection_isBad() throws Nfs4Exception {
        assertThat(reclaimed(OWN, Security.CLEAR)).isEqualTo(Nfs4Status.RECLAIM_BAD);
        assertThat(reclaimed(OWN, TLS)).isEqualTo(Nfs4Status.RECLAIM_BAD);
        assertThat(reclaimed(OWN, OTHER)).isEqualTo(Nfs4Status.RECLAIM_BAD);
        assertThat(reclaimed(TLS, Security.CLEAR)).isEqualTo(Nfs4Status.RECLAIM_BAD);
        assertThat(reclaimed(OWN, RENEWED)).isEqualTo(Nfs4Status.OK);
        assertThat(reclaimed(TLS, TLS)).isEqualTo(Nfs4Status.OK);
        assertThat(reclaimed(TLS, OWN)).as("better than before").isEqualTo(Nfs4Status.OK);
        assertThat(reclaimed(Security.CLEAR, Security.CLEAR)).isEqualTo(Nfs4Status.OK);
        assertThat(reclaimed(Security.CLEAR, OWN)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void serverRestart_recordOfAnEarlierBuild_isForItsNameAndForNoOtherThatLooksLikeARecord() throws Nfs4Exception {
        StateTable named = tableOf(new FakeRecoveryLog(opaque("a")));
        assertThat(statusOf(() -> openIn(named, Security.CLEAR, true))).isEqualTo(Nfs4Status.OK);

        FakeRecoveryLog log = new FakeRecoveryLog();
        openIn(tableOf(log), OWN, false);
        Opaque record = log.reclaimers().iterator().next();
        StateTable restarted = tableOf(log);
        SessionClients clients = new SessionClients(restarted, () -> 1);
        ExchangedId id = restarted.sessions().exchangeId(1, record, 1, new Sender(ROOT, ClientAddress.NONE), false);
        Client client = clients.client(clients.createSession(id), 1);
        assertThat(statusOf(() -> clients.open(
                        new OpenRequest(client, opaque("o"), file(1), OpenRequest.BOTH, 0, true), new NoFile())))
                .isEqualTo(Nfs4Status.RECLAIM_BAD);
    }
}
