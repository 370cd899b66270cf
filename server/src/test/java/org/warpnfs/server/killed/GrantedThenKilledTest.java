package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.killed.Link.Way;

/** A server is killed right after it has told a client that it has a lock which an expired client had held. */
class GrantedThenKilledTest {
    private static final int LEASE_SECONDS = 4;
    private static final int DENIED = 10_010;
    private static final int RECLAIM_BAD = 10_034;

    @TempDir
    Path temp;

    @Test
    void lockOfAnExpiredClient_grantedToAnother_thenKilled_isReclaimedByTheOtherAlone() throws Exception {
        Path export = Files.createDirectory(temp.resolve("export"));
        Path state = Files.createDirectory(temp.resolve("state"));
        int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        String classPath = System.getProperty("java.class.path");
        ServerProcess server = new ServerProcess(
                new ServerProcess.Plan(uid, LEASE_SECONDS, export, state, classPath), temp.resolve("server.log"));
        V4Client silent = new V4Client(1, "silent", uid);
        V4Client other = new V4Client(1, "other", uid);
        try (Link.Ends ends = new Link.Ends()) {
            Life life = new Life(LEASE_SECONDS);
            server.start();
            server.awaitReady();
            try (Link link = new Link(ends, server, life, Way.TCP)) {
                byte[] root = lockShared(silent, link);
                other.introduce(link);
                other.completeReclaim(link);
                assertThat(other.open(link, root, "shared").status()).isZero();
                awaitLock(other, link);
                life.beginKill();
                server.kill();
            }
            other.holdCreated();
            life = life.next();
            server.start();
            server.awaitReady();
            try (Link link = new Link(ends, server, life, Way.TCP)) {
                silent.introduce(link);
                other.introduce(link);
                assertThat(silent.reclaimOpen(link))
                        .as("reclaim by the expired client")
                        .isEqualTo(RECLAIM_BAD);
                assertThat(other.reclaimOpen(link))
                        .as("reclaim of the other's open")
                        .isZero();
                assertThat(other.lock(link, true))
                        .as("reclaim of the other's lock")
                        .isZero();
                life.beginKill();
            }
        } catch (Exception | AssertionError e) {
            throw new AssertionError(e + "\nThe server said:\n" + server.output(), e);
        } finally {
            server.kill();
        }
    }

    /** Makes the file, locks it and returns the directory that it is in. */
    private static byte[] lockShared(V4Client client, Link link) throws Exception {
        client.introduce(link);
        byte[] root = new V4Calls(link, client).root();
        client.completeReclaim(link);
        assertThat(client.create(link, Link.nextXid(), root, "shared").status()).isZero();
        client.holdCreated();
        assertThat(client.lock(link, false)).isZero();
        return root;
    }

    /** Asks for the lock until it is granted. Returns at once after that reply. */
    private static void awaitLock(V4Client client, Link link) throws Exception {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10 * LEASE_SECONDS);
        int status = client.lockCreated(link);
        assertThat(status).as("LOCK before the other's lease is over").isEqualTo(DENIED);
        while (status == DENIED) {
            assertThat(System.nanoTime() - endNanos)
                    .as("time until the lease is over")
                    .isNegative();
            Thread.sleep(50);
            status = client.lockCreated(link);
        }
        assertThat(status).as("LOCK").isZero();
    }
}
