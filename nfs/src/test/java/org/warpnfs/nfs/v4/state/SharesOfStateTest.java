package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.NO_WISH;
import static org.warpnfs.nfs.v4.state.SmallState.ROOT;
import static org.warpnfs.nfs.v4.state.SmallState.address;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.client.CachedReply;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.SequenceRequest;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.ByteRange;
import org.warpnfs.nfs.v4.state.file.LockRequest;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.SharedFile;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Whoever makes the server remember as much as it can shuts nobody else out; at the limits the server comes with. */
class SharesOfStateTest {
    private static final ChannelAttributes LINUX = new ChannelAttributes(1 << 21, 1 << 21, 7584, 64, 64);
    private static final CallbackParameters NO_CALLBACKS = new CallbackParameters(false, 0, null, LINUX, 1);
    private static final StateLimits LIMITS = StateLimits.forIoOf(1 << 20);
    private static final int SLOTS = 64;
    private static final ClientAddress HOSTILE = address(1);
    private static final ClientAddress HONEST = address(2);

    private long now = 1;
    private final StateTable table = SmallState.table(LIMITS, _ -> {}, now);

    private SessionId connect(String owner, ClientAddress address) throws Nfs4Exception {
        ExchangedId id = table.sessions().exchangeId(now, opaque(owner), 1, ROOT, false, address);
        SessionId session = table.sessions()
                .createSession(now, ROOT, id.clientId(), id.sequence(), LINUX, NO_CALLBACKS, new Object())
                .id();
        if (!id.confirmed()) {
            Client client = sequence(session, 0, 1, false, 0).client();
            table.sessions().reclaimComplete(client);
        }
        return session;
    }

    /** One request from its begin to its end. */
    private Session sequence(SessionId session, int slot, int seqid, boolean cacheThis, int replyBytes)
            throws Nfs4Exception {
        SequenceOutcome.Execute execute = begin(session, slot, seqid, cacheThis);
        table.sessions().endSequence(now, execute, cacheThis ? new CachedReply(new byte[replyBytes]) : null);
        return execute.session();
    }

    private SequenceOutcome.Execute begin(SessionId session, int slot, int seqid, boolean cacheThis)
            throws Nfs4Exception {
        return (SequenceOutcome.Execute) table.sessions().beginSequence(now, request(session, slot, seqid, cacheThis));
    }

    private static SequenceRequest request(SessionId session, int slot, int seqid, boolean cacheThis) {
        return new SequenceRequest(session, seqid, slot, slot, 2, cacheThis, 42, ROOT, "connection");
    }

    private Stateid open(Client client, int name) throws Nfs4Exception {
        OpenRequest request = new OpenRequest(client, opaque("o" + name), file(name), OpenRequest.BOTH, 0, false);
        table.opens().prepareOpen(now, request);
        return table.opens()
                .open(now, request, NO_WISH, new SharedFile(new NoFile()), new SharedFile(new NoFile()))
                .stateid();
    }

