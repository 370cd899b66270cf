package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** NLM while a write or a sync of the state directory does not end. */
@Timeout(60)
class SlowStateTest {
    private static final int CLIENT = NlmBench.CLIENT;
    private static final int OTHER = NlmBench.OTHER;
    private static final long SECONDS = 20;
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final StandingStore store = new StandingStore();
    private final NlmBench bench = new NlmBench(store);
    private final List<CompletableFuture<?>> under = new ArrayList<>();

    /** A store in memory that can be made to stand still. */
    private static final class StandingStore implements NsmStore {
        private final Map<String, String> texts = new ConcurrentHashMap<>();
        private final Map<String, String> hosts = new ConcurrentHashMap<>();
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private volatile boolean stands;
        private volatile boolean fails;

        private void change() throws IOException {
            if (stands) {
                reached.countDown();
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
            if (fails) {
                throw new IOException("no space");
            }
        }

        @Override
        public Optional<String> read(String name) {
            return Optional.ofNullable(texts.get(name));
        }

        @Override
        public Map<String, String> hosts(int most) {
            return new HashMap<>(hosts);
        }

        @Override
        public void write(String name, String text) throws IOException {
            change();
            texts.put(name, text);
        }

        @Override
        public void addHost(String name, String text) throws IOException {
            change();
            hosts.put(name, text);
        }

        @Override
        public void removeHost(String name) throws IOException {
            change();
            hosts.remove(name);
        }

        @Override
        public String place(String name) {
            return name;
        }
    }

    private <T> CompletableFuture<T> begin(Supplier<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(call.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        under.add(result);
        return result;
    }

    private static <T> T ended(CompletableFuture<T> call) throws Exception {
        return call.get(SECONDS, TimeUnit.SECONDS);
    }

    private void requireOthersAreServed() throws Exception {
        assertThat(ended(begin(() -> bench.unmonitoredLock(CLIENT, "denied", 0, 10))))
                .as("a call of the client that waits for its record")
                .isEqualTo(NlmStatus.DENIED);
        assertThat(ended(begin(() -> bench.lock(OTHER, "b", false, true, 20, 10))))
                .isEqualTo(NlmStatus.GRANTED);
        assertThat(ended(begin(() -> bench.unlock(OTHER, "b", 20, 10)))).isEqualTo(NlmStatus.GRANTED);
        assertThat(ended(begin(() -> bench.test(OTHER, "b", 20, 10)))).isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void recordThatIsNotWritten_makesItsClientWait_andNobodyElse() throws Exception {
        assertThat(bench.lock(OTHER, "b", false, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        store.stands = true;
        CompletableFuture<NlmStatus> first = begin(() -> bench.lock(CLIENT, "a", false, true, 40, 1));
        store.reached.await();
        CompletableFuture<NlmStatus> second = begin(() -> bench.lock(CLIENT, "a", false, true, 50, 1));
        requireOthersAreServed();
        assertThat(first).isNotDone();
        assertThat(second).as("nothing is granted before it is remembered").isNotDone();

        store.goesOn.countDown();
        assertThat(ended(first)).isEqualTo(NlmStatus.GRANTED);
        assertThat(ended(second)).isEqualTo(NlmStatus.GRANTED);
        assertThat(store.hosts).hasSize(2);
    }

    @Test
    void recordThatIsNotRemoved_stopsNoTimerAndNobodyElse_andTheClientComesAgain() throws Exception {
        assertThat(bench.lock(OTHER, "b", false, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.lock(CLIENT, "a", false, true, 40, 1)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.unlock(CLIENT, "a", 40, 1)).isEqualTo(NlmStatus.GRANTED);
        bench.nowNanos += IDLE_NANOS;
        bench.executor = task -> {
            var _ = begin(() -> {
                task.run();
                return null;
            });
        };
        store.stands = true;
        ended(begin(() -> {
            bench.runTimers();
            return null;
        }));
        store.reached.await();
        requireOthersAreServed();
        CompletableFuture<NlmStatus> again = begin(() -> bench.lock(CLIENT, "a", false, true, 40, 1));

        store.goesOn.countDown();
        assertThat(ended(again)).isEqualTo(NlmStatus.GRANTED);
        for (CompletableFuture<?> each : List.copyOf(under)) {
            ended(each);
        }
        assertThat(store.hosts).as("remembered anew").hasSize(2);
        assertThat(bench.server.hostCount()).isEqualTo(2);
    }

    @Test
    void recordThatCannotBeWritten_clientIsForgotten() {
        store.fails = true;
        assertThat(bench.lock(CLIENT, "a", false, true, 0, 10)).isEqualTo(NlmStatus.DENIED_NOLOCKS);
        assertThat(bench.server.hostCount()).isEqualTo(1);
        bench.nowNanos += IDLE_NANOS;
        bench.runTimers();
        assertThat(bench.server.hostCount()).isZero();
    }

    /** Another call of the client ends without a lock, between that it is remembered and that it has its lock. */
    @Test
    void lock_besideACallOfItsClientThatIsDenied_keepsTheRecord() {
        assertThat(bench.lock(OTHER, "b", false, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        bench.beforeLock = () -> {
            bench.beforeLock = () -> {};
            assertThat(bench.unmonitoredLock(CLIENT, "denied", 0, 10)).isEqualTo(NlmStatus.DENIED);
        };
        assertThat(bench.lock(CLIENT, "a", false, true, 40, 1)).isEqualTo(NlmStatus.GRANTED);
        bench.nowNanos += IDLE_NANOS;
        bench.runTimers();
        assertThat(store.hosts).hasSize(2);
    }
}
