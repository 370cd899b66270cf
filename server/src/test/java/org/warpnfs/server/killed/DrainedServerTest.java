package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.killed.Link.Way;
import org.warpnfs.server.killed.VerifyingClient.Kindred;

/**
 * Stops the server by SIGTERM at random moments while clients of every version work over both transports. The clients
 * go on until their connections end, and then return to the next server. The next server may be a later version:
 * {@code -Dwarpnfs.before=CLASSPATH} names an earlier build, and {@code deploy/upgrade} makes one.
 */
class DrainedServerTest {
    private static final int STOPS = Integer.getInteger("warpnfs.stops", 6);
    private static final long SEED = Long.getLong("warpnfs.seed", 1);
    private static final int LEASE_SECONDS = 60;
    private static final int MOMENT_MILLIS = 300;

    private static final String THIS_BUILD = System.getProperty("java.class.path");
    /**
     * The class path of an earlier build. If null, this build plays the earlier one, and the test deletes the file that
     * earlier builds did not write.
     */
    private static final @Nullable String BUILD_BEFORE = System.getProperty("warpnfs.before");

    @TempDir
    Path temp;

    @Test
    void server_toldToEndUnderLoad_failsNoCall_losesNothing_andDoesNothingWithoutAnAnswer() throws Exception {
        run(Collections.nCopies(STOPS, THIS_BUILD), _ -> {});
    }

    /** Handles stay valid, data and names are unchanged, and clients reclaim their opens and locks. */
    @Test
    void server_ofTheVersionBefore_isReplacedUnderLoad_andItsStateIsTakenOver() throws Exception {
        String before = BUILD_BEFORE == null ? THIS_BUILD : BUILD_BEFORE;
        run(List.of(before, before, THIS_BUILD, THIS_BUILD), stop -> {
            if (BUILD_BEFORE == null && stop < 2) {
                Files.delete(temp.resolve("state").resolve("format"));
            }
        });
    }

    /** What to do after the stop with this number. */
    private interface AfterStop {
        void run(int stop) throws IOException;
    }

    private void run(List<String> builds, AfterStop afterStop) throws Exception {
        ServerProcess.Plan plan = new ServerProcess.Plan(
                (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid"),
                LEASE_SECONDS,
                Files.createDirectory(temp.resolve("export")),
                Files.createDirectory(temp.resolve("state")),
                THIS_BUILD);
        ServerProcess server = new ServerProcess(plan, temp.resolve("server.log"));
        SplittableRandom random = new SplittableRandom(SEED);
        int stop = 0;
        try (Link.Ends ends = new Link.Ends();
                ExecutorService threads = Executors.newThreadPerTaskExecutor(
                        Thread.ofPlatform().daemon().factory())) {
            List<VerifyingClient> clients = new ArrayList<>();
            for (int version : new int[] {3, 41, 42}) {
                for (Way way : Way.values()) {
                    clients.add(new VerifyingClient(new Kindred(version, way), server, ends, random.split()));
                }
            }
            Life life = new Life(LEASE_SECONDS);
            for (String build : builds) {
                server.start(build);
                live(server, life, clients, threads, random.nextInt(MOMENT_MILLIS));
                afterStop.run(stop);
                life = life.next();
                stop++;
            }
            String summary = clients.stream().map(VerifyingClient::summary).collect(Collectors.joining("; "));
            assertThat(clients).as(summary).allMatch(client -> client.acknowledged() > 0);
            assertThat(clients).as(summary).allMatch(client -> !client.hasState() || client.reclaimed() > 0);
            System.out.println(stop + " stops: " + summary);
        } catch (Exception | AssertionError e) {
            throw new AssertionError(
                    "seed " + SEED + " (-Dwarpnfs.seed=" + SEED + "), stop " + stop + " of " + builds.size() + ": " + e
                            + "\nThe server said:\n" + server.output(),
                    e);
        } finally {
            server.kill();
        }
    }

    private static void live(
            ServerProcess server, Life life, List<VerifyingClient> clients, ExecutorService threads, int delayMillis)
            throws Exception {
        server.awaitReady();
        ClientsAtWork atWork = new ClientsAtWork(clients, life, threads);
        atWork.awaitRecovered();
        Thread.sleep(delayMillis);
        life.beginStop();
        assertThat(server.terminate()).as("exit status").isZero();
        atWork.awaitEnded();
        for (VerifyingClient client : clients) {
            client.assertNothingDoneWithoutAnAnswer();
        }
        assertThat(server.output()).doesNotContain(" ERROR ", "Exception");
    }
}
