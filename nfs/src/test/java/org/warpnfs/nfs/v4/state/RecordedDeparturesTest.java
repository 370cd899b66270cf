package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.locks.LockedFile;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.recovery.FakeRecoveryLog;
import org.warpnfs.nfs.v4.state.recovery.FileRecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Nobody gets what a removed client had before the removal is on stable storage (RFC 8881, section 8.4.2.1). Otherwise
 * the client could reclaim it after a crash.
 */
class RecordedDeparturesTest {
    private final FakeRecoveryLog journal = new FakeRecoveryLog();
    private final Queue<Runnable> background = new ConcurrentLinkedQueue<>();
    private long now = 1;
    private final StateTable table =
            new StateTable(StateLimits.forIoOf(1 << 20), LEASE, LEASE, journal, _ -> {}, background::add, now);

    private final SessionClients clients = new SessionClients(table, () -> now);
    private SessionId otherSession = new SessionId(0, 0);
    private int otherSequence;

    /** How the client that holds something ends. */
    enum End {
        LEASE_RUN_OUT,
        SILENT_FOR_LONG,
        EVICTED,
        RESTARTED
    }

    /** What another client asks for. */
    enum Wish {
        LOCK,
        LOCK_TEST,
        OPEN,
        WRITE_WITHOUT_OPEN,
        RESERVATION
    }

    @BeforeEach
    void watchTheJournal() {
        journal.beforeEachWrite(() -> assertThat(table.isLockedByThisThread())
                .as("written under the lock")
                .isFalse());
    }

