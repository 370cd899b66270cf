package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.killed.Link.Way;
import org.warpnfs.server.killed.VerifyingClient.Kindred;

/**
 * Kills the server at random moments while clients of every version work over both transports. The clients check that
 * nothing acknowledged is lost.
 *
 * <p>The build does 50 kills. {@code -Dwarpnfs.kills=N} sets their number, and {@code -Dwarpnfs.seed=N} varies moments
 * and calls.
 */
class KilledServerTest {
    private static final int KILLS = Integer.getInteger("warpnfs.kills", 50);
    private static final long SEED = Long.getLong("warpnfs.seed", 1);
    private static final int ORDINARY_UID = 1000;

    @TempDir
    Path temp;

    private static int ownUid() throws IOException {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    private static List<Kindred> overBoth(int... versions) {
        List<Kindred> kindred = new ArrayList<>();
        for (int version : versions) {
            for (Way way : Way.values()) {
                kindred.add(new Kindred(version, way));
            }
        }
        return kindred;
    }

    /** The server uses the kernel's file handles if the tests run as root. */
    @Test
    void server_killedAtRandom_losesNothingItAcknowledged() throws Exception {
        run(ownUid(), 60, System.getProperty("java.class.path"), overBoth(3, 41, 42), KILLS * 2 / 5);
    }

    /** The server cannot use the kernel's file handles, so it takes them from a table that it stores. */
    @Test
    void serverOfAnOrdinaryUser_killedAtRandom_losesNothingItAcknowledged() throws Exception {
        boolean root = ownUid() == 0;
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        run(
                root ? ORDINARY_UID : ownUid(),
                60,
                root ? readableClassPath() : System.getProperty("java.class.path"),
                overBoth(3, 41),
                KILLS * 2 / 5);
    }

    /** NFSv4.0 has no RECLAIM_COMPLETE, so each grace period lasts as long as the lease. */
    @Test
    void serverOfClientsWithoutSessions_killedAtRandom_losesNothingItAcknowledged() throws Exception {
        run(ownUid(), 4, System.getProperty("java.class.path"), overBoth(3, 40), KILLS - 2 * (KILLS * 2 / 5));
    }

    /** Copies the class path, because other users may not be allowed to read the build's directories. */
    private String readableClassPath() throws IOException {
        Path copies = Files.createDirectory(temp.resolve("classes"));
        List<Path> entries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(entry -> Files.exists(entry) && !entry.endsWith("test-classes"))
                .toList();
        List<Path> copied = new ArrayList<>();
        for (Path entry : entries) {
            Path copy = copies.resolve(copied.size() + "-" + entry.getFileName());
            copyAll(entry, copy);
            copied.add(copy);
        }
        return copied.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static void copyAll(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
        try (Stream<Path> files = Files.walk(to)) {
            files.forEach(file -> {
                try {
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private void run(int uid, int leaseSeconds, String classPath, List<Kindred> kindred, int kills) throws Exception {
        Path export = Files.createDirectory(temp.resolve("export"));
        Path state = Files.createDirectory(temp.resolve("state"));
        if (uid != ownUid()) {
            for (Path path : List.of(export, state)) {
                Files.setAttribute(path, "unix:uid", uid);
                Files.setAttribute(path, "unix:gid", uid);
            }
        }
        ServerProcess.Plan plan = new ServerProcess.Plan(uid, leaseSeconds, export, state, classPath);
        ServerProcess server = new ServerProcess(plan, temp.resolve("server.log"));
        SplittableRandom random = new SplittableRandom(SEED);
        int kill = 0;
        try (Link.Ends ends = new Link.Ends();
                ExecutorService threads = Executors.newThreadPerTaskExecutor(
                        Thread.ofPlatform().daemon().factory())) {
            List<VerifyingClient> clients = kindred.stream()
                    .map(kind -> new VerifyingClient(kind, server, ends, random.split()))
                    .toList();
            Life life = new Life(leaseSeconds);
            for (; kill < kills; kill++) {
                // Of five kills, one comes during the start and one while clients recover. The others, and the last run
                // after this loop, wait until all clients have recovered.
                Moment moment = kill % 5 == 1 ? Moment.START : kill % 5 == 3 ? Moment.RECOVERY : Moment.WORK;
                live(server, life, clients, threads, moment, random);
                life = life.next();
            }
            live(server, life, clients, threads, Moment.WORK, random);
            String summary = clients.stream().map(VerifyingClient::summary).collect(Collectors.joining("; "));
            assertThat(clients).as(summary).allMatch(client -> client.acknowledged() > 0);
            assertThat(clients).as(summary).allMatch(client -> !client.hasState() || client.reclaimed() > 0);
            System.out.println(kills + " kills, uid " + uid + ": " + summary);
        } catch (Exception | AssertionError e) {
            throw new AssertionError(
                    "seed " + SEED + " (-Dwarpnfs.seed=" + SEED + "), kill " + kill + " of " + kills + ": " + e
                            + "\nThe server said:\n" + server.output(),
                    e);
        } finally {
            server.kill();
        }
    }

    /** The moment at which the server is killed. */
    private enum Moment {
        START(1500),
        RECOVERY(400),
        WORK(300);

        private final int withinMillis;

        Moment(int withinMillis) {
            this.withinMillis = withinMillis;
        }
    }

    private static void live(
            ServerProcess server,
            Life life,
            List<VerifyingClient> clients,
            ExecutorService threads,
            Moment moment,
            SplittableRandom random)
            throws Exception {
        int delayMillis = random.nextInt(moment.withinMillis);
        server.start();
        if (moment == Moment.START) {
            Thread.sleep(delayMillis);
            server.kill();
            return;
        }
        server.awaitReady();
        ClientsAtWork atWork = new ClientsAtWork(clients, life, threads);
        try {
            if (moment == Moment.WORK) {
                atWork.awaitRecovered();
            }
            Thread.sleep(delayMillis);
        } finally {
            life.beginKill();
            server.kill();
        }
        atWork.awaitEnded();
    }
}
