package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.file;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.nfs.v4.state.StateAdministration.Evicted;
import org.warpnfs.nfs.v4.state.StateAdministration.Unlocked;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.listing.StatePage;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.listing.StateRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.LockRow;
import org.warpnfs.nfs.v4.state.recovery.FakeRecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * What an administrator sees of a table that clients use at the same time, and what is on stable storage when the
 * administrator is told that state was revoked.
 */
@Timeout(300)
class AdministrationOfStateTest {
    private static final long NOW = 1;

    private final FakeRecoveryLog journal = new FakeRecoveryLog();
    private final Queue<Runnable> background = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final StateTable table =
            new StateTable(StateLimits.forIoOf(1 << 20), LEASE, LEASE, journal, _ -> {}, background::add, NOW);

    private final SessionClients clients = new SessionClients(table, () -> NOW);

    @BeforeEach
    void watchTheJournal() {
        journal.beforeEachWrite(() -> assertThat(table.isLockedByThisThread())
                .as("written under the lock")
                .isFalse());
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private Client connect(String owner) throws Nfs4Exception {
        return clients.client(clients.connect(owner), 2);
    }

    private Stateid open(Client client, int file) throws Nfs4Exception {
        return clients.open(client, file, OpenRequest.BOTH);
    }

    @Test
    void listings_whileClientsOpenAndClose_areWhole() throws Exception {
        Client client = connect("busy");
        CountDownLatch looked = new CountDownLatch(1);
        Future<?> using = threads.submit(() -> {
            while (looked.getCount() > 0) {
                List<Stateid> opened = new ArrayList<>();
                for (int i = 0; i < 64; i++) {
                    opened.add(open(client, i));
                }
                for (int i = 0; i < 64; i++) {
                    table.opens().close(client, file(i), opened.get(i));
                }
            }
            return null;
        });
        try {
            for (int i = 0; i < 20_000; i++) {
                List<StateRow.OpenRow> rows =
                        table.listings().opens(StateQuery.first(100)).rows();
                assertThat(new HashSet<>(rows)).hasSameSizeAs(rows).doesNotContainNull();
            }
        } finally {
            looked.countDown();
        }
        using.get();
    }

    @Test
    void evict_clientThatTheJournalKnows_isOutOfItWhenThatIsDone() throws Exception {
        Client client = connect("gone");
        open(client, 1);
        assertThat(journal.reclaimers()).hasSize(1);

        Evicted evicted = table.administration().evict(StateQuery.hex(client.id()));

        assertThat(evicted).isNotNull();
        assertThat(evicted.journaled()).isTrue();
        assertThat(journal.reclaimers())
                .as("before any background thread has run")
                .isEmpty();
    }

    @Test
    void evict_journalCannotBeWritten_isSaid() throws Exception {
        Client client = connect("gone");
        open(client, 1);
        journal.setFull(true);

        Evicted evicted = table.administration().evict(StateQuery.hex(client.id()));

        assertThat(evicted).isNotNull();
        assertThat(evicted.journaled()).isFalse();
        assertThat(table.counts().clients()).isZero();
    }

    @Test
    void unlock_moreThanAreReported_areTakenAndCounted() throws Exception {
        Client client = connect("hoarder");
        int locks = StateQuery.MAX_LIMIT + 10;
        for (int i = 0; i < locks; i++) {
            Stateid open = open(client, i / 4);
            clients.lock(client, i / 4, open, "l" + i % 4, i);
        }
        int ranges = table.counts().locks();
        assertThat(ranges).isEqualTo(locks);

        Unlocked unlocked = table.administration().unlock(null, row -> true, 5);

        assertThat(unlocked.count()).isEqualTo(locks);
        assertThat(unlocked.first()).hasSize(5).allMatch(row -> row.rangeCount() == 1 && !row.revoked());
        assertThat(table.counts().locks()).isZero();
        assertThat(table.listings().locks(StateQuery.first(10)).rows()).allMatch(LockRow::revoked);
    }

    /** Pages of any size, which begin and end anywhere in a client's state, have together the same rows as one page. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 20, 59, 60, 61})
    void pages_areTogetherTheWhole(int limit) throws Exception {
        for (int owner = 0; owner < 3; owner++) {
            Client client = connect("c" + owner);
            for (int i = 0; i < 20; i++) {
                clients.lock(client, i, open(client, i), "l" + i, owner);
            }
        }
        List<LockRow> whole =
                table.listings().locks(StateQuery.first(StateQuery.MAX_LIMIT)).rows();

        assertThat(whole).hasSize(60).doesNotHaveDuplicates();

        List<LockRow> paged = new ArrayList<>();
        int pages = 0;
        String after = null;
        do {
            StatePage<LockRow> page = table.listings().locks(new StateQuery(null, after, limit));
            assertThat(page.rows()).hasSizeBetween(1, limit);
            paged.addAll(page.rows());
            after = page.next();
            pages++;
        } while (after != null);

        assertThat(paged).isEqualTo(whole);
        assertThat(pages).isEqualTo((60 + limit - 1) / limit);
    }
}
