package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.NO_WISH;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.DelegationGrant;
import org.warpnfs.nfs.v4.state.file.DelegationWant;
import org.warpnfs.nfs.v4.state.file.LockRequest;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.OpenedFile;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Limits of the state of one session, open or client: behaviour at each limit and above it, and that refusals are
 * counted.
 */
class LimitsOfStateTest {
    /**
     * 2 sessions of a client, 3 connections of a session, 4 opens of a client, 2 lock-owners of an open, 8 delegations,
     * 10 leases of courtesy.
     */
    private static final StateLimits LIMITS =
            new StateLimits(16, 2, 16, 2, 4096, 65536, 65536, 8, 3, 4, 80, 2, 6, 160, 1 << 20, 8, 10);

    private static final ChannelAttributes CHANNEL = new ChannelAttributes(65536, 65536, 4096, 8, 4);
    private static final CallbackParameters CALLBACKS =
            new CallbackParameters(true, 0x4000_0000, OfferedCredentials.of(new CallbackCredential.None()), CHANNEL, 1);

    private long now = 1;
    private final List<CallbackCall> calls = new ArrayList<>();
    private final StateTable table = SmallState.table(LIMITS, calls::add, now);
    private final SessionClients clients = new SessionClients(table, () -> now, CHANNEL, CALLBACKS);

    /** A session on that connection, with a back channel that works. */
    private SessionId connect(String owner, Object connection) throws Nfs4Exception {
        ExchangedId id = clients.exchangeId(owner);
        SessionId session = clients.createSession(id, connection);
        table.callbacks().probe(now, connection);
        table.callbacks().answered(now, calls.removeLast(), new CallbackOutcome.Done());
        if (!id.confirmed()) {
            table.sessions().reclaimComplete(sequence(session, 1, connection));
        }
        return session;
    }

    private Client sequence(SessionId session, int seqid, Object connection) throws Nfs4Exception {
        return clients.run(SessionClients.request(session, 0, seqid, false, connection), null)
                .client();
    }

    private OpenedFile open(Client client, int name, DelegationWant wish) throws Nfs4Exception {
        OpenRequest request = new OpenRequest(client, opaque("o"), file(name), OpenRequest.READ, 0, false);
        return clients.open(request, wish, new NoFile());
    }

    private Stateid lock(Client client, Stateid open, String owner) throws Nfs4Exception {
        LockRequest request =
                new LockRequest(file(1), false, ByteRange.of(0, 1).orElseThrow(), false, open, opaque(owner));
        try {
            return table.locks().lock(now, client, request);
        } catch (FsException e) {
            throw new AssertionError("no backend has its locks", e);
        }
    }

    @Test
    void connectionsOfSession_beyondTheirNumber_areServedAndNotRemembered() throws Nfs4Exception {
        SessionId session = connect("a", "1");
        sequence(session, 2, "2");
        sequence(session, 3, "3");
        assertThat(table.counts().connectionsNotBound()).as("three").isZero();
        sequence(session, 4, "4");
        assertThat(table.counts().connectionsNotBound()).isEqualTo(1);

        SessionStates.Directions both = new SessionStates.Directions(true, true);
        assertThat(table.sessions().bindConnection(session, "2", both)).isEqualTo(both);
        assertThat(table.sessions().bindConnection(session, "3", both)).isEqualTo(both);
        assertThat(table.sessions().bindConnection(session, "4", both))
                .as("carries no callbacks")
                .isEqualTo(new SessionStates.Directions(true, false));
        assertThat(statusOf(
                        () -> table.sessions().bindConnection(session, "4", new SessionStates.Directions(false, true))))
                .isEqualTo(Nfs4Status.INVAL);

        long before = table.counts().connectionsNotBound();
        table.sessions().connectionClosed("2");
        sequence(session, 5, "4");
        assertThat(table.sessions().bindConnection(session, "4", both))
                .as("in the place of one that has gone")
                .isEqualTo(both);
        assertThat(table.counts().connectionsNotBound()).isEqualTo(before);
    }

    @Test
    void lockOwnersOfOpen_beyondTheirNumber_areRefusedUntilOneIsFreed() throws Nfs4Exception {
        Client client = sequence(connect("a", "1"), 2, "1");
        Stateid open = open(client, 1, NO_WISH).stateid();
        Stateid first = lock(client, open, "first");
        lock(client, open, "second");

        assertThat(table.counts().refused()).as("two").isZero();
        assertThat(statusOf(() -> lock(client, open, "third"))).isEqualTo(Nfs4Status.SERVERFAULT);
        assertThat(table.counts().refused()).isEqualTo(1);

        lock(client, open, "second");
        Stateid unlocked =
                table.locks().unlock(client, file(1), first, ByteRange.of(0, 1).orElseThrow());
        table.stateids().freeStateid(client, unlocked);
        lock(client, open, "third");
    }

    @Test
    void opensAndSessionsOfClient_beyondTheirNumber_areRefusedAndCounted() throws Nfs4Exception {
        Client client = sequence(connect("a", "1"), 2, "1");
        for (int i = 0; i < LIMITS.maxOpensPerClient(); i++) {
            open(client, i, NO_WISH);
        }

        connect("a", "2");

        assertThat(table.counts().refused()).isZero();
        assertThat(statusOf(() -> open(client, 99, NO_WISH))).isEqualTo(Nfs4Status.SERVERFAULT);
        assertThat(table.counts().refused()).isEqualTo(1);
        assertThat(statusOf(() -> connect("a", "3"))).isEqualTo(Nfs4Status.NOSPC);
        assertThat(table.counts().refused()).isEqualTo(2);
    }

    @Test
    void delegations_beyondTheShareOfAnAddress_areNotGrantedAndTheFileIsOpenAllTheSame() throws Nfs4Exception {
        DelegationWant wish = new DelegationWant(DelegationWant.Kind.ANY, Opaque.of(new byte[8]));
        List<Client> two = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            two.add(sequence(connect("client " + i, "" + i), 2, "" + i));
        }
        int share = LIMITS.maxDelegations() / 2;
        for (int i = 0; i < share; i++) {
            assertThat(open(two.get(i % 2), i, wish).delegation()).isInstanceOf(DelegationGrant.Read.class);
        }

        assertThat(table.counts().delegations()).isEqualTo(share);
        assertThat(table.counts().refused()).isZero();
        assertThat(open(two.getFirst(), share, wish).delegation())
                .isEqualTo(new DelegationGrant.None(DelegationGrant.Why.RESOURCE));
        assertThat(table.counts().refused()).isEqualTo(1);
        assertThat(table.counts().opens()).isEqualTo(share + 1);
    }

    @Test
    void courtesy_silentClient_isKeptUntilItsLastLeaseEnds() throws Nfs4Exception {
        open(sequence(connect("silent", "1"), 2, "1"), 1, NO_WISH);
        now += LIMITS.courtesyLeases() * LEASE;

        connect("other", "2");
        assertThat(table.counts().clients()).as("at its end").isEqualTo(2);
        assertThat(table.counts().clientsExpired()).isZero();

        now += LEASE / 2;
        connect("other", "2");
        assertThat(table.counts().clients()).as("beyond").isEqualTo(1);
        assertThat(table.counts().opens()).isZero();
        assertThat(table.counts().clientsExpired()).isEqualTo(1);
    }
}
