package org.warpnfs.rpcrdma.oncrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.lanes.SharedWait;
import org.warpnfs.limits.ClientAddress;

/** Which tasks run on which threads, with tasks that block until the test releases them. */
@Timeout(120)
class LaneThreadsTest {
    private static final ClientAddress ALICE = client(1);
    private static final ClientAddress BOB = client(2);

    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final List<String> refused = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore begun = new Semaphore(0);
    private final CountDownLatch open = new CountDownLatch(1);
    private OperationThreads threads = new OperationThreads(4);

    @AfterEach
    void stop() {
        open.countDown();
        threads.close();
    }

    private static ClientAddress client(int last) {
        try {
            return ClientAddress.of(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last}));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private final class Task implements LaneTask {
        private final String name;
        private final CountDownLatch until;

        Task(String name, CountDownLatch until) {
            this.name = name;
            this.until = until;
        }

        @Override
        public void run() {
            ran.add(name);
            begun.release();
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void refused() {
            refused.add(name);
        }
    }

    private void blocked(Lane lane, ClientAddress client, String name) {
        threads.execute(lane, client, new Task(name, open));
    }

    private void free(Lane lane, ClientAddress client, String name) {
        threads.execute(lane, client, new Task(name, new CountDownLatch(0)));
    }

    private void awaitBegun(int tasks) throws InterruptedException {
        assertThat(begun.tryAcquire(tasks, 30, TimeUnit.SECONDS))
                .as("%d tasks begin; begun were %s", tasks, ran)
                .isTrue();
    }

    @Test
    void oneClient_hasManyTasks_leavesHalfToOthers() throws Exception {
        for (int i = 0; i < 64; i++) {
            blocked(Lane.LONG, ALICE, "alice");
        }
        awaitBegun(2);
        free(Lane.LONG, BOB, "bob");
        awaitBegun(1);
        assertThat(ran).containsExactly("alice", "alice", "bob");
        assertThat(threads.waitingCount(Lane.LONG)).isEqualTo(62);
        open.countDown();
        awaitBegun(62);
    }

    /** Each client takes all it can get and never ends, because of a dead disk or on purpose. */
    @ParameterizedTest
    @ValueSource(ints = {4, 8, 15, 64})
    void callsOfManyClients_neverEnd_newcomersAreRunAllTheSame(int hostile) throws Exception {
        threads.close();
        threads = new OperationThreads(16);
        for (int client = 0; client < hostile; client++) {
            for (int i = 0; i < 32; i++) {
                blocked(Lane.LONG, client(100 + client), "hostile" + client);
            }
        }
        for (int i = 0; i < 3; i++) {
            free(Lane.LONG, ALICE, "honest");
        }
        while (!ran.contains("honest")) {
            awaitBegun(1);
        }
        free(Lane.LONG, BOB, "honest too");
        while (!ran.contains("honest too")) {
            awaitBegun(1);
        }
        // Each hostile client gets its turn, if it had none before the honest ones.
        while (List.copyOf(ran).stream()
                        .filter(name -> name.startsWith("hostile"))
                        .distinct()
                        .count()
                < hostile) {
            awaitBegun(1);
        }
    }

    @Test
    void callsThatWereStuck_goOn_threadsBeyondTheUsualEnd() throws Exception {
        LaneThreads lane = new LaneThreads("stuck", 2);
        for (int client = 0; client < 8; client++) {
            lane.execute(client(client), new Task("stuck", open));
        }
        awaitBegun(8);
        assertThat(lane.threads()).hasSizeGreaterThanOrEqualTo(8);
        assertThat(lane.heldCount()).isGreaterThanOrEqualTo(6);
        open.countDown();
        // The usual threads, and the one that watches.
        while (lane.threads().size() > 3 || lane.heldCount() > 0) {
            Thread.onSpinWait();
        }
        lane.execute(ALICE, new Task("next", new CountDownLatch(0)));
        awaitBegun(1);
        lane.close();
    }

    /** A task that waits together with others until the test releases it. */
    private final class Sharing implements LaneTask {
        @Override
        public void run() {
            boolean shared = SharedWait.begin();
            try {
                new Task("sharing", open).run();
            } finally {
                SharedWait.end(shared);
            }
        }

        @Override
        public void refused() {
            refused.add("sharing");
        }
    }

    @Test
    void tasksOfOneClient_waitTogether_allOfThemBegin_andOthersRun() throws Exception {
        int most = LaneThreads.SHARING / 2 + 2;
        for (int i = 0; i < 100; i++) {
            threads.execute(Lane.LONG, ALICE, new Sharing());
        }
        awaitBegun(most);
        free(Lane.LONG, BOB, "bob");
        awaitBegun(1);
        assertThat(ran).hasSize(most + 1).endsWith("bob");
        assertThat(threads.waitingCount(Lane.LONG)).isEqualTo(100 - most);
        open.countDown();
        awaitBegun(100 - most);
        assertThat(threads.drain(Duration.ofSeconds(60))).isTrue();
        assertThat(threads.runningCount(Lane.LONG)).isZero();
    }

    @Test
    void tasksOfManyClients_waitTogetherForEver_newcomersAreRunAllTheSame() throws Exception {
        for (int client = 0; client < 40; client++) {
            for (int i = 0; i < 8; i++) {
                threads.execute(Lane.LONG, client(100 + client), new Sharing());
            }
        }
        free(Lane.LONG, ALICE, "honest");
        while (!ran.contains("honest")) {
            awaitBegun(1);
        }
    }

    @Test
    void oneLane_isFull_othersRun() throws Exception {
        for (int i = 0; i < 8; i++) {
            blocked(Lane.LONG, client(i), "long");
            blocked(Lane.DATA, client(i), "data");
        }
        awaitBegun(8);
        free(Lane.SHORT, ALICE, "short");
        awaitBegun(1);
        assertThat(ran).contains("short");
    }

    @Test
    void manyClients_wait_takeTurns() throws Exception {
        threads.close();
        threads = new OperationThreads(1);
        blocked(Lane.DATA, client(9), "first");
        awaitBegun(1);
        for (int i = 0; i < 3; i++) {
            free(Lane.DATA, ALICE, "alice" + i);
        }
        for (int i = 0; i < 2; i++) {
            free(Lane.DATA, BOB, "bob" + i);
        }
        open.countDown();
        awaitBegun(5);
        assertThat(ran).containsExactly("first", "alice0", "bob0", "alice1", "bob1", "alice2");
    }

    @Test
    void threadsClose_tasksWait_eachIsRefusedOnce() throws Exception {
        for (int i = 0; i < 10; i++) {
            blocked(Lane.LONG, ALICE, "task");
        }
        awaitBegun(2);
        threads.close();
        assertThat(refused).hasSize(8);
        assertThat(ran).hasSize(2);
        assertThatThrownBy(() -> free(Lane.SHORT, BOB, "late")).isInstanceOf(RejectedExecutionException.class);
        assertThat(refused).hasSize(8);
        assertThat(threads.drain(Duration.ofSeconds(30)))
                .as("interrupted tasks end")
                .isTrue();
    }

    @Test
    void threadsDrain_tasksWait_allRunFirst() throws Exception {
        for (int i = 0; i < 10; i++) {
            blocked(Lane.LONG, ALICE, "task");
        }
        awaitBegun(2);
        assertThat(threads.drain(Duration.ofMillis(1))).isFalse();
        open.countDown();
        assertThat(threads.drain(Duration.ofSeconds(30))).isTrue();
        assertThat(ran).hasSize(10);
        assertThat(refused).isEmpty();
    }

    @Test
    void task_throws_itsThreadGoesOn() throws Exception {
        threads.close();
        threads = new OperationThreads(1);
        threads.execute(Lane.SHORT, ALICE, new LaneTask() {
            @Override
            public void run() {
                throw new IllegalStateException("a defect");
            }

            @Override
            public void refused() {}
        });
        free(Lane.SHORT, ALICE, "next");
        awaitBegun(1);
    }

    @Test
    void clients_comeAndGo_everyTaskRuns() throws Exception {
        List<Lane> lanes = List.of(Lane.SHORT, Lane.DATA, Lane.LONG);
        for (int i = 0; i < 5_000; i++) {
            free(lanes.get(i % 3), client(i % 50), "task");
        }
        awaitBegun(5_000);
        assertThat(refused).isEmpty();
    }

    /** A thread that the system refuses to start, as in a container with a limit. */
    private static Thread unstartable(Runnable task, String name) {
        return new Thread(task, name) {
            @Override
            public synchronized void start() {
                throw new OutOfMemoryError("as if there were no more threads");
            }
        };
    }

    @Test
    void noThreadCanBeStarted_task_isRejectedAndNeverRun() {
        List<Boolean> startable = new ArrayList<>(List.of(false, true));
        LaneThreads lane = new LaneThreads(
                "few", 2, (task, name) -> startable.removeFirst() ? new Thread(task, name) : unstartable(task, name));
        CountDownLatch none = new CountDownLatch(0);
        assertThatThrownBy(() -> lane.execute(ALICE, new Task("rejected", none)))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(lane.waitingCount()).isZero();
        lane.execute(ALICE, new Task("second", none));
        begun.acquireUninterruptibly();
        assertThat(ran).containsExactly("second");
        assertThat(refused).as("whoever is told by a throw is not told again").isEmpty();
        lane.close();
    }

    @Test
    void noSecondThreadCanBeStarted_tasks_runOnTheFirst() {
        List<Boolean> startable = new ArrayList<>(List.of(true, false, false, false, false));
        LaneThreads lane = new LaneThreads(
                "few", 2, (task, name) -> startable.removeFirst() ? new Thread(task, name) : unstartable(task, name));
        lane.execute(ALICE, new Task("first", open));
        begun.acquireUninterruptibly();
        lane.execute(BOB, new Task("second", open));
        assertThat(ran).containsExactly("first");
        open.countDown();
        begun.acquireUninterruptibly();
        assertThat(ran).containsExactly("first", "second");
        lane.close();
    }
}
