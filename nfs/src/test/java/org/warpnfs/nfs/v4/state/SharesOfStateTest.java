package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SessionClients.request;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.ROOT;
import static org.warpnfs.nfs.v4.state.SmallState.address;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.client.CachedReply;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** A client that makes the server keep as much state as it can shuts out nobody else, at the default limits. */
class SharesOfStateTest {
    private static final ChannelAttributes LINUX = new ChannelAttributes(1 << 21, 1 << 21, 7584, 64, 64);
    private static final StateLimits LIMITS = StateLimits.forIoOf(1 << 20);
    private static final ClientAddress HOSTILE = address(1);
    private static final ClientAddress HONEST = address(2);

    private long now = 1;
    private final StateTable table = SmallState.table(LIMITS, _ -> {}, now);
    private final SessionClients clients = new SessionClients(table, () -> now, LINUX);

    /** Runs one request from its begin to its end. */
    private Session sequence(SessionId session, int slot, int seqid, boolean cacheThis, int replyBytes)
            throws Nfs4Exception {
        CachedReply reply = cacheThis ? new CachedReply(new byte[replyBytes]) : null;
        return clients.run(request(session, slot, seqid, cacheThis), reply);
    }

    /** Makes a new client of that address. */
    private Client client(String owner, ClientAddress address) throws Nfs4Exception {
        return clients.client(clients.connect(owner, address), 2);
    }

    private Stateid open(Client client, int name) throws Nfs4Exception {
        OpenRequest request = new OpenRequest(client, opaque("o" + name), file(name), OpenRequest.BOTH, 0, false);
        return clients.open(request, new NoFile());
    }

    @Test
    void sessions_fourThousand_haveTheirSlotsAndKeepTheirReplies() throws Nfs4Exception {
        List<SessionId> sessions = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            sessions.add(clients.connect("client " + i, HONEST));
        }
        for (SessionId id : sessions) {
            Session session = sequence(id, 0, 2, true, 4096);
            assertThat(session.slotCount()).isEqualTo(64);
            sequence(id, 1, 1, true, 300);
        }

        assertThat(table.counts().sessions()).isEqualTo(4000);

        for (SessionId id : sessions) {
            for (int slot = 0; slot <= 1; slot++) {
                assertThat(clients.begin(request(id, slot, slot == 0 ? 2 : 1, true)))
                        .isInstanceOf(SequenceOutcome.Replay.class);
            }
        }
        assertThat(statusOf(() -> clients.connect("somebody else", HOSTILE))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void clients_floodOfOneAddress_leavesRoomForOthers() throws Nfs4Exception {
        for (int i = 0; i < 3 * LIMITS.maxClients(); i++) {
            clients.exchangeId("flood " + i, 1, HOSTILE);
        }
        for (int i = 0; i < 3 * LIMITS.maxClients(); i++) {
            table.clientids().setClientid(now, opaque("old flood " + i), 1, new Sender(ROOT, HOSTILE), null);
        }

        assertThat(table.counts().clients()).isEqualTo(LIMITS.maxClients() / 2);

        SessionId honest = clients.connect("honest", HONEST);
        for (int i = 0; i < LIMITS.maxClients(); i++) {
            clients.exchangeId("flood " + i, 1, HOSTILE);
        }
        sequence(honest, 0, 2, false, 0);
    }

    @Test
    void clients_confirmedUpToTheShare_endWithAnErrorAndOthersGetIn() throws Nfs4Exception {
        int share = LIMITS.maxClients() / 2;
        for (int i = 0; i < share; i++) {
            open(client("hog " + i, HOSTILE), i % 100);
        }

        assertThat(statusOf(() -> clients.exchangeId("one more", 1, HOSTILE))).isEqualTo(Nfs4Status.SERVERFAULT);
        assertThat(statusOf(() ->
                        table.clientids().setClientid(now, opaque("one more"), 1, new Sender(ROOT, HOSTILE), null)))
                .isEqualTo(Nfs4Status.RESOURCE);

        clients.connect("honest", HONEST);
        now += LEASE + 1;
        SessionId later = clients.connect("one more", HOSTILE);
        sequence(later, 0, 2, false, 0);
    }

    @Test
    void clients_tableFull_theAddressWithMostGivesUpWhatNobodyMisses() throws Nfs4Exception {
        StateLimits few = SmallState.LIMITS;
        StateTable small = SmallState.table(few, _ -> {}, now);
        SessionClients itsClients = new SessionClients(small, () -> now, LINUX);
        for (int i = 0; i < 3; i++) {
            itsClients.exchangeId("a" + i, 1, HOSTILE);
        }
        ExchangedId honest = itsClients.exchangeId("b", 1, HONEST);
        itsClients.exchangeId("c", 1, address(3));
        itsClients.exchangeId("d", 1, address(4));

        assertThat(small.counts().clients()).isEqualTo(few.maxClients());

        itsClients.exchangeId("e", 1, address(5));
        assertThat(small.counts().clients()).isEqualTo(few.maxClients());

        itsClients.createSession(honest);
    }

    @Test
    void opens_hoardedByOneAddress_leaveRoomForOthers() throws Nfs4Exception {
        int share = LIMITS.maxOpens() / 2;
        int hogs = share / LIMITS.maxOpensPerClient();
        for (int i = 0; i < hogs; i++) {
            Client hog = client("hog " + i, HOSTILE);
            for (int n = 0; n < LIMITS.maxOpensPerClient(); n++) {
                open(hog, n);
            }
            assertThat(statusOf(() -> open(hog, -1))).as("of one client").isEqualTo(Nfs4Status.SERVERFAULT);
        }
        Client another = client("hog too", HOSTILE);

        assertThat(statusOf(() -> open(another, 1))).as("of one address").isEqualTo(Nfs4Status.SERVERFAULT);

        open(client("honest", HONEST), 1);
        assertThat(table.counts().opens()).isEqualTo(share + 1);
        assertThat(table.counts().refused()).isPositive();
    }

    @Test
    void locks_hoardedByOneAddress_leaveRoomForOthers() throws Nfs4Exception {
        int hogs = LIMITS.maxLocks() / 2 / LIMITS.maxLocksPerClient();
        for (int i = 0; i < hogs; i++) {
            Client hog = client("hog " + i, HOSTILE);
            Stateid open = open(hog, 1);
            assertThat(locksUntilRefused(hog, open, (long) i << 32))
                    .isGreaterThan(4096)
                    .isGreaterThanOrEqualTo(LIMITS.maxLocksPerClient() - 2);
            assertThat(statusOf(() -> clients.lock(hog, 1, open, "owner", 1L << 60)))
                    .isEqualTo(Nfs4Status.SERVERFAULT);
        }
        Client honest = client("honest", HONEST);
        clients.lock(honest, 1, open(honest, 1), "owner", 1L << 61);
    }

    private int locksUntilRefused(Client client, Stateid open, long base) {
        for (int held = 0; ; held++) {
            long offset = base + 2L * held;
            if (statusOf(() -> clients.lock(client, 1, open, "owner", offset)) != Nfs4Status.OK) {
                return held;
            }
        }
    }
}
