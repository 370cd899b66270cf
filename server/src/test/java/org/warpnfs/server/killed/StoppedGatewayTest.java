package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.killed.Link.Way;

/** A gateway that is stopped for longer than the others wait for it, with calls in its sockets, and then goes on. */
class StoppedGatewayTest {
    private static final int LEASE_SECONDS = 12;
    private static final int NOTICE_SECONDS = 120;
    private static final int TAKEN_OVER = 3;
    private static final int GONE = -1;

    @TempDir
    Path temp;

    private ServerProcess gateway(String node, Path export) throws IOException {
        Path state = Files.createDirectory(temp.resolve("state-" + node));
        int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        List<String> options = List.of("--cluster", "c", "--node", node, "--cluster-directory", temp.toString());
        String classPath = System.getProperty("java.class.path");
        return new ServerProcess(
                new ServerProcess.Plan(uid, LEASE_SECONDS, export, state, classPath, options),
                temp.resolve(node + ".log"));
    }

    @Test
    void gatewayThatGoesOnAfterItWasDeclaredDead_grantsNoLock_acknowledgesNoWrite_andEnds() throws Exception {
        Path export = Files.createDirectory(temp.resolve("export"));
        Path cluster = Files.createDirectory(temp.resolve("c"));
        // A server in this process may have set the umask to 0.
        Files.setPosixFilePermissions(cluster, PosixFilePermissions.fromString("rwxr-xr-x"));
        ServerProcess a = gateway("a", export);
        ServerProcess b = gateway("b", export);
        Life life = new Life(LEASE_SECONDS);
        try (ExecutorService threads = Executors.newThreadPerTaskExecutor(
                        Thread.ofPlatform().daemon().factory());
                Link.Ends ends = new Link.Ends()) {
            a.start();
            b.start();
            a.awaitReady();
            b.awaitReady();
            try (Link toA = new Link(ends, a, life, Way.TCP);
                    Link ofWriter = new Link(ends, a, life, Way.TCP)) {
                V4Client client = new V4Client(1, "client", 0);
                client.introduce(toA);
                byte[] root = new V4Calls(toA, client).root();
                client.completeReclaim(toA);
                assertThat(client.create(toA, Link.nextXid(), root, "shared").status())
                        .isZero();
                client.holdCreated();
                V3Calls writer = new V3Calls(ofWriter, 0);
                byte[] written = writer.lookup(writer.root(), "shared").handle();
                assertThat(write(writer, written)).as("WRITE before").isZero();
                life.beginKill();
                a.signal("STOP");
                Future<Integer> locked = threads.submit(() -> lock(client, toA));
                Future<Integer> wrote = threads.submit(() -> write(writer, written));
                awaitDeclaredDead(b);
                a.signal("CONT");
                assertThat(locked.get()).as("LOCK in its socket").isNotZero();
                assertThat(wrote.get()).as("WRITE in its socket").isEqualTo(GONE);
                assertThat(a.awaitEnd()).as("exit status").isEqualTo(TAKEN_OVER);
            }
        } catch (Exception | AssertionError e) {
            throw new AssertionError(e + "\na said:\n" + a.output() + "\nb said:\n" + b.output(), e);
        } finally {
            a.kill();
            b.kill();
        }
    }

    /** The status of a LOCK, or that the connection ended without a reply. */
    private static int lock(V4Client client, Link link) throws Exception {
        try {
            return client.lock(link, false);
        } catch (Gone e) {
            return GONE;
        }
    }

    /** The status of a WRITE to stable storage, or that the connection ended without a reply. */
    private static int write(V3Calls writer, byte[] handle) throws Exception {
        try {
            FileModel.Range range = new FileModel.Range(0, 1, 1);
            return writer.write(Link.nextXid(), handle, range, FileCalls.STABLE).status();
        } catch (Gone e) {
            return GONE;
        }
    }

    private static void awaitDeclaredDead(ServerProcess other) throws Exception {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(NOTICE_SECONDS);
        while (!other.output().contains("clients of another node may reclaim")) {
            assertThat(System.nanoTime() - endNanos)
                    .as("time until the other notices")
                    .isNegative();
            Thread.sleep(50);
        }
    }
}
