package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SessionClients.request;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
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
import org.warpnfs.nfs.v4.state.client.CachedReply;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Kept replies, up to the limit of all clients: none that has to be kept is forgotten, and no client takes all the
 * room.
 */
class SharesOfRepliesTest {
    private static final ChannelAttributes LINUX = new ChannelAttributes(1 << 21, 1 << 21, 7584, 64, 64);
    private static final StateLimits LIMITS = StateLimits.forIoOf(1 << 20);
    private static final int SLOTS = 64;
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

    private Stateid open(Client client, int name) throws Nfs4Exception {
        OpenRequest request = new OpenRequest(client, opaque("o" + name), file(name), OpenRequest.BOTH, 0, false);
        return clients.open(request, new NoFile());
    }

    @Test
    void replies_budgetFull_nonePromisedIsForgottenAndFewerSlotsAreOffered() throws Nfs4Exception {
        Map<SessionId, Integer> hogs = new LinkedHashMap<>();
        int enough = (int) (LIMITS.maxReplyCacheBytes() / (SLOTS - 1) / LIMITS.maxCachedReplyBytes()) + 1;
        for (int i = 0; i < enough; i++) {
            SessionId hog = clients.connect("hog " + i, HOSTILE);
            hogs.put(hog, keepAsManyAsItCan(hog));
        }
        assertThat(hogs.values())
                .as("the first keeps all, the last finds no room")
                .contains(SLOTS - 1, 0);
        assertThat(table.counts().keptReplyBytes())
                .isBetween(LIMITS.maxReplyCacheBytes() / 3, LIMITS.maxReplyCacheBytes() / 2);
        for (Map.Entry<SessionId, Integer> hog : hogs.entrySet()) {
            for (int slot = 1; slot <= hog.getValue(); slot++) {
                assertThat(clients.begin(request(hog.getKey(), slot, 1, true)))
                        .as("slot %d", slot)
                        .isInstanceOf(SequenceOutcome.Replay.class);
            }
            assertThat(sequence(hog.getKey(), 0, 2, true, LIMITS.maxCachedReplyBytes())
                            .targetSlotCount())
                    .as("its first slot has room, and is the only one it should use")
                    .isEqualTo(1);
        }

        SessionId honest = clients.connect("honest", HONEST);
        for (int slot = 0; slot < 16; slot++) {
            sequence(honest, slot, slot == 0 ? 2 : 1, true, 500);
        }
        assertThat(sequence(honest, 0, 3, false, 0).targetSlotCount()).isEqualTo(SLOTS);
        for (int slot = 1; slot < 16; slot++) {
            assertThat(clients.begin(request(honest, slot, 1, true)))
                    .as("slot %d", slot)
                    .isInstanceOf(SequenceOutcome.Replay.class);
        }

        for (SessionId hog : hogs.keySet()) {
            table.sessions().destroySession(hog);
        }
        assertThat(table.counts().keptReplyBytes()).isLessThan(16 * 1024);
        SessionId again = clients.connect("hog again", HOSTILE);
        assertThat(sequence(again, 0, 2, false, 0).targetSlotCount())
                .as("grown back")
                .isEqualTo(SLOTS);
    }

    /** Fills the slots from the second on. Returns the number of requests that were executed. */
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
        SessionId session = clients.connect("crowd", HOSTILE);
        for (int i = 0; keepAsManyAsItCan(session) == SLOTS - 1; i++) {
            session = clients.connect("crowd " + i, HOSTILE);
        }
        return session;
    }

    @Test
    void replies_aRequestThatIsOlderThanTheyAre_doesNotSayThatTheyWereSeen() throws Nfs4Exception {
        SessionId session = clients.connect("a", HOSTILE);
        sequence(session, 0, 2, false, 0);
        sequence(session, 5, 1, true, 100);
        sessionOfACrowdedAddress();
        // Sent when no other request was outstanding, and overtaken by the request in slot 5.
        sequence(session, 0, 3, false, 0);

        assertThat(clients.begin(request(session, 5, 1, true))).isInstanceOf(SequenceOutcome.Replay.class);
    }

    @Test
    void replies_requestsThatSayTheyWereSeen_giveTheirRoomBack() throws Nfs4Exception {
        SessionId session = clients.connect("a", HOSTILE);
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
        int silent = 0;
        SessionId last;
        do {
            last = clients.connect("silent " + silent, HOSTILE);
            open(sequence(last, 0, 2, false, 0).client(), silent++);
        } while (keepAsManyAsItCan(last) == SLOTS - 1);
        SessionId full = last;

        assertThat(statusOf(() -> sequence(full, SLOTS - 1, 1, true, 100))).isEqualTo(Nfs4Status.DELAY);

        now += LEASE + 1;
        sequence(full, 0, 3, false, 0);
        assertThat(table.counts().clients()).as("courtesy").isEqualTo(silent);

        sequence(full, SLOTS - 1, 1, true, 100);
        assertThat(table.counts().clients()).isLessThan(silent);
    }

    @Test
    void replies_allReservedByWhatRuns_delaysOtherSlotsAndNeverTheFirst() throws Nfs4Exception {
        StateLimits tight = LIMITS.withReplyCacheBytes(4 * (LIMITS.maxCachedReplyBytes() + 64L));
        StateTable small = SmallState.table(tight, _ -> {}, now);
        SessionClients itsClients = new SessionClients(small, () -> now, LINUX);
        ExchangedId id = itsClients.exchangeId("a", 1, HONEST);
        SessionId session = itsClients.createSession(id);
        List<SequenceOutcome.Execute> running = new ArrayList<>();
        for (int slot = 1; slot <= 2; slot++) {
            running.add((SequenceOutcome.Execute) itsClients.begin(request(session, slot, 1, true)));
        }

        assertThat(statusOf(() -> itsClients.begin(request(session, 3, 1, true))))
                .isEqualTo(Nfs4Status.DELAY);
        assertThat(itsClients.begin(request(session, 4, 1, false)))
                .as("keeps nothing")
                .isInstanceOf(SequenceOutcome.Execute.class);
        assertThat(itsClients.begin(request(session, 0, 1, true))).isInstanceOf(SequenceOutcome.Execute.class);

        running.forEach(each -> itsClients.end(each, new CachedReply(new byte[100])));
        assertThat(itsClients.begin(request(session, 3, 1, true)))
                .as("the same request again")
                .isInstanceOf(SequenceOutcome.Execute.class);
    }
}