    @Test
    void sessions_fourThousand_haveTheirSlotsAndKeepTheirReplies() throws Nfs4Exception {
        List<SessionId> sessions = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            sessions.add(connect("client " + i, HONEST));
        }
        for (SessionId id : sessions) {
            Session session = sequence(id, 0, 2, true, 4096);
            assertThat(session.slotCount()).isEqualTo(64);
            sequence(id, 1, 1, true, 300);
        }
        assertThat(table.counts().sessions()).isEqualTo(4000);
        for (SessionId id : sessions) {
            for (int slot = 0; slot <= 1; slot++) {
                assertThat(table.sessions().beginSequence(now, request(id, slot, slot == 0 ? 2 : 1, true)))
                        .isInstanceOf(SequenceOutcome.Replay.class);
            }
        }
        assertThat(statusOf(() -> connect("somebody else", HOSTILE))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void replies_budgetFull_nonePromisedIsForgottenAndFewerSlotsAreOffered() throws Nfs4Exception {
        Map<SessionId, Integer> hogs = new LinkedHashMap<>();
        int enough = (int) (LIMITS.maxReplyCacheBytes() / (SLOTS - 1) / LIMITS.maxCachedReplyBytes()) + 1;
        for (int i = 0; i < enough; i++) {
            SessionId hog = connect("hog " + i, HOSTILE);
            hogs.put(hog, keepAsManyAsItCan(hog));
        }
        assertThat(hogs.values())
                .as("the first keeps all, the last finds no room")
                .contains(SLOTS - 1, 0);
        assertThat(table.counts().keptReplyBytes())
                .isBetween(LIMITS.maxReplyCacheBytes() / 3, LIMITS.maxReplyCacheBytes() / 2);
        for (Map.Entry<SessionId, Integer> hog : hogs.entrySet()) {
            for (int slot = 1; slot <= hog.getValue(); slot++) {
                assertThat(table.sessions().beginSequence(now, request(hog.getKey(), slot, 1, true)))
                        .as("slot %d", slot)
                        .isInstanceOf(SequenceOutcome.Replay.class);
            }
            assertThat(sequence(hog.getKey(), 0, 2, true, LIMITS.maxCachedReplyBytes())
                            .targetSlotCount())
                    .as("its first slot has room, and is the only one it should use")
                    .isEqualTo(1);
        }

        SessionId honest = connect("honest", HONEST);
        for (int slot = 0; slot < 16; slot++) {
            sequence(honest, slot, slot == 0 ? 2 : 1, true, 500);
        }
        assertThat(sequence(honest, 0, 3, false, 0).targetSlotCount()).isEqualTo(SLOTS);
        for (int slot = 1; slot < 16; slot++) {
            assertThat(table.sessions().beginSequence(now, request(honest, slot, 1, true)))
                    .as("slot %d", slot)
                    .isInstanceOf(SequenceOutcome.Replay.class);
        }

        for (SessionId hog : hogs.keySet()) {
            table.sessions().destroySession(hog);
        }
        assertThat(table.counts().keptReplyBytes()).isLessThan(16 * 1024);
        SessionId again = connect("hog again", HOSTILE);
        assertThat(sequence(again, 0, 2, false, 0).targetSlotCount())
                .as("grown back")
                .isEqualTo(SLOTS);
    }

    /** From the second slot on; the number of those that were executed. */
    private int keepAsManyAsItCan(SessionId session) throws Nfs4Exception {
        for (int slot = 1; slot < SLOTS; slot++) {
            int each = slot;
            if (statusOf(() -> sequence(session, each, 1, true, LIMITS.maxCachedReplyBytes())) == Nfs4Status.DELAY) {
                return slot - 1;
            }
        }
        return SLOTS - 1;
    }

    private SessionId sessionOfACrowdedAddress() throws Nfs4Exception {
        SessionId session = connect("crowd", HOSTILE);
        for (int i = 0; keepAsManyAsItCan(session) == SLOTS - 1; i++) {
            session = connect("crowd " + i, HOSTILE);
        }
        return session;
    }

    @Test
    void replies_aRequestThatIsOlderThanTheyAre_doesNotSayThatTheyWereSeen() throws Nfs4Exception {
        SessionId session = connect("a", HOSTILE);
        sequence(session, 0, 2, false, 0);
        sequence(session, 5, 1, true, 100);
        sessionOfACrowdedAddress();
        // Sent when nothing else was outstanding, and overtaken by the request in slot 5.
        sequence(session, 0, 3, false, 0);
        assertThat(table.sessions().beginSequence(now, request(session, 5, 1, true)))
                .isInstanceOf(SequenceOutcome.Replay.class);
    }

    @Test
    void replies_requestsThatSayTheyWereSeen_giveTheirRoomBack() throws Nfs4Exception {
        SessionId session = connect("a", HOSTILE);
        keepAsManyAsItCan(session);
        sessionOfACrowdedAddress();
        long full = table.counts().keptReplyBytes();
        sequence(session, 0, 2, false, 0);
        assertThat(table.counts().keptReplyBytes())
                .as("for all we know it was sent before")
                .isEqualTo(full);
        sequence(session, 0, 3, false, 0);
        assertThat(table.counts().keptReplyBytes()).isLessThan(full - (SLOTS - 2L) * LIMITS.maxCachedReplyBytes());
    }

    @Test
    void replies_clientsWithoutALease_giveTheirRoomToThoseWhoNeedIt() throws Nfs4Exception {
        int clients = 0;
        SessionId last;
        do {
            last = connect("silent " + clients, HOSTILE);
            open(sequence(last, 0, 2, false, 0).client(), clients++);
        } while (keepAsManyAsItCan(last) == SLOTS - 1);
        SessionId full = last;
        assertThat(statusOf(() -> sequence(full, SLOTS - 1, 1, true, 100))).isEqualTo(Nfs4Status.DELAY);
        now += LEASE + 1;
        sequence(full, 0, 3, false, 0);
        assertThat(table.counts().clients()).as("courtesy").isEqualTo(clients);
        sequence(full, SLOTS - 1, 1, true, 100);
        assertThat(table.counts().clients()).isLessThan(clients);
    }

    @Test
    void replies_allReservedByWhatRuns_delaysOtherSlotsAndNeverTheFirst() throws Nfs4Exception {
        StateLimits tight = LIMITS.withReplyCacheBytes(4 * (LIMITS.maxCachedReplyBytes() + 64L));
        StateTable small = SmallState.table(tight, _ -> {}, now);
        ExchangedId id = small.sessions().exchangeId(now, opaque("a"), 1, ROOT, false, HONEST);
        SessionId session = small.sessions()
                .createSession(now, ROOT, id.clientId(), id.sequence(), LINUX, NO_CALLBACKS, new Object())
                .id();
        List<SequenceOutcome.Execute> running = new ArrayList<>();
        for (int slot = 1; slot <= 2; slot++) {
            running.add((SequenceOutcome.Execute) small.sessions().beginSequence(now, request(session, slot, 1, true)));
        }
        assertThat(statusOf(() -> small.sessions().beginSequence(now, request(session, 3, 1, true))))
                .isEqualTo(Nfs4Status.DELAY);
        assertThat(small.sessions().beginSequence(now, request(session, 4, 1, false)))
                .as("keeps nothing")
                .isInstanceOf(SequenceOutcome.Execute.class);
        assertThat(small.sessions().beginSequence(now, request(session, 0, 1, true)))
                .isInstanceOf(SequenceOutcome.Execute.class);
        running.forEach(each -> small.sessions().endSequence(now, each, new CachedReply(new byte[100])));
        assertThat(small.sessions().beginSequence(now, request(session, 3, 1, true)))
                .as("the same request again")
                .isInstanceOf(SequenceOutcome.Execute.class);
    }

    @Test
    void clients_floodOfOneAddress_leavesRoomForOthers() throws Nfs4Exception {
        for (int i = 0; i < 3 * LIMITS.maxClients(); i++) {
            table.sessions().exchangeId(now, opaque("flood " + i), 1, ROOT, false, HOSTILE);
        }
        for (int i = 0; i < 3 * LIMITS.maxClients(); i++) {
            table.clientids().setClientid(now, opaque("old flood " + i), 1, ROOT, null, HOSTILE);
        }
        assertThat(table.counts().clients()).isEqualTo(LIMITS.maxClients() / 2);
        SessionId honest = connect("honest", HONEST);
        for (int i = 0; i < LIMITS.maxClients(); i++) {
            table.sessions().exchangeId(now, opaque("flood " + i), 1, ROOT, false, HOSTILE);
        }
        sequence(honest, 0, 2, false, 0);
    }

    @Test
    void clients_confirmedUpToTheShare_endWithAnErrorAndOthersGetIn() throws Nfs4Exception {
        int share = LIMITS.maxClients() / 2;
        for (int i = 0; i < share; i++) {
            open(sequence(connect("hog " + i, HOSTILE), 0, 2, false, 0).client(), i % 100);
        }
        assertThat(statusOf(() -> table.sessions().exchangeId(now, opaque("one more"), 1, ROOT, false, HOSTILE)))
                .isEqualTo(Nfs4Status.SERVERFAULT);
        assertThat(statusOf(() -> table.clientids().setClientid(now, opaque("one more"), 1, ROOT, null, HOSTILE)))
                .isEqualTo(Nfs4Status.RESOURCE);
        connect("honest", HONEST);
        now += LEASE + 1;
        SessionId later = connect("one more", HOSTILE);
        sequence(later, 0, 2, false, 0);
    }

    @Test
    void clients_tableFull_theAddressWithMostGivesUpWhatNobodyMisses() throws Nfs4Exception {
        StateLimits few = SmallState.LIMITS;
        StateTable small = SmallState.table(few, _ -> {}, now);
        for (int i = 0; i < 3; i++) {
            small.sessions().exchangeId(now, opaque("a" + i), 1, ROOT, false, HOSTILE);
        }
        ExchangedId honest = small.sessions().exchangeId(now, opaque("b"), 1, ROOT, false, HONEST);
        small.sessions().exchangeId(now, opaque("c"), 1, ROOT, false, address(3));
        small.sessions().exchangeId(now, opaque("d"), 1, ROOT, false, address(4));
        assertThat(small.counts().clients()).isEqualTo(few.maxClients());
        small.sessions().exchangeId(now, opaque("e"), 1, ROOT, false, address(5));
        assertThat(small.counts().clients()).isEqualTo(few.maxClients());
        small.sessions()
                .createSession(now, ROOT, honest.clientId(), honest.sequence(), LINUX, NO_CALLBACKS, new Object());
    }

    @Test
    void opens_hoardedByOneAddress_leaveRoomForOthers() throws Nfs4Exception {
        int share = LIMITS.maxOpens() / 2;
        int clients = share / LIMITS.maxOpensPerClient();
        for (int i = 0; i < clients; i++) {
            Client hog = sequence(connect("hog " + i, HOSTILE), 0, 2, false, 0).client();
            for (int n = 0; n < LIMITS.maxOpensPerClient(); n++) {
                open(hog, n);
            }
            assertThat(statusOf(() -> open(hog, -1))).as("of one client").isEqualTo(Nfs4Status.SERVERFAULT);
        }
        Client another = sequence(connect("hog too", HOSTILE), 0, 2, false, 0).client();
        assertThat(statusOf(() -> open(another, 1))).as("of one address").isEqualTo(Nfs4Status.SERVERFAULT);
        open(sequence(connect("honest", HONEST), 0, 2, false, 0).client(), 1);
        assertThat(table.counts().opens()).isEqualTo(share + 1);
        assertThat(table.counts().refused()).isPositive();
    }

    @Test
    void locks_hoardedByOneAddress_leaveRoomForOthers() throws Nfs4Exception {
        int clients = LIMITS.maxLocks() / 2 / LIMITS.maxLocksPerClient();
        for (int i = 0; i < clients; i++) {
            Client hog = sequence(connect("hog " + i, HOSTILE), 0, 2, false, 0).client();
            Stateid open = open(hog, 1);
            assertThat(locksUntilRefused(hog, open, (long) i << 32))
                    .isGreaterThan(4096)
                    .isGreaterThanOrEqualTo(LIMITS.maxLocksPerClient() - 2);
            assertThat(statusOf(() -> lock(hog, open, 1L << 60))).isEqualTo(Nfs4Status.SERVERFAULT);
        }
        Client honest = sequence(connect("honest", HONEST), 0, 2, false, 0).client();
        lock(honest, open(honest, 1), 1L << 61);
    }

    private int locksUntilRefused(Client client, Stateid open, long base) {
        for (int held = 0; ; held++) {
            long offset = base + 2L * held;
            if (statusOf(() -> lock(client, open, offset)) != Nfs4Status.OK) {
                return held;
            }
        }
    }

    private Stateid lock(Client client, Stateid open, long offset) throws Nfs4Exception {
        return table.locks()
                .lock(
                        now,
                        client,
                        new LockRequest(file(1), true, ByteRange.of(offset, 1), false, open, opaque("owner")));
    }
}
