package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SessionClients.request;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.LIMITS;
import static org.warpnfs.nfs.v4.state.SmallState.NO_WISH;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.client.CachedReply;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.SlotCounts;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.file.IoGrant;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.QuestionCounts;
import org.warpnfs.nfs.v4.state.file.RecallCounts;
import org.warpnfs.nfs.v4.state.file.SharedFile;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** The state of clients alone: time is a number, and files are names. */
class StateTableTest {

    private long now = Long.MAX_VALUE - 5; // a monotonic clock may wrap
    private final StateTable table = SmallState.table(LIMITS, _ -> {}, now);
    private final SessionClients clients = new SessionClients(table, () -> now);

    /** A client that has finished reclaiming. */
    private Client client(String owner) throws Nfs4Exception {
        return clients.client(clients.connect(owner), 2);
    }

    private Stateid open(Client client, int file) throws Nfs4Exception {
        OpenRequest request = new OpenRequest(client, opaque("o" + file), file(file), OpenRequest.BOTH, 0, false);
        return clients.open(request, new NoFile());
    }

    private Stateid lock(Client client, int file, Stateid open, long offset) throws Nfs4Exception {
        return clients.lock(client, file, open, "owner", offset);
    }

    @Test
    void slot_busy_delaysTheRetryAndRefusesTheNext() throws Nfs4Exception {
        SessionId session = clients.connect("a");
        SequenceOutcome first = clients.begin(request(session, 1, 1, false));

        assertThat(first).isInstanceOf(SequenceOutcome.Execute.class);
        assertThat(statusOf(() -> clients.begin(request(session, 1, 1, false)))).isEqualTo(Nfs4Status.DELAY);
        assertThat(statusOf(() -> clients.begin(request(session, 1, 2, false)))).isEqualTo(Nfs4Status.SEQ_MISORDERED);

        CachedReply reply = new CachedReply(new byte[4]);
        clients.end(first, reply);
        assertThat(clients.begin(request(session, 1, 1, false)))
                .isEqualTo(new SequenceOutcome.Replay(first.session(), reply));
        assertThat(clients.begin(request(session, 1, 2, false))).isInstanceOf(SequenceOutcome.Execute.class);
    }

    @Test
    void slots_areCountedAsGrantedAsBusyAndAsReplayed() throws Nfs4Exception {
        SessionId session = clients.connect("a");
        int granted = clients.run(request(session, 0, 2, false), null).slotCount();
        SequenceOutcome first = clients.begin(request(session, 1, 1, false));

        assertThat(table.counts().slots()).isEqualTo(new SlotCounts(granted, 1, 0));

        clients.end(first, new CachedReply(new byte[4]));
        clients.begin(request(session, 1, 1, false));
        assertThat(table.counts().slots()).isEqualTo(new SlotCounts(granted, 0, 1));

        table.sessions().destroySession(session);
        assertThat(table.counts().slots()).isEqualTo(new SlotCounts(0, 0, 1));
    }

    @Test
    void client_withARequestUnderWay_doesNotExpire() throws Nfs4Exception {
        SessionId session = clients.connect("a");
        SequenceOutcome execute = clients.begin(request(session, 1, 1, false));
        now += 100 * LEASE;
        clients.connect("b");
        clients.end(execute, null);

        assertThat(clients.begin(request(session, 1, 2, false))).isInstanceOf(SequenceOutcome.Execute.class);
    }

    @Test
    void clients_tooManyOfOneAddress_halfMadeOnesGoFirstThenOthersAreRefused() throws Nfs4Exception {
        clients.connect("a");
        clients.connect("b");
        clients.exchangeId("half");

        SessionId third = clients.connect("c");
        assertThat(table.counts().clients()).isEqualTo(3);
        assertThat(statusOf(() -> clients.connect("d"))).isEqualTo(Nfs4Status.SERVERFAULT);

        now += LEASE - 1;
        clients.end(clients.begin(request(third, 1, 1, false)), null);
        now += 2;
        clients.connect("d");

        assertThat(table.counts().clients()).isBetween(2, 3);
    }

    @Test
    void sessions_tooMany_areRefused() throws Nfs4Exception {
        clients.connect("a");
        clients.connect("a");

        assertThat(statusOf(() -> clients.connect("a"))).isEqualTo(Nfs4Status.NOSPC);

        clients.connect("b");
        clients.connect("b");
        assertThat(statusOf(() -> clients.connect("c"))).as("of one address").isEqualTo(Nfs4Status.NOSPC);
    }

