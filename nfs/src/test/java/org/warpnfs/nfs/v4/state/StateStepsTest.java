package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.ROOT;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.client.GivenClientid;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.DelegationGrant;
import org.warpnfs.nfs.v4.state.file.DelegationWant;
import org.warpnfs.nfs.v4.state.file.LayoutRequest;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.OpenedFile;
import org.warpnfs.nfs.v4.state.file.OwnerReply;
import org.warpnfs.nfs.v4.state.file.OwnerTurn;
import org.warpnfs.nfs.v4.state.file.SharedFile;
import org.warpnfs.nfs.v4.state.recovery.VolatileRecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * What one call does of what many clients have left to do: a portion. The background thread goes on with the rest, and
 * gives the lock to others between two portions.
 */
class StateStepsTest {
    private static final int MANY = 1000;
    private static final ChannelAttributes CHANNEL = new ChannelAttributes(65536, 65536, 4096, 8, 4);
    private static final CallbackParameters CALLBACKS =
            new CallbackParameters(true, 0x4000_0000, OfferedCredentials.of(new CallbackCredential.None()), CHANNEL, 1);
    private static final DelegationWant WISH = new DelegationWant(DelegationWant.Kind.READ, opaque("handle"));

    private final List<CallbackCall> calls = new ArrayList<>();
    private final Queue<Runnable> background = new ConcurrentLinkedQueue<>();
    private final List<SessionId> sessions = new ArrayList<>();
    private long now = 1;
    private final StateTable table = new StateTable(
            StateLimits.forIoOf(1 << 20), LEASE, LEASE, new VolatileRecoveryLog(), calls::add, background::add, now);

    private final SessionClients clients = new SessionClients(table, () -> now, CHANNEL, CALLBACKS);

