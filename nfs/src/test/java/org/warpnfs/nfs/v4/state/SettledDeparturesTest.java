package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.DelegationGrant;
import org.warpnfs.nfs.v4.state.file.DelegationWant;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.recovery.FakeRecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A removed client is forgotten once its removal is on stable storage, whichever thread wrote it, and without anyone
 * having to ask for what it had.
 */
class SettledDeparturesTest {
    private static final long GENEROUS_SECONDS = 60;

    private final FakeRecoveryLog journal = new FakeRecoveryLog();
    private final List<CallbackCall> calls = new ArrayList<>();
    private final Queue<Runnable> background = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Consumer<Runnable>> executor = new AtomicReference<>(background::add);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private long now = 1;
    private final StateTable table = new StateTable(
            StateLimits.forIoOf(1 << 20),
            LEASE,
            LEASE,
            journal,
            calls::add,
            task -> executor.get().accept(task),
            now);

    private final SessionClients clients = new SessionClients(table, () -> now);

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

    /** Does not return a delegation that is recalled. A request of it goes on, so that it stays. */
    private void slowClient() throws Nfs4Exception {
        ChannelAttributes channel = new ChannelAttributes(65536, 65536, 4096, 8, 4);
        CallbackParameters back = new CallbackParameters(
                true, 0x4000_0000, OfferedCredentials.of(new CallbackCredential.None()), channel, 1);
        SessionClients called = new SessionClients(table, () -> now, channel, back);
        Object connection = new Object();
        SessionId session = called.createSession(called.exchangeId("slow"), connection);
        table.callbacks().probe(now, connection);
        table.callbacks().answered(now, calls.removeLast(), new CallbackOutcome.Done());
        table.sessions().reclaimComplete(called.client(session, 1));
        OpenRequest read = new OpenRequest(called.client(session, 2), opaque("o"), file(5), OpenRequest.READ, 0, false);
        DelegationWant wish = new DelegationWant(DelegationWant.Kind.READ, opaque("handle"));
        assertThat(called.open(read, wish, new NoFile()).delegation()).isInstanceOf(DelegationGrant.Read.class);
        assertThat(statusOf(() -> table.delegations().beginChange(now, file(5), null)))
                .isEqualTo(Nfs4Status.DELAY);
        called.begin(SessionClients.request(session, 0, 3, false));
    }

    /**
     * The background thread writes the record of an opener, which waits for its turn to write. A sweep removes the
     * holder, and takes a delegation from the slow client. Before its thread looks at the journal, the background
     * thread is done, and then the opener writes what it finds: the removal.
     */
    @Test
    void departure_isWrittenByAnOpener_isSettled() throws Exception {
        Client holder = clients.client(clients.connect("holder"), 2);
        clients.open(holder, 1, OpenRequest.READ);
        slowClient();
        SessionId session = clients.connect("opener");
        Client opener = clients.client(session, 2);
        clients.begin(SessionClients.request(session, 0, 3, false));
        runBackground();
        assertThat(journal.reclaimers()).hasSize(2);

        journal.shut();
        CountDownLatch atTheJournal = new CountDownLatch(1);
        AtomicReference<Future<?>> write = new AtomicReference<>();
        executor.set(task -> {
            write.set(threads.submit(task));
            await(journal.entered());
            atTheJournal.countDown();
        });
        AtomicReference<Thread> waiting = new AtomicReference<>();
        Future<Stateid> open = threads.submit(() -> {
            waiting.set(Thread.currentThread());
            return clients.open(opener, 3, OpenRequest.READ);
        });
        await(atTheJournal);
        while (waiting.get().getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        CountDownLatch openerWrites = new CountDownLatch(1);
        journal.beforeEachWrite(() -> {
            openerWrites.countDown();
            done(write.get());
        });
        executor.set(task -> {
            executor.set(background::add);
            background.add(task);
            // The lock is held until the opener has taken what there is to write.
            Nfs4Status reserved = statusOf(() -> table.opens().reserve(now, file(9), OpenRequest.READ, 0, () -> {
                journal.open();
                await(openerWrites);
            }));
            assertThat(reserved).isEqualTo(Nfs4Status.OK);
            done(open);
        });
        now += 2L * table.limits().courtesyLeases() * LEASE;
        table.sweep(now);
        assertThat(holder.isGone()).isTrue();
        assertThat(journal.reclaimers()).as("slow and opener").hasSize(2);

        runBackground();
        assertThat(holder.isForgotten()).isTrue();
    }

    /** One has to wait for a sweep. If its removal can be written, so can be those of the others. */
    @Test
    void departures_manyThatCouldNotBeWritten_areWrittenInPortionsOnceTheDiskIsGood() throws Exception {
        int many = 3 * StateCore.PORTION;
        List<Client> gone = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            Client client = clients.client(clients.connect("client" + i, SmallState.address(i % 64)), 2);
            clients.open(client, i, OpenRequest.READ);
            gone.add(client);
        }
        journal.setFull(true);
        for (Client client : gone) {
            table.administration().evict(StateQuery.hex(client.id()));
        }
        assertThat(background).as("no more than one write at a time waits").hasSizeLessThan(10);
        runBackground();
        journal.setFull(false);
        int before = journal.writes().size();

        now += LEASE;
        table.sweep(now);
        runBackground();

        assertThat(journal.reclaimers()).isEmpty();
        assertThat(gone).allMatch(Client::isForgotten);
        assertThat(table.remembered()).isZero();
        assertThat(journal.writes().subList(before, journal.writes().size()))
                .allSatisfy(write -> assertThat(write).hasSizeLessThanOrEqualTo(StateCore.PORTION));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(GENEROUS_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void done(Future<?> future) {
        try {
            future.get(GENEROUS_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
