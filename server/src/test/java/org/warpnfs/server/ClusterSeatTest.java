package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.config.SharedPlace;
import org.warpnfs.server.log.Written;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterSeatTest {
    private static final Duration LEASE = Duration.ofSeconds(8);

    @TempDir
    Path shared;

    private final CountDownLatch ended = new CountDownLatch(1);
    private Path cluster;
    private SharedPlace.InDirectory place;
    private ClusterChoice choice;

    @BeforeEach
    void cluster() throws Exception {
        cluster = Files.createDirectory(shared.resolve("c"));
        // A server in this process may have set the umask to 0.
        Files.setPosixFilePermissions(cluster, PosixFilePermissions.fromString("rwxr-xr-x"));
        place = new SharedPlace.InDirectory(shared);
        choice = new ClusterChoice("c", "a", place, List.of());
    }

    @Test
    void directoryThatHangs_endsTheProcess() throws Exception {
        Path beat = cluster.resolve("beats/a");
        try (StateDirectory state = StateDirectory.open(DirectoryState.ofNode(choice, place));
                ClusterSeat seat =
                        ClusterStart.take(choice, LEASE, SharedState.open(choice, LEASE, state), ended::countDown)) {
            seat.serving();
            // Who opens it to write waits until somebody reads.
            Path fifo = cluster.resolve("fifo");
            assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                    .isZero();
            Files.move(fifo, beat, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
            Files.newInputStream(beat).close();
        }
    }

    /** Who stops interrupts the thread that writes. */
    @Test
    void close_whileASignOfLifeIsWritten_isNoFailure() throws Exception {
        Path beat = cluster.resolve("beats/a");
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        try (Written log = new Written();
                StateDirectory state = StateDirectory.open(DirectoryState.ofNode(choice, place))) {
            ClusterSeat seat =
                    ClusterStart.take(choice, LEASE, SharedState.open(choice, LEASE, state), ended::countDown);
            seat.serving();
            Thread beating = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("cluster") && !others.contains(thread))
                    .findAny()
                    .orElseThrow();
            Path fifo = cluster.resolve("fifo");
            assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                    .isZero();
            Files.move(fifo, beat, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            // The test's own timeout is the end of each wait.
            while (Arrays.stream(beating.getStackTrace())
                    .noneMatch(frame -> frame.getMethodName().equals("open0"))) {
                Thread.sleep(5);
            }
            Thread closing = Thread.ofPlatform().start(seat::close);
            while (!beating.isInterrupted()) {
                Thread.sleep(5);
            }
            Files.newInputStream(beat).close();
            closing.join();

            assertThat(beating.isAlive()).isFalse();
            assertThat(log.messages()).noneMatch(line -> line.contains("cannot be used"));
        }
    }

    @Test
    void recordThatCannotBeRead_endsTheProcess_althoughItCanGiveSignsOfLife() throws Exception {
        try (StateDirectory state = StateDirectory.open(DirectoryState.ofNode(choice, place));
                ClusterSeat seat =
                        ClusterStart.take(choice, LEASE, SharedState.open(choice, LEASE, state), ended::countDown)) {
            seat.serving();
            Files.writeString(cluster.resolve("record/000000000000000009"), "damaged");
            assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void gateways_knowEachOthersAddresses_whileTheyRun() throws Exception {
        List<String> own = List.of("192.0.2.1", "192.0.2.11");
        ClusterChoice first = new ClusterChoice("c", "a", place, own);
        ClusterChoice second = new ClusterChoice("c", "b", place, List.of("192.0.2.2"));
        try (StateDirectory state = StateDirectory.open(DirectoryState.ofNode(first, place));
                ClusterSeat a =
                        ClusterStart.take(first, LEASE, SharedState.open(first, LEASE, state), ended::countDown)) {
            try (StateDirectory other = StateDirectory.open(DirectoryState.ofNode(second, place));
                    ClusterSeat b = ClusterStart.take(
                            second, LEASE, SharedState.open(second, LEASE, other), ended::countDown)) {
                await(a, List.of(own, second.addresses()));
                await(b, List.of(second.addresses(), own));
            }
            await(a, List.of(own));
        }
    }

    private static void await(ClusterSeat seat, List<List<String>> gateways) throws InterruptedException {
        // The test's own timeout is its end.
        while (!seat.gateways().hosts().equals(gateways)) {
            Thread.sleep(20);
        }
    }

    @Test
    void directoryThatAnybodyMayWriteTo_isRefused() throws Exception {
        Files.setPosixFilePermissions(cluster, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> DirectoryState.ofNode(choice, place))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("anybody may write");
    }

    @Test
    void recordThatIsRemoved_endsTheProcess_asAnotherClusterCouldBeFounded() throws Exception {
        try (StateDirectory state = StateDirectory.open(DirectoryState.ofNode(choice, place));
                ClusterSeat seat =
                        ClusterStart.take(choice, LEASE, SharedState.open(choice, LEASE, state), ended::countDown)) {
            seat.serving();
            try (var versions = Files.list(cluster.resolve("record"))) {
                for (Path version : versions.toList()) {
                    Files.deleteIfExists(version);
                }
            }
            assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Until it serves, its clients keep those of all others from new state. */
    @Test
    void startThatHangsAfterTheNodeHasJoined_endsTheProcess() throws Exception {
        try (StateDirectory state = StateDirectory.open(DirectoryState.ofNode(choice, place));
                ClusterSeat _ = ClusterStart.take(
                        choice,
                        LEASE,
                        SharedState.open(choice, LEASE, state),
                        ended::countDown,
                        Duration.ofSeconds(1))) {
            assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** An engine that answers when it is told to, and counts what is ended. */
    private static final class SilentEngine implements Remains {
        final CountDownLatch answers = new CountDownLatch(1);
        final List<Integer> former = new CopyOnWriteArrayList<>();

        @Override
        public boolean isNothing() {
            return false;
        }

        @Override
        public void awaitEngine() throws IOException {
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        @Override
        public PluginChoice backendOf(int instance, PluginChoice backend) {
            return backend;
        }

        @Override
        public void opening(int instance, String source) {
            throw new AssertionError("nothing is opened");
        }

        @Override
        public void leaving(int instance) {
            // It has opened nothing.
        }

        @Override
        public void endFormer(int instance) {
            former.add(instance);
        }

        @Override
        public void end(String node, int instance) {
            throw new AssertionError("nobody has died");
        }
    }

    private static SharedState withRemains(SharedState shared, Remains remains) {
        return (SharedState) Proxy.newProxyInstance(
                ClusterSeatTest.class.getClassLoader(), new Class<?>[] {SharedState.class}, (_, method, arguments) -> {
                    return method.getName().equals("remains") ? remains : method.invoke(shared, arguments);
                });
    }

    @Test
    void nodeWhoseExportsDoNotAnswer_doesNotJoin() throws Exception {
        SilentEngine engine = new SilentEngine();
        try (StateDirectory state = StateDirectory.open(DirectoryState.ofNode(choice, place));
                SharedState shared = withRemains(SharedState.open(choice, LEASE, state), engine)) {
            assertThatThrownBy(() -> ClusterStart.take(choice, LEASE, shared, ended::countDown, Duration.ofMillis(100)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("does not join");
            assertThat(shared.store().read().record().members()).isEmpty();
            engine.answers.countDown();
            try (ClusterSeat seat = ClusterStart.take(choice, LEASE, shared, ended::countDown)) {
                seat.serving();
                assertThat(engine.former).containsExactly(1);
            }
        }
    }
}
