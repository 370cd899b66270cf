package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.locks.SteppedLocks;
import org.warpnfs.nfs.nlm.NlmLimits;
import org.warpnfs.nfs.nlm.NlmServer;
import org.warpnfs.nfs.nlm.NsmProgram;
import org.warpnfs.nfs.nlm.OtherPrograms;
import org.warpnfs.nfs.nlm.PeerCall;
import org.warpnfs.nfs.nlm.PeerCalls;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.NlmClient;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Clients of NLM and of NFSv4 that wait for each other's locks, in one line. */
class NlmBesideV4Test implements PeerCalls {
    private static final int WRITE_LT = 2;
    private static final int WRITEW_LT = 4;
    private static final int SM_NOTIFY = 6;

    private final SteppedLocks locks = new SteppedLocks();
    private final V4Server server = new V4Server().with(locks.service());
    private final V4Client ann = V4Client.callable(server, "ann", 0);
    private final V4Client bea = V4Client.callable(server, "bea", 0);
    private final Queue<String> granted = new ArrayDeque<>();
    private NlmServer nlm;
    private NlmClient carl;
    private NlmClient dora;
    private int[] ofAnn;
    private int[] ofBea;

    @BeforeEach
    void mount() throws Exception {
        // The first to open it would get one to write, and lock without asking.
        server.program().setDelegations(DelegationPolicy.READ);
        ofAnn = ann.create("f");
        ofBea = bea.open("o", "f", 3);
        nlm = new NlmServer(
                server.exports,
                server.handles,
                server.locks,
                NlmLimits.DEFAULT,
                null,
                V4Server.LEASE,
                new OtherPrograms(
                        server.program()::letGo,
                        server.program()::isGraceRunning,
                        server.program()::isRecovering,
                        () -> true,
                        this,
                        server.program().fileChanges(),
                        server.program()::reserve),
                CallRecorder.NONE,
                () -> server.nowNanos);
        byte[] handle =
                server.handles.encode(new Location(server.exports.byPath(PseudoPath.of("/data")), server.find("f")));
        carl = new NlmClient(nlm.nlm(), address(3), handle);
        dora = new NlmClient(nlm.nlm(), address(4), handle);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static InetAddress address(int lastOctet) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 9, 0, (byte) lastOctet});
    }

    @Override
    public CompletionStage<ByteBuffer> call(PeerCall call) {
        granted.add(call.host().getHostAddress());
        return new CompletableFuture<>();
    }

    @Override
    public void after(long delayNanos, Runnable task) {
        // No call is repeated here.
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    private int[] locked(V4Client client, int[] open, long offset) {
        Reply locked = client.run(file().lock(WRITEW_LT, false, offset, 10, open, client.name));
        locked.afterFile().op(OpCode.LOCK);
        return locked.stateid();
    }

    private static Nfs4Status ask(V4Client client, int type, int[] open, long offset) {
        return client.statusOf(file().lock(type, false, offset, 10, open, client.name));
    }

    private void assertToldOfItsTurn(V4Client client) {
        CallbackSeen told = client.nextCallback();
        assertThat(told).as("a call to %s", client.name).isNotNull();
        assertThat(told.operation).isEqualTo(CallbackSeen.CB_NOTIFY_LOCK);
        client.answerRecall(told, 0);
    }

    @Test
    void v4ClosesTheCircle_isToldOfTheDeadlock() {
        int[] lock = locked(ann, ofAnn, 0);
        assertThat(carl.lock("c", false, 20, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);

        assertThat(ask(ann, WRITEW_LT, ofAnn, 20)).isEqualTo(Nfs4Status.DEADLOCK);
        assertThat(ask(ann, WRITE_LT, ofAnn, 20)).as("it does not wait").isEqualTo(Nfs4Status.DENIED);

        ann.run(file().unlock(lock, 0, 10));
        locks.tell();
        assertThat(granted).containsExactly("10.9.0.3");
        assertThat(ask(ann, WRITEW_LT, ofAnn, 0)).as("no circle any more").isEqualTo(Nfs4Status.DENIED);
    }

    @Test
    void nlmClosesTheCircle_isToldOfTheDeadlock() {
        int[] _ = locked(ann, ofAnn, 0);
        assertThat(carl.lock("c", false, 20, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask(ann, WRITEW_LT, ofAnn, 20)).isEqualTo(Nfs4Status.DENIED);

        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.DEADLCK);
        assertThat(carl.lock("c", false, 0, 10)).as("it does not wait").isEqualTo(NlmClient.DENIED);

        assertThat(carl.unlock("c", 20, 10)).isEqualTo(NlmClient.GRANTED);
        locks.tell();
        assertToldOfItsTurn(ann);
        assertThat(ask(ann, WRITEW_LT, ofAnn, 20)).isEqualTo(Nfs4Status.OK);
        assertThat(granted).isEmpty();
    }

    @Test
    void circleOfThree_isADeadlockForTheLastWhoeverItIs() {
        int[] _ = locked(ann, ofAnn, 0);
        int[] _ = locked(bea, ofBea, 10);
        assertThat(carl.lock("c", false, 20, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask(ann, WRITEW_LT, ofAnn, 10)).isEqualTo(Nfs4Status.DENIED);
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);

        assertThat(ask(bea, WRITEW_LT, ofBea, 20)).isEqualTo(Nfs4Status.DEADLOCK);

        assertThat(carl.cancel("c", 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask(bea, WRITEW_LT, ofBea, 20)).isEqualTo(Nfs4Status.DENIED);
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.DEADLCK);
    }

    @Test
    void waitersOfBothKinds_areServedInTheOrderOfTheirComing_withoutTheOneThatGaveUp() {
        assertThat(dora.lock("d", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask(ann, WRITEW_LT, ofAnn, 0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        assertThat(carl.lock("gives up", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        assertThat(ask(bea, WRITEW_LT, ofBea, 0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(carl.lock("last", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        assertThat(carl.cancel("gives up", 0, 10)).isEqualTo(NlmClient.GRANTED);

        assertThat(dora.unlock("d", 0, 10)).isEqualTo(NlmClient.GRANTED);
        locks.tell();
        assertToldOfItsTurn(ann);
        assertThat(granted).isEmpty();
        assertThat(ask(bea, WRITEW_LT, ofBea, 0)).as("not its turn").isEqualTo(Nfs4Status.DENIED);
        assertThat(dora.lock("d", true, 0, 10)).as("behind all").isEqualTo(NlmClient.BLOCKED);
        int[] lock = locked(ann, ofAnn, 0);

        ann.run(file().unlock(lock, 0, 10));
        locks.tell();
        assertThat(granted).containsExactly("10.9.0.3");
        assertThat(bea.nextCallback()).isNull();

        carl.unlock("c", 0, 10);
        locks.tell();
        assertToldOfItsTurn(bea);
        assertThat(granted).hasSize(1);
        lock = locked(bea, ofBea, 0);

        bea.run(file().unlock(lock, 0, 10));
        locks.tell();
        assertThat(granted).containsExactly("10.9.0.3", "10.9.0.3");
        carl.unlock("last", 0, 10);
        locks.tell();
        assertThat(granted).containsExactly("10.9.0.3", "10.9.0.3", "10.9.0.4");
        assertThat(locks.service().waiting()).isZero();
    }

    @Test
    void nlmClientDiesWhileItWaits_isPassedOver() throws Exception {
        int[] lock = locked(ann, ofAnn, 0);
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        assertThat(ask(bea, WRITEW_LT, ofBea, 0)).isEqualTo(Nfs4Status.DENIED);

        byte[] restarted = CallWriter.call(9, NsmProgram.PROGRAM, NsmProgram.VERSION, SM_NOTIFY)
                .authNone()
                .string("client.lab")
                .words(5)
                .toBytes();
        ReplyKeeper.call(nlm.nsm(), new InetSocketAddress(address(3), 701), restarted);
        ann.run(file().unlock(lock, 0, 10));
        locks.tell();

        assertThat(granted).isEmpty();
        assertToldOfItsTurn(bea);
        assertThat(ask(bea, WRITEW_LT, ofBea, 0)).isEqualTo(Nfs4Status.OK);
    }

    /** Its lease may end and come back, so it has its turn, which it does not use. */
    @Test
    void v4ClientDiesWhileItWaits_itsTurnPassesToTheNext() {
        assertThat(dora.lock("d", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask(ann, WRITEW_LT, ofAnn, 0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);

        server.pass(V4Server.LEASE.plus(Duration.ofSeconds(1)));
        assertThat(dora.unlock("d", 0, 10)).isEqualTo(NlmClient.GRANTED);
        locks.endTurns();
        locks.tell();

        assertThat(granted).containsExactly("10.9.0.3");
        assertThat(locks.service().waiting()).isZero();
    }

    /** Its locks are a courtesy after its lease (RFC 8881, section 8.4.2.4): they end when somebody wants them. */
    @Test
    void v4HolderDies_nlmWaiterIsGranted() throws Exception {
        int[] _ = locked(ann, ofAnn, 0);
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        locks.tell();
        assertThat(granted).isEmpty();

        server.pass(V4Server.LEASE.plus(Duration.ofSeconds(1)));
        assertThat(carl.lock("c", true, 0, 10)).as("asked again").isEqualTo(NlmClient.BLOCKED);
        // The dead client's state ends on a thread of its own.
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        locks.tell();
        while (granted.isEmpty() && System.nanoTime() - deadline < 0) {
            Thread.sleep(5);
            locks.tell();
        }

        assertThat(granted).containsExactly("10.9.0.3");
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.GRANTED);
    }
}
