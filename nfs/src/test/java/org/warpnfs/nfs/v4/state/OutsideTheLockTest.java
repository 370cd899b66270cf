package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.NO_WISH;
import static org.warpnfs.nfs.v4.state.SmallState.ROOT;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.client.GivenClientid;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.SharedFile;
import org.warpnfs.nfs.v4.state.recovery.FakeRecoveryLog;
import org.warpnfs.nfs.v4.state.recovery.RecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A wait for a disk delays nobody else: files are closed, and the journal is written, without the lock of the state.
 */
class OutsideTheLockTest {
    private static final long GENEROUS_SECONDS = 60;

    private final FakeRecoveryLog journal = new FakeRecoveryLog();
    private final Queue<Runnable> background = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private long now = 1;
    private final StateTable table =
            new StateTable(StateLimits.forIoOf(1 << 20), LEASE, LEASE, journal, _ -> {}, background::add, now);

    private final SessionClients clients = new SessionClients(table, () -> now);

    @BeforeEach
    void watchTheJournal() {
        journal.beforeEachWrite(() -> assertThat(table.isLockedByThisThread())
                .as("written under the lock")
                .isFalse());
    }

    @AfterEach
    void end() {
        journal.open();
        threads.shutdownNow();
    }

    private void runBackground() {
        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            task.run();
        }
    }

    private Stateid open(Client client, FileKey file, int access, int deny, NoFile opened) throws Nfs4Exception {
        return clients.open(new OpenRequest(client, opaque("o"), file, access, deny, false), opened);
    }

    @Test
    void journal_slow_stopsNobodyWhoIsInItAlready() throws Exception {
        SessionId old = clients.connect("old");
        Client oldClient = clients.client(old, 2);
        open(oldClient, file(1), OpenRequest.READ, 0, new Watched());
        GivenClientid given = table.clientids().setClientid(now, opaque("renews"), 1, ROOT, null);
        table.clientids().confirm(now, given.id(), given.confirmVerifier(), ROOT);
        Client fresh = clients.client(clients.connect("fresh"), 2);
        journal.shut();
        Future<Stateid> first = threads.submit(() -> open(fresh, file(2), OpenRequest.READ, 0, new Watched()));
        assertThat(journal.entered().await(GENEROUS_SECONDS, TimeUnit.SECONDS)).isTrue();

        clients.client(old, 3);
        Client renewing = table.clientids().begin(now, given.id());
        table.clientids().end(now, List.of(renewing));
        open(oldClient, file(3), OpenRequest.READ, 0, new Watched());
        assertThat(first.isDone()).as("no state before the journal knows").isFalse();
        assertThat(table.counts().opens()).isEqualTo(2);

        journal.open();
        first.get(GENEROUS_SECONDS, TimeUnit.SECONDS);
        assertThat(table.counts().opens()).isEqualTo(3);
    }

    @Test
    void journal_manyWaitForIt_areWrittenTogether() throws Exception {
        List<Client> openers = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            openers.add(clients.client(clients.connect("c" + i), 2));
        }
        journal.shut();
        List<Future<Stateid>> opens = new ArrayList<>();

        opens.add(threads.submit(() -> open(openers.getFirst(), file(0), OpenRequest.READ, 0, new Watched())));
        assertThat(journal.entered().await(GENEROUS_SECONDS, TimeUnit.SECONDS)).isTrue();

        for (Client client : openers.subList(1, 9)) {
            opens.add(threads.submit(() -> open(client, file(0), OpenRequest.READ, 0, new Watched())));
        }
        while (openers.stream().anyMatch(client -> !table.isNoted(client))) {
            Thread.onSpinWait();
        }
        journal.open();
        for (Future<Stateid> open : opens) {
            open.get(GENEROUS_SECONDS, TimeUnit.SECONDS);
        }

        assertThat(journal.writes()).hasSize(2);
        assertThat(journal.writes().getLast()).hasSize(8);
    }

    @Test
    void journal_fails_refusesTheOpenAndIsTriedAgain() throws Exception {
        Client client = clients.client(clients.connect("a"), 2);
        journal.setFull(true);
        NoFile refused = new Watched();

        assertThat(statusOf(() -> open(client, file(1), OpenRequest.READ, 0, refused)))
                .isEqualTo(Nfs4Status.IO);
        assertThat(table.counts().opens()).isZero();

        journal.setFull(false);
        open(client, file(1), OpenRequest.READ, 0, new Watched());
        assertThat(journal.writes().getLast()).hasExactlyElementsOfTypes(RecoveryLog.Change.Added.class);
    }

    @Test
    void journal_clientIsReplacedByItsNextInstance_knowsTheNewOne() throws Exception {
        open(clients.client(clients.connect("a"), 2), file(1), OpenRequest.READ, 0, new Watched());
        ExchangedId id = clients.exchangeId("a", 2, ClientAddress.NONE);
        SessionId session = clients.createSession(id);
        Client again = clients.client(session, 1);
        table.sessions().reclaimComplete(again);
        open(again, file(1), OpenRequest.READ, 0, new Watched());
        runBackground();

        assertThat(journal.changes())
                .hasExactlyElementsOfTypes(
                        RecoveryLog.Change.Added.class,
                        RecoveryLog.Change.Removed.class,
                        RecoveryLog.Change.Added.class);
    }

    @Test
    void close_slow_stopsNobodyElse() throws Exception {
        SessionId slow = clients.connect("slow");
        SessionId other = clients.connect("other");
        Client slowClient = clients.client(slow, 2);
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch mayClose = new CountDownLatch(1);
        Stateid stateid = open(slowClient, file(1), OpenRequest.BOTH, 0, new Watched() {
            @Override
            public void close() {
                super.close();
                closing.countDown();
                awaitUninterruptibly(mayClose);
            }
        });

        Future<Stateid> close = threads.submit(() -> table.opens().close(slowClient, file(1), stateid));
        assertThat(closing.await(GENEROUS_SECONDS, TimeUnit.SECONDS)).isTrue();

        open(clients.client(other, 2), file(1), OpenRequest.BOTH, 0, new Watched());
        clients.client(slow, 3);
        assertThat(close.isDone()).isFalse();

        mayClose.countDown();
        close.get(GENEROUS_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void client_goneWithManyOpens_isInNobodysWayAndIsTakenDownInPortions() throws Exception {
        int opens = 5_000;
        Client hoarder = clients.client(clients.connect("hoarder"), 2);
        AtomicInteger closes = new AtomicInteger();
        for (int i = 0; i < opens; i++) {
            OpenRequest request =
                    new OpenRequest(hoarder, opaque("o" + i), file(1), OpenRequest.READ, OpenRequest.WRITE, false);
            SharedFile shared = new SharedFile(new Watched() {
                @Override
                public void close() {
                    super.close();
                    closes.incrementAndGet();
                }
            });
            table.opens().open(now, request, NO_WISH, shared, null);
        }
        now += LEASE + 1;
        Client next = clients.client(clients.connect("next"), 2);

        open(next, file(1), OpenRequest.WRITE, OpenRequest.READ, new Watched());
        assertThat(table.counts().opens()).isEqualTo(1);
        assertThat(closes).as("on the thread of whoever stood before it").hasValue(0);

        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            int before = closes.get();
            task.run();
            assertThat(closes.get() - before).as("files that one task closes").isLessThanOrEqualTo(StateCore.PORTION);
        }
        assertThat(closes).hasValue(opens);
        assertThat(table.remembered()).isEqualTo(1);
    }

    @Test
    void table_closed_closesFilesWithoutTheLock() throws Exception {
        Watched file = new Watched();
        open(clients.client(clients.connect("a"), 2), file(1), OpenRequest.BOTH, 0, file);

        table.close();

        assertThat(file.closed).isTrue();
        assertThat(journal.isClosed()).isTrue();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A file that may take long to close, so that nobody may hold the lock meanwhile. */
    private class Watched extends NoFile {
        @Override
        public void close() {
            assertThat(table.isLockedByThisThread()).as("closed under the lock").isFalse();
            super.close();
        }
    }
}
