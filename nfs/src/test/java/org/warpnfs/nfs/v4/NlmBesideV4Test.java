package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.WRITEW_LT;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.WRITE_LT;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.ask;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.assertToldOfItsTurn;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.file;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.locks.SteppedLocks;
import org.warpnfs.nfs.testing.NlmClient;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Clients of NLM and of NFSv4 that wait for each other's locks, in one line. */
class NlmBesideV4Test {
    private FileOfBothProtocols both;
    private SteppedLocks locks;
    private V4Server server;
    private V4Client ann;
    private V4Client bea;
    private Queue<String> granted;
    private NlmClient carl;
    private NlmClient dora;
    private int[] ofAnn;
    private int[] ofBea;

    @BeforeEach
    void mount() throws Exception {
        both = new FileOfBothProtocols();
        locks = both.locks;
        server = both.server;
        ann = both.ann;
        bea = both.bea;
        granted = both.granted;
        carl = both.carl;
        dora = both.dora;
        ofAnn = both.ofAnn;
        ofBea = both.ofBea;
    }

    @AfterEach
    void close() {
        both.close();
    }

    private int[] locked(V4Client client, int[] open, long offset) {
        return both.locked(client, open, offset);
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

    /** An owner of one protocol never has what an owner of the other waits for, whatever their names. */
    @Test
    void ownersOfOneNameInBothProtocols_areTwo() {
        assertThat(dora.lock("d", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask(ann, WRITEW_LT, ofAnn, 0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(dora.unlock("d", 0, 10)).isEqualTo(NlmClient.GRANTED);

        assertThat(carl.lock(ann.name, false, 0, 5)).isEqualTo(NlmClient.GRANTED);
        assertThat(carl.lock(ann.name, false, 5, 5)).isEqualTo(NlmClient.GRANTED);
        assertThat(locks.service().waiting()).isEqualTo(1);
        assertThat(carl.unlock(ann.name, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(locks.service().waiting()).isEqualTo(1);

        assertThat(ann.statusOf(file().lock(WRITE_LT, false, 0, 5, ofAnn, ann.name)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(locks.service().waiting()).isEqualTo(1);
        assertThat(ann.statusOf(file().lock(WRITE_LT, false, 5, 5, ofAnn, ann.name)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(locks.service().waiting()).isZero();
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
    void nlmClientDiesWhileItWaits_isPassedOver() {
        int[] lock = locked(ann, ofAnn, 0);
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        assertThat(ask(bea, WRITEW_LT, ofBea, 0)).isEqualTo(Nfs4Status.DENIED);

        both.carlRestarts();
        ann.run(file().unlock(lock, 0, 10));
        locks.tell();

        assertThat(granted).isEmpty();
        assertToldOfItsTurn(bea);
        assertThat(ask(bea, WRITEW_LT, ofBea, 0)).isEqualTo(Nfs4Status.OK);
    }

    /** The holder of a delegation to read takes shared locks without asking. */
    @Test
    void nlmHoldsALock_orWaitsForOne_nobodyGetsADelegation() {
        ann.run(file().close(ofAnn));
        bea.run(file().close(ofBea));
        assertThat(carl.lock("c", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(dora.lock("d", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        assertThat(isDelegated(bea)).as("locked").isFalse();

        assertThat(carl.unlock("c", 0, 10)).isEqualTo(NlmClient.GRANTED);
        locks.tell();
        assertThat(granted).containsExactly("10.9.0.4");
        assertThat(isDelegated(bea)).as("locked by the next one").isFalse();

        assertThat(dora.unlock("d", 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(isDelegated(bea)).as("free").isTrue();
    }

    /** Opens the file to read. */
    private static boolean isDelegated(V4Client client) {
        Reply opened = client.run(new Ops().data().open("o", "f", 1, 0));
        return opened.afterData().openUpToDelegation() == 1;
    }

    /** It may have another way to ask, so it has its turn, which it does not use. */
    @Test
    void v4ClientDiesWithItsTurn_theTurnPassesToTheNext() {
        assertThat(dora.lock("d", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask(ann, WRITEW_LT, ofAnn, 0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);

        assertThat(dora.unlock("d", 0, 10)).isEqualTo(NlmClient.GRANTED);
        locks.tell();
        assertThat(granted).isEmpty();
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

    /** What it had may be given to others soon, but not before it is on stable storage that it lost it. */
    @Test
    void v4HolderDies_butTheStateDiskIsFull_nlmIsToldToAskAgain() {
        int[] _ = locked(ann, ofAnn, 0);
        both.journal.setFull(true);
        server.pass(V4Server.LEASE.plus(Duration.ofSeconds(1)));

        assertThat(carl.test("c", 0, 10)).isEqualTo(NlmClient.DENIED_GRACE_PERIOD);
        assertThat(carl.lock("c", false, 0, 10)).isEqualTo(NlmClient.DENIED_GRACE_PERIOD);
        assertThat(carl.share("c")).isEqualTo(NlmClient.DENIED_GRACE_PERIOD);

        both.journal.setFull(false);
        assertThat(carl.test("c", 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(carl.lock("c", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(carl.share("c")).isEqualTo(NlmClient.GRANTED);
    }
}
