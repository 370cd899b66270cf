package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.CallbackListener;
import org.warpnfs.server.NfsCall;
import org.warpnfs.testkit.ceph.CephCluster;

/** Two gateways of a cluster over Ceph. What a client does at one recalls a delegation that the other has given. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecalledAcrossGatewaysTest {
    private static final int LEASE_SECONDS = 60;
    private static final int DELAY = 10_008;
    private static final int READ_DELEGATION = 1;
    private static final int SHARE_READ = 1;

    @TempDir
    static Path temp;

    private static CephCluster ceph;
    private static ServerProcess a;
    private static ServerProcess b;

    private int xid = 1;
    private int seqid = 1;

    @BeforeAll
    static void start() throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        ceph = CephCluster.start();
        a = gateway("a");
        b = gateway("b");
        a.start();
        b.start();
        a.awaitReady();
        b.awaitReady();
    }

    @AfterAll
    static void stop() throws Exception {
        if (ceph != null) {
            a.kill();
            b.kill();
            ceph.close();
        }
    }

    private static ServerProcess gateway(String node) throws Exception {
        Path state = Files.createDirectory(temp.resolve(node));
        List<String> options = List.of(
                "--backend", "ceph", "--ceph-conf", ceph.configuration().toString(), "--cluster", "c", "--node", node);
        int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        return new ServerProcess(
                new ServerProcess.Plan(
                        uid, LEASE_SECONDS, Path.of("/"), state, System.getProperty("java.class.path"), options),
                temp.resolve(node + ".log"));
    }

    private NfsCall compound(int operations) {
        return NfsCall.of(xid++, NfsCall.NFS, 4, 1, 0).string("").word(0).word(operations);
    }

    /** The results after the header and a first operation without results. */
    private static ByteBuffer second(ByteBuffer reply, int first, int operation) {
        assertThat(reply.getInt()).as("status").isZero();
        assertThat(reply.getInt()).as("tag").isZero();
        reply.getInt();
        for (int expected : new int[] {first, 0, operation, 0}) {
            assertThat(reply.getInt()).isEqualTo(expected);
        }
        return reply;
    }

    private static byte[] stateid(ByteBuffer results) {
        byte[] stateid = new byte[16];
        results.get(stateid);
        return stateid;
    }

    private static NfsCall stateid(NfsCall call, byte[] stateid) {
        ByteBuffer words = ByteBuffer.wrap(stateid);
        return call.hyper(words.getLong()).hyper(words.getLong());
    }

    private long introduced(String name, CallbackListener listener) throws Exception {
        ByteBuffer given = compound(1)
                .word(35)
                .hyper(1)
                .string(name)
                .word(0x4000_0000)
                .string("tcp")
                .string(listener.universalAddress())
                .word(7)
                .overTcp(a.tcp());
        assertThat(given.getInt()).isZero();
        given.position(given.position() + 16);
        long id = given.getLong();
        assertThat(compound(1)
                        .word(36)
                        .hyper(id)
                        .hyper(given.getLong())
                        .overTcp(a.tcp())
                        .getInt())
                .isZero();
        return id;
    }

    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    private record Opened(byte[] stateid, byte[] handle, int delegation, byte[] delegated) {}

    private Opened open(long id, String name) throws Exception {
        ByteBuffer results = second(
                compound(3)
                        .word(24)
                        .word(18)
                        .word(seqid++)
                        .word(SHARE_READ)
                        .word(0)
                        .hyper(id)
                        .string("owner")
                        // UNCHECKED4, mode 0666
                        .word(1)
                        .word(0)
                        .word(2)
                        .word(0)
                        .word(1 << 1)
                        .word(4)
                        .word(0666)
                        .word(0)
                        .string(name)
                        .word(10)
                        .overTcp(a.tcp()),
                24,
                18);
        byte[] open = stateid(results);
        results.position(results.position() + 5 * 4 + 4);
        int bitmapWords = results.getInt();
        results.position(results.position() + 4 * bitmapWords);
        int delegation = results.getInt();
        assertThat(delegation).isIn(0, READ_DELEGATION);
        byte[] delegated = new byte[16];
        if (delegation != 0) {
            delegated = stateid(results);
            // recall, and the entry without its name
            results.position(results.position() + 4 + 12);
            NfsCall.opaque(results);
        }
        assertThat(results.getInt()).as("GETFH").isEqualTo(10);
        assertThat(results.getInt()).isZero();
        return new Opened(open, NfsCall.opaque(results), delegation, delegated);
    }

    private Opened delegated(String name, CallbackListener listener) throws Exception {
        long id = introduced(name, listener);
        Opened first = open(id, name);
        ByteBuffer _ = second(
                stateid(compound(2).word(22).opaque(first.handle()).word(20), first.stateid())
                        .word(seqid++)
                        .overTcp(a.tcp()),
                22,
                20);
        Opened opened = open(id, name);
        while (opened.delegation() != READ_DELEGATION) {
            // The answer to CB_NULL may not have arrived yet. The test's own timeout is the end.
            Thread.sleep(20);
            opened = open(id, name);
        }
        return opened;
    }

    private void giveBack(Opened opened) throws Exception {
        ByteBuffer _ = second(
                stateid(compound(2).word(22).opaque(opened.handle()).word(8), opened.delegated())
                        .overTcp(a.tcp()),
                22,
                8);
    }

    private static void awaitRecall(CallbackListener listener, Opened opened) throws Exception {
        ByteBuffer call = ByteBuffer.wrap(CallbackListener.next(listener.calls));
        while (call.getInt(20) == 0) {
            call = ByteBuffer.wrap(CallbackListener.next(listener.calls));
        }
        call.position(32 + call.getInt(28) + 8 + 5 * 4);
        assertThat(stateid(call)).as("of CB_RECALL").isEqualTo(opened.delegated());
    }

    /** The status of a call at the other gateway, once it is neither delayed nor waits. */
    private static CompletableFuture<Integer> settled(Supplier<NfsCall> call) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                int status = DELAY;
                while (status == DELAY) {
                    ByteBuffer reply = call.get().overTcp(b.tcp());
                    status = reply.getInt();
                    if (status == DELAY) {
                        Thread.sleep(50);
                    }
                }
                return status;
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
    }

    private static NfsCall writing(int xid, byte[] handle) {
        return NfsCall.of(xid, NfsCall.NFS, 4, 1, 0)
                .string("")
                .word(0)
                .word(2)
                .word(22)
                .opaque(handle)
                .word(38)
                .hyper(0)
                .hyper(0)
                .hyper(0);
    }

    @Test
    void readDelegation_writeAtAnotherGateway_isRecalledFirst() throws Exception {
        try (CallbackListener listener = new CallbackListener(CallbackListener::answer)) {
            Opened opened = delegated("file", listener);
            CompletableFuture<Integer> write =
                    settled(() -> writing(1001, opened.handle()).word(2).string("data"));
            awaitRecall(listener, opened);
            assertThat(write).as("the delegation is still held").isNotDone();
            giveBack(opened);
            assertThat(write.get(60, TimeUnit.SECONDS)).isZero();
        }
    }
}