    private void runBackground() {
        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            task.run();
        }
    }

    private static ClientAddress address(int client) {
        return SmallState.address(client % 64);
    }

    /** A client with a callback path that works. */
    private Client callable(int number) throws Nfs4Exception {
        Object connection = new Object();
        SessionId session =
                clients.createSession(clients.exchangeId("client" + number, 1, address(number)), connection);
        table.callbacks().probe(now, connection);
        table.callbacks().answered(now, calls.removeLast(), new CallbackOutcome.Done());
        Client client = clients.client(session, 1);
        table.sessions().reclaimComplete(client);
        sessions.add(session);
        return client;
    }

    /** Makes a client that has a read delegation of file 1, and no open. */
    private void delegated(int number) throws Nfs4Exception {
        Client client = callable(number);
        OpenRequest request = new OpenRequest(client, opaque("o"), file(1), OpenRequest.READ, 0, false);
        OpenedFile opened = clients.open(request, WISH, new NoFile());
        assertThat(opened.delegation()).isInstanceOf(DelegationGrant.Read.class);
        Stateid open = opened.stateid();
        if (open != null) {
            table.opens().close(client, file(1), open);
        }
    }

    /** All of them keep their leases. */
    private void passALease() throws Nfs4Exception {
        now += LEASE / 2;
        for (SessionId session : sessions) {
            clients.client(session, 2);
        }
        runBackground();
        now += LEASE / 2 + 1;
    }

    @Test
    void sweep_manySilentClients_removesThemInPortions() throws Nfs4Exception {
        for (int i = 0; i < MANY; i++) {
            clients.exchangeId("client" + i, 1, address(i));
        }
        now += LEASE + 1;

        table.sweep(now);
        assertThat(table.counts().clients()).isBetween(MANY - StateCore.PORTION, MANY - 1);

        runBackground();
        assertThat(table.counts().clients()).isZero();
    }

    /** They stay, since nobody needs what they have: each sweep looks at them in portions all the same. */
    @Test
    void sweep_someClientsBehindManyOfCourtesy_removesThemToo() throws Nfs4Exception {
        for (int i = 0; i < 2 * StateCore.PORTION; i++) {
            clients.open(clients.client(clients.connect("client" + i, address(i)), 2), i, OpenRequest.READ);
        }
        now += 1;
        clients.exchangeId("late", 1, address(1));
        now += LEASE + 1;

        table.sweep(now);
        runBackground();

        assertThat(table.counts().clients()).isEqualTo(2 * StateCore.PORTION);
    }

    @Test
    void sweep_manyIdleOwners_removesThemInPortions() throws Nfs4Exception {
        GivenClientid given = table.clientids().setClientid(now, opaque("v40"), 1, new Sender(ROOT, address(1)), null);
        Client client = table.clientids().confirm(now, given.id(), given.confirmVerifier(), ROOT);
        for (int i = 0; i < MANY; i++) {
            openAndClose(client, "owner" + i);
        }
        assertThat(table.counts().openOwners()).isEqualTo(MANY);
        now += LEASE / 2;
        table.clientids().end(now, List.of(table.clientids().begin(now, given.id())));
        now += LEASE / 2 + 1;

        table.sweep(now);
        assertThat(table.counts().openOwners()).isBetween(MANY - StateCore.PORTION, MANY - 1);

        runBackground();
        assertThat(table.counts().openOwners()).isZero();
        assertThat(table.counts().clients()).isEqualTo(1);
    }

    private void openAndClose(Client client, String owner) throws Nfs4Exception {
        OpenRequest request = new OpenRequest(client, opaque(owner), file(1), OpenRequest.READ, 0, false);
        OwnerTurn turn = table.owners().beginOpen(client, opaque(owner), 1);
        table.opens().prepareOpen(now, request);
        Stateid open = table.opens()
                .open(now, request, SmallState.NO_WISH, new SharedFile(new NoFile()), null)
                .stateid();
        end(turn, OpCode.OPEN);
        OwnerTurn confirming = table.owners().begin(open, 2, OpCode.OPEN_CONFIRM);
        Stateid confirmed = table.owners().confirm(client, file(1), open);
        end(confirming, OpCode.OPEN_CONFIRM);
        OwnerTurn closing = table.owners().begin(confirmed, 3, OpCode.CLOSE);
        table.opens().close(client, file(1), confirmed);
        end(closing, OpCode.CLOSE);
    }

    private void end(OwnerTurn turn, OpCode code) {
        table.owners().end(now, turn, new OwnerReply(code, Nfs4Status.OK, opaque("reply"), null));
    }

    @Test
    void change_ofAFileThatManyHaveDelegated_recallsAPortionAndTheRestFollows() throws Nfs4Exception {
        for (int i = 0; i < MANY; i++) {
            delegated(i);
        }
        assertThat(calls).isEmpty();

        assertThat(statusOf(() -> table.delegations().beginChange(now, file(1), null)))
                .isEqualTo(Nfs4Status.DELAY);
        assertThat(calls).hasSizeBetween(1, StateCore.PORTION);

        runBackground();
        assertThat(calls).hasSize(MANY);
    }

    /** Each time it asks, it finds fewer of them. None is left out. */
    @Test
    void change_ofAFileWhoseHoldersHaveGone_getsItAfterAFewTries() throws Nfs4Exception {
        for (int i = 0; i < MANY; i++) {
            delegated(i);
        }
        now += LEASE + 1;

        int tries = 0;
        Nfs4Status status = Nfs4Status.DELAY;
        long before = table.counts().clientsExpired();
        while (status == Nfs4Status.DELAY && tries < MANY) {
            tries++;
            status = statusOf(
                    () -> table.delegations().beginChange(now, file(1), null).close());
            long expired = table.counts().clientsExpired();
            assertThat(expired - before).as("removed by one call").isBetween(0L, 32L);
            before = expired;
        }
        assertThat(status).isEqualTo(Nfs4Status.OK);
        runBackground();
        assertThat(table.counts().delegations()).isZero();
    }

    /** The sweep, and not who waits, ends what its holders do not return. */
    @Test
    void sweep_manyRecalledDelegations_revokesThemInPortions() throws Nfs4Exception {
        for (int i = 0; i < MANY; i++) {
            delegated(i);
        }
        assertThat(statusOf(() -> table.delegations().beginChange(now, file(1), null)))
                .isEqualTo(Nfs4Status.DELAY);
        runBackground();
        passALease();

        table.sweep(now);
        long revoked = table.counts().recalls().revoked();
        assertThat(revoked).isBetween(1L, (long) StateCore.PORTION);

        runBackground();
        assertThat(table.counts().recalls().revoked()).isEqualTo(MANY);
    }

    @Test
    void layouts_ofAFileThatManyHave_areRecalledAndRevokedInPortions() throws Nfs4Exception {
        MemoryFileSystem files = new MemoryFileSystem(1 << 20, 100);
        for (int i = 0; i < MANY; i++) {
            Client client = callable(i);
            Stateid open = clients.open(client, 1, OpenRequest.READ);
            table.layouts()
                    .grant(now, new LayoutRequest(client, file(1), files, open, false, opaque("handle"), null, 1));
        }
        assertThat(table.layoutCounts().held()).isEqualTo(MANY);
        assertThat(calls).isEmpty();

        assertThat(statusOf(() -> table.delegations().beginChange(now, file(1), null)))
                .isEqualTo(Nfs4Status.DELAY);
        assertThat(calls).hasSizeBetween(1, StateCore.PORTION);
        runBackground();
        assertThat(calls).hasSize(MANY);

        passALease();
        table.sweep(now);
        assertThat(table.layoutCounts().revoked()).isBetween(1L, (long) StateCore.PORTION);
        runBackground();
        assertThat(table.layoutCounts().revoked()).isEqualTo(MANY);
        assertThat(statusOf(() ->
                        table.delegations().beginChange(now, file(1), null).close()))
                .as("what is revoked is in nobody's way")
                .isEqualTo(Nfs4Status.OK);
    }
}