    @Test
    void opens_tooMany_areRefusedAndTheirFilesClosed() throws Nfs4Exception {
        Client a = client("a");
        Client b = client("b");
        for (int i = 0; i < 3; i++) {
            open(a, i);
        }
        NoFile refused = new NoFile();
        OpenRequest request = new OpenRequest(a, opaque("o"), file(9), 1, 0, false);

        assertThat(statusOf(() -> table.opens().open(now, request, NO_WISH, new SharedFile(refused), null)))
                .isEqualTo(Nfs4Status.SERVERFAULT);
        assertThat(refused.closed).isTrue();

        open(b, 5);
        assertThat(statusOf(() -> open(b, 6))).as("of one address").isEqualTo(Nfs4Status.SERVERFAULT);
    }

    @Test
    void locks_tooMany_areRefusedAndCountedBackOnClose() throws Nfs4Exception {
        Client a = client("a");
        Stateid first = open(a, 1);
        Stateid second = open(a, 2);
        for (int i = 0; i < 5; i++) {
            lock(a, 1, first, i * 10L);
        }

        assertThat(statusOf(() -> lock(a, 2, second, 0))).as("of one client").isEqualTo(Nfs4Status.SERVERFAULT);

        Client b = client("b");
        Stateid third = open(b, 3);
        lock(b, 3, third, 0);
        lock(b, 3, third, 10);
        lock(b, 3, third, 20);

        assertThat(statusOf(() -> lock(b, 3, third, 30))).as("of one address").isEqualTo(Nfs4Status.SERVERFAULT);
        assertThat(table.counts().locks()).isEqualTo(8);

        table.opens().close(a, file(1), first);
        assertThat(table.counts().locks()).isEqualTo(3);

        lock(b, 3, third, 30);
        table.opens().close(b, file(3), third);
        table.opens().close(a, file(2), second);
        assertThat(table.counts())
                .isEqualTo(new StateTable.Counts(
                        2,
                        2,
                        table.counts().slots(),
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        table.counts().connectionsNotBound(),
                        0,
                        table.counts().refused(),
                        new RecallCounts(0, 0, 0, 0),
                        new QuestionCounts(0, 0)));
    }

    @Test
    void close_whileTheFileIsRead_closesItAfterwards() throws Nfs4Exception {
        Client a = client("a");
        NoFile file = new NoFile();
        OpenRequest request = new OpenRequest(a, opaque("o"), file(1), 1, 0, false);
        Stateid stateid = table.opens()
                .open(now, request, NO_WISH, new SharedFile(file), null)
                .stateid();
        IoGrant grant = table.stateids().grantRead(now, a, file(1), stateid);

        table.opens().close(a, file(1), stateid);
        assertThat(file.closed).isFalse();

        grant.close();
        assertThat(file.closed).isTrue();
    }

    @Test
    void stateid_ofAnotherClientFileOrInstance_isBad() throws Nfs4Exception {
        Client a = client("a");
        Client b = client("b");

        Stateid mine = open(a, 1);

        assertThat(table.stateids().testStateid(a, mine)).isEqualTo(Nfs4Status.OK);
        assertThat(table.stateids().testStateid(b, mine)).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(table.stateids().testStateid(a, mine.withSeqid(2))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(table.stateids().testStateid(a, new Stateid(1, mine.instance() + 1, mine.number())))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(statusOf(() -> table.stateids().grantRead(now, a, file(2), mine)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(table.stateids().testStateid(a, Stateid.ANONYMOUS)).isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void createSession_aLeaseAfterExchangeId_staleClientid() throws Nfs4Exception {
        ExchangedId id = clients.exchangeId("a");
        now += LEASE + 1;

        assertThat(statusOf(() -> clients.createSession(id))).isEqualTo(Nfs4Status.STALE_CLIENTID);

        clients.connect("a");
    }

    @Test
    void client_beforeReclaimComplete_hasToWait() throws Nfs4Exception {
        ExchangedId id = clients.exchangeId("a");
        SessionId session = clients.createSession(id);
        Client client = clients.client(session, 1);

        assertThat(statusOf(() -> open(client, 1))).isEqualTo(Nfs4Status.GRACE);

        OpenRequest reclaim = new OpenRequest(client, opaque("o"), file(1), 1, 0, true);
        assertThat(statusOf(() -> table.opens().prepareOpen(now, reclaim))).isEqualTo(Nfs4Status.NO_GRACE);

        table.sessions().reclaimComplete(client);
        open(client, 1);
    }
}
