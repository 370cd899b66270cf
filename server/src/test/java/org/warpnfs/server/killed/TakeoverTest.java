package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.killed.Link.Way;
import org.warpnfs.server.killed.VerifyingClient.Kindred;
import org.warpnfs.testkit.ceph.CephCluster;

/**
 * Three gateways of the same directory, each a process of its own. One is killed again and again, and another process
 * takes its name and address over, with nothing of it but what the cluster shares.
 *
 * <p>{@code -Dwarpnfs.takeovers=N} sets how often. Then an NFSv3 client has a lock at each kill; by default at the last
 * alone, since NLM has no word for having reclaimed everything, and its grace period lasts a lease.
 */
class TakeoverTest {
    private static final int TAKEOVERS = Integer.getInteger("warpnfs.takeovers", 2);
    private static final boolean NLM_EACH_TIME = System.getProperty("warpnfs.takeovers") != null;
    private static final long SEED = Long.getLong("warpnfs.seed", 1);
    private static final int LEASE_SECONDS = 24;
    /** Within it every gateway has noticed the end of a grace period. */
    private static final int NOTICE_SECONDS = 10;

    private static final int UNSTABLE = 0;
    private static final int DELAY = 10_008;
    private static final int DENIED = 10_010;
    private static final int GRACE = 10_013;
    private static final Pattern ENFORCED = Pattern.compile("clients of another node may reclaim");

    @TempDir
    Path temp;

    private ServerProcess gateway(String node, Path export, ExportedFiles files, List<String> where)
            throws IOException {
        Path state = Files.createDirectory(temp.resolve("state-" + node));
        List<String> options = new ArrayList<>(List.of("--cluster", "c", "--node", node));
        options.addAll(where);
        int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        ServerProcess.Plan plan = new ServerProcess.Plan(
                uid, LEASE_SECONDS, export, state, System.getProperty("java.class.path"), options);
        return new ServerProcess(plan, temp.resolve(node + ".log"), files);
    }

    @Test
    void gatewayThatIsKilled_itsSuccessorGivesItsClientsWhatTheyHad_andTheOtherGrantsNothingMeanwhile()
            throws Exception {
        Path export = Files.createDirectory(temp.resolve("export"));
        Path cluster = Files.createDirectory(temp.resolve("c"));
        // A server in this process may have set the umask to 0.
        Files.setPosixFilePermissions(cluster, PosixFilePermissions.fromString("rwxr-xr-x"));
        takeOver(export, ExportedFiles.onThisHost(), List.of("--cluster-directory", temp.toString()));
    }