    private void runBackground() {
        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            task.run();
        }
    }

    private Client connect(String owner) throws Nfs4Exception {
        return clients.client(clients.connect(owner), 2);
    }

    /** Has locked the first bytes of file 1, and denies others to write file 2. */
    private Client holder() throws Nfs4Exception {
        Client holder = connect("holder");
        Stateid open = clients.open(holder, 1, OpenRequest.BOTH);
        clients.lock(holder, 1, open, "l", 0);
        deny(holder);
        return holder;
    }

    private Stateid deny(Client client) throws Nfs4Exception {
        return clients.open(
                new OpenRequest(client, opaque("d"), file(2), OpenRequest.READ, OpenRequest.WRITE, false),
                new NoFile());
    }

    /** The other client sends requests meanwhile. */
    private void end(Client holder, End how) throws Nfs4Exception {
        switch (how) {
            case LEASE_RUN_OUT -> passLeases(2);
            case SILENT_FOR_LONG -> passLeases(20);
            case EVICTED -> table.administration().evict(StateQuery.hex(holder.id()));
            case RESTARTED -> clients.createSession(clients.exchangeId("holder", 2, ClientAddress.NONE));
        }
    }

    private void passLeases(int leases) throws Nfs4Exception {
        for (int half = 0; half < 2 * leases; half++) {
            now += LEASE / 2 + 1;
            clients.client(otherSession, ++otherSequence);
        }
    }

    private Nfs4Status ask(Client client, Stateid open, Wish wish) {
        return switch (wish) {
            case LOCK -> statusOf(() -> clients.lock(client, 1, open, "m", 0));
            case LOCK_TEST ->
                statusOf(() -> table.locks()
                        .testLock(
                                now,
                                client,
                                LockedFile.here(file(1).identity()),
                                opaque("m"),
                                true,
                                new ByteRange(0, 0)));
            case OPEN ->
                statusOf(() -> clients.open(
                        new OpenRequest(client, opaque("o"), file(2), OpenRequest.WRITE, 0, false), new NoFile()));
            case WRITE_WITHOUT_OPEN ->
                statusOf(() -> table.stateids().grantWrite(now, client, file(2), Stateid.ANONYMOUS));
            case RESERVATION -> statusOf(() -> table.opens().reserve(now, file(2), OpenRequest.WRITE, 0, () -> {}));
        };
    }

    @ParameterizedTest
    @EnumSource
    void grant_departureCannotBeWritten_isPutOffUntilItIs(End how) throws Exception {
        for (Wish wish : Wish.values()) {
            otherSession = clients.connect("other");
            otherSequence = 2;
            Client other = clients.client(otherSession, 2);
            Stateid open = clients.open(other, 1, OpenRequest.BOTH);
            Client holder = holder();
            assertThat(journal.reclaimers()).hasSize(2);
            journal.setFull(true);
            end(holder, how);

            assertThat(ask(other, open, wish)).as("%s", wish).isEqualTo(Nfs4Status.DELAY);
            runBackground();
            assertThat(ask(other, open, wish)).as("%s", wish).isEqualTo(Nfs4Status.DELAY);
            assertThat(journal.reclaimers()).as("%s", wish).hasSize(2);

            journal.setFull(false);
            assertThat(ask(other, open, wish)).as("%s", wish).isEqualTo(Nfs4Status.OK);
            assertThat(journal.reclaimers()).as("%s", wish).hasSize(1);

            table.administration().evict(StateQuery.hex(other.id()));
            runBackground();
            assertThat(table.counts().opens()).isZero();
        }
    }

    /** The disk is good, and nobody has written the departure yet: who is granted something writes it. */
    @ParameterizedTest
    @EnumSource
    void grant_departureIsNotWrittenYet_writesIt(Wish wish) throws Exception {
        otherSession = clients.connect("other");
        otherSequence = 2;
        Client other = clients.client(otherSession, 2);
        Stateid open = clients.open(other, 1, OpenRequest.BOTH);
        Client holder = holder();
        end(holder, End.LEASE_RUN_OUT);

        assertThat(ask(other, open, wish)).isEqualTo(Nfs4Status.OK);
        assertThat(holder.isGone()).isTrue();
        assertThat(journal.reclaimers()).hasSize(1);
    }

    /** What was not written is written later, without anyone asking; and never if the client is back by then. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void departure_couldNotBeWritten_isWrittenLaterUnlessTheClientIsBack(boolean isBack) throws Exception {
        Client holder = holder();
        journal.setFull(true);
        table.administration().evict(StateQuery.hex(holder.id()));
        runBackground();
        journal.setFull(false);
        if (isBack) {
            deny(connect("holder"));
        }
        now += LEASE;
        table.sweep(now);
        runBackground();

        assertThat(journal.reclaimers()).hasSize(isBack ? 1 : 0);
        assertThat(table.counts().opens()).isEqualTo(isBack ? 1 : 0);
        assertThat(table.remembered()).isEqualTo(isBack ? 1 : 0);
    }

    /**
     * The holder's removal could not be written, and the holder came back, but could not be written either: it has got
     * nothing. So the record is still that of what it had.
     */
    @Test
    void departure_couldNotBeWrittenNorItsReturn_isWrittenForTheNextWhoAsks() throws Exception {
        Client other = connect("other");
        Stateid open = clients.open(other, 1, OpenRequest.BOTH);
        Client holder = holder();
        journal.setFull(true);
        table.administration().evict(StateQuery.hex(holder.id()));
        runBackground();
        Client back = connect("holder");
        assertThat(statusOf(() -> clients.open(back, 3, OpenRequest.READ))).isEqualTo(Nfs4Status.IO);
        journal.setFull(false);

        assertThat(ask(other, open, Wish.LOCK)).isEqualTo(Nfs4Status.OK);
        assertThat(journal.reclaimers()).hasSize(1);
        assertThat(statusOf(() -> clients.open(back, 3, OpenRequest.READ))).isEqualTo(Nfs4Status.OK);
        assertThat(journal.reclaimers()).hasSize(2);
    }

    /** While nothing can be written, clients come that get nothing. Nothing of them is kept once they have gone. */
    @Test
    void clients_thatCouldNotBeRecorded_areForgottenAtOnce() throws Exception {
        journal.setFull(true);
        for (int i = 0; i < 100; i++) {
            Client client = connect("client" + i);
            assertThat(statusOf(() -> clients.open(client, 3, OpenRequest.READ)))
                    .isEqualTo(Nfs4Status.IO);
            table.administration().evict(StateQuery.hex(client.id()));
            assertThat(client.isForgotten()).as("%s", i).isTrue();
        }
        journal.setFull(false);
        runBackground();
        assertThat(journal.changes()).isEmpty();
    }

    /** As after a SIGKILL right after the reply: another process begins with the files as they are then. */
    @Test
    void grant_thenTheProcessIsKilled_onlyTheNewHolderReclaims(@TempDir Path directory, @TempDir Path later)
            throws Exception {
        Path log = directory.resolve(FileRecoveryLog.FILE_NAME);
        StateLimits limits = StateLimits.forIoOf(1 << 20);
        try (FileRecoveryLog first = FileRecoveryLog.open(directory);
                StateTable before = new StateTable(limits, LEASE, LEASE, first, _ -> {}, background::add, now)) {
            SessionClients at = new SessionClients(before, () -> now);
            deny(at, at.client(at.connect("holder"), 2), false);
            now += LEASE + 1;
            deny(at, at.client(at.connect("other"), 2), false);
            Files.copy(log, later.resolve(FileRecoveryLog.FILE_NAME));
        }

        try (FileRecoveryLog next = FileRecoveryLog.open(later);
                StateTable after = new StateTable(limits, LEASE, LEASE, next, _ -> {}, background::add, now)) {
            SessionClients at = new SessionClients(after, () -> now);
            Client holder = at.client(at.createSession(at.exchangeId("holder")), 1);
            Client other = at.client(at.createSession(at.exchangeId("other")), 1);

            assertThat(statusOf(() -> deny(at, holder, true))).isEqualTo(Nfs4Status.RECLAIM_BAD);
            assertThat(statusOf(() -> deny(at, other, true))).isEqualTo(Nfs4Status.OK);
        }
    }

    private static Stateid deny(SessionClients at, Client client, boolean reclaim) throws Nfs4Exception {
        return at.open(
                new OpenRequest(client, opaque("d"), file(2), OpenRequest.BOTH, OpenRequest.BOTH, reclaim),
                new NoFile());
    }
}