    /**
     * With nothing in common but the cluster of Ceph, and as a user that administrators make. What a gateway had of
     * files when it was killed must hold up nobody for as long as Ceph itself waits, which is longer than a lease.
     */
    @Test
    void gatewayOfCephThatIsKilled_itsSuccessorGivesItsClientsWhatTheyHad_andTheOthersDoNotWaitForWhatItHad()
            throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        try (CephCluster ceph = CephCluster.startWithKeys()) {
            ceph.addUser("gateway", "/");
            try (CephFiles files = CephFiles.of(ceph, "gateway")) {
                takeOver(
                        Path.of("/"),
                        files,
                        List.of(
                                "--backend",
                                "ceph",
                                "--ceph-conf",
                                ceph.configuration().toString(),
                                "--ceph-id",
                                "gateway"));
            }
        }
    }

    private void takeOver(Path export, ExportedFiles files, List<String> where) throws Exception {
        ServerProcess a = gateway("a", export, files, where);
        ServerProcess b = gateway("b", export, files, where);
        ServerProcess c = gateway("c", export, files, where);
        int takeover = 0;
        Life lifeOfB = new Life(LEASE_SECONDS);
        // Not closed: if the test fails, its clients go on until the servers are killed.
        ExecutorService threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory());
        try (Link.Ends ends = new Link.Ends();
                LockOfNlm nlm = new LockOfNlm()) {
            b.start();
            c.start();
            b.awaitReady();
            c.awaitReady();
            SplittableRandom random = new SplittableRandom(SEED);
            List<VerifyingClient> ofA = List.of(
                    new VerifyingClient(new Kindred(3, Way.TCP), a, ends, random.split()),
                    new VerifyingClient(new Kindred(41, Way.TCP), a, ends, random.split()),
                    new VerifyingClient(new Kindred(42, Way.RDMA), a, ends, random.split()));
            List<VerifyingClient> ofB =
                    List.of(new VerifyingClient(new Kindred(41, Way.RDMA), b, ends, random.split()));
            ClientsAtWork atB = new ClientsAtWork(ofB, lifeOfB, threads);
            V4Client contender = new V4Client(1, "contender", 0);
            Link toB = new Link(ends, b, lifeOfB, Way.TCP);
            contender.introduce(toB);
            contender.completeReclaim(toB);
            V4Client holder = new V4Client(2, "holder", 0);
            byte[] root = new byte[0];
            byte[] cached = new byte[0];
            Life lifeOfA = new Life(LEASE_SECONDS);
            for (; takeover <= TAKEOVERS; takeover++) {
                a.start();
                a.awaitReady();
                Link toA = new Link(ends, a, lifeOfA, Way.TCP);
                holder.introduce(toA);
                if (takeover == 0) {
                    root = new V4Calls(toA, holder).root();
                    holder.completeReclaim(toA);
                    assertThat(holder.create(toA, Link.nextXid(), root, "shared")
                                    .status())
                            .isZero();
                    holder.holdCreated();
                    assertThat(holder.lock(toA, false)).as("LOCK").isZero();
                    cached = contender
                            .create(toB, Link.nextXid(), root, "cached")
                            .handle();
                    contender.closeCreated(toB);
                } else {
                    assertThat(contend(contender, toB, root))
                            .as("before it is reclaimed")
                            .isEqualTo(GRACE);
                    assertThat(holder.reclaimOpen(toA))
                            .as("OPEN by CLAIM_PREVIOUS")
                            .isZero();
                    nlm.reclaim(a, c);
                    assertThat(holder.lock(toA, true)).as("LOCK that reclaims").isZero();
                    holder.completeReclaim(toA);
                }
                ClientsAtWork atA = new ClientsAtWork(ofA, lifeOfA, threads);
                atA.awaitRecovered();
                if (takeover == 0) {
                    atB.awaitRecovered();
                }
                assertThat(contendOutOfGrace(contender, holder, toB, toA, root))
                        .as("LOCK at the other gateway of what is locked")
                        .isEqualTo(DENIED);
                nlm.next(a, c, takeover < TAKEOVERS && (NLM_EACH_TIME || takeover == TAKEOVERS - 1));
                assertThat(write(toA, cached))
                        .as("WRITE that stays in the gateway's memory")
                        .isZero();
                int before = timesEnforced(b);
                int beforeAtC = timesEnforced(c);
                lifeOfA.beginKill();
                a.kill();
                atA.awaitEnded();
                toA.close();
                await(b, before + 1);
                await(c, beforeAtC + 1);
                assertThat(contend(contender, toB, root))
                        .as("while its gateway is dead")
                        .isEqualTo(GRACE);
                assertThat(writeAtSurvivor(toB, cached))
                        .as("WRITE of what the dead gateway has written")
                        .isZero();
                assertThat(contender.renew(toB)).isZero();
                lifeOfA = lifeOfA.next();
            }
            assertThat(ofA).allMatch(client -> !client.hasState() || client.reclaimed() >= TAKEOVERS);
            System.out.println(TAKEOVERS + " takeovers: " + nlm.reclaimed + " locks of NLM reclaimed; "
                    + ofA.stream().map(VerifyingClient::summary).collect(Collectors.joining("; ")) + "; survivor: "
                    + ofB.getFirst().summary());
            ended(lifeOfB, b);
            atB.awaitEnded();
        } catch (Exception | AssertionError e) {
            throw new AssertionError(
                    "seed " + SEED + ", takeover " + takeover + ": " + e + "\na said:\n" + a.output() + "\nb said:\n"
                            + b.output() + "\nc said:\n" + c.output(),
                    e);
        } finally {
            lifeOfB.beginKill();
            a.kill();
            b.kill();
            c.kill();
            threads.shutdown();
        }
    }

    /** A lock of an NFSv3 client at the gateway that is killed, which another client wants at a survivor. */
    private static final class LockOfNlm implements AutoCloseable {
        private final Optional<NlmPeer> holder = NlmPeer.at("127.0.0.77");
        private final Optional<NlmPeer> contender =
                holder.isPresent() ? NlmPeer.at("127.0.0.78") : Optional.<NlmPeer>empty();
        private byte[] file = new byte[0];
        private boolean held;
        private int noticesBefore;
        private int reclaimed;

        LockOfNlm() throws IOException {}

        /** Out of grace: what was reclaimed is still locked. Takes the lock for the next kill, or gives it back. */
        void next(ServerProcess a, ServerProcess c, boolean hold) throws IOException, InterruptedException {
            if (holder.isEmpty() || contender.isEmpty()) {
                return;
            }
            if (held) {
                assertThat(outOfGrace(contender.get(), c, file))
                        .as("NLM LOCK at a survivor")
                        .isEqualTo(NlmPeer.DENIED);
            }
            if (hold && !held) {
                file = holder.get().create(a, "of-nlm");
                assertThat(holder.get().lock(a, file, false)).as("NLM LOCK").isEqualTo(NlmPeer.GRANTED);
            } else if (held && !hold) {
                holder.get().unlock(a, file);
            }
            held = hold;
            noticesBefore = holder.get().notices();
        }

        /** Asks until the gateway has noticed that the grace period is over, a moment after another has. */
        private static int outOfGrace(NlmPeer peer, ServerProcess gateway, byte[] file)
                throws IOException, InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(NOTICE_SECONDS);
            int status = peer.lock(gateway, file, false);
            while (status == NlmPeer.IN_GRACE && System.nanoTime() - deadline < 0) {
                Thread.sleep(50);
                status = peer.lock(gateway, file, false);
            }
            return status;
        }

        /** The successor runs, and the grace period too. */
        void reclaim(ServerProcess a, ServerProcess c) throws IOException, InterruptedException {
            if (!held || holder.isEmpty() || contender.isEmpty()) {
                return;
            }
            assertThat(contender.get().lock(c, file, false))
                    .as("NLM LOCK at a survivor before it is reclaimed")
                    .isEqualTo(NlmPeer.IN_GRACE);
            holder.get().awaitNotice(noticesBefore);
            assertThat(holder.get().lock(a, file, true))
                    .as("NLM LOCK that reclaims")
                    .isEqualTo(NlmPeer.GRANTED);
            reclaimed++;
        }

        @Override
        public void close() throws IOException {
            if (holder.isPresent()) {
                holder.get().close();
            }
            if (contender.isPresent()) {
                contender.get().close();
            }
        }
    }

    private static void ended(Life life, ServerProcess server) throws Exception {
        life.beginKill();
        server.kill();
    }

    /** Tries to open and lock at the other gateway what the holder has locked. Returns the status of what failed. */
    private static int contend(V4Client contender, Link link, byte[] root) throws Exception {
        int opened = contender.open(link, root, "shared").status();
        if (opened != 0) {
            return opened;
        }
        int locked = contender.lockCreated(link);
        contender.closeCreated(link);
        return locked;
    }

    /** By NFSv3, which has no state, so that the grace period does not matter. */
    private static int write(Link link, byte[] file) throws Exception {
        return new V3Calls(link, 0)
                .write(Link.nextXid(), file, new FileModel.Range(0, 1, 1), UNSTABLE)
                .status();
    }

    /**
     * Asks again while the server says that it waits. If that took a lease, the gateway's clients would lose theirs.
     */
    private static int writeAtSurvivor(Link link, byte[] file) throws Exception {
        int status = write(link, file);
        while (status == DELAY) {
            Thread.sleep(100);
            status = write(link, file);
        }
        return status;
    }

    private static int contendOutOfGrace(V4Client contender, V4Client holder, Link toB, Link toA, byte[] root)
            throws Exception {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(4 * LEASE_SECONDS);
        int status = contend(contender, toB, root);
        while (status == GRACE) {
            assertThat(System.nanoTime() - endNanos).as("time in grace").isNegative();
            assertThat(holder.renew(toA)).isZero();
            Thread.sleep(100);
            status = contend(contender, toB, root);
        }
        return status;
    }

    private static int timesEnforced(ServerProcess gateway) throws IOException {
        return (int) ENFORCED.matcher(gateway.output()).results().count();
    }

    private static void await(ServerProcess gateway, int times) throws Exception {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LEASE_SECONDS);
        while (timesEnforced(gateway) < times) {
            assertThat(System.nanoTime() - endNanos)
                    .as("time until the others notice")
                    .isNegative();
            Thread.sleep(50);
        }
    }
}
