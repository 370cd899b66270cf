package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.WRITEW_LT;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.ask;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.assertToldOfItsTurn;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.file;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.stateidOf;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.nfs.testing.NlmClient;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Those who wait for a range and then want it no more: whoever is behind them goes on at once. */
class WaiterGivesUpTest {
    private FileOfBothProtocols both;
    private int[] ofAnn;
    /** Ann's lock stateid, without any lock. */
    private int[] ofAnnsOwner;

    @BeforeEach
    void mount() throws Exception {
        both = new FileOfBothProtocols();
        // So that it may be downgraded to either.
        both.ann.open("o", "f", 1);
        ofAnn = both.ann.open("o", "f", 2);
    }

    @AfterEach
    void close() {
        both.close();
    }

    private void hadALockOnce() {
        int[] lock = both.locked(both.ann, ofAnn, 1000);
        ofAnnsOwner = stateidOf(both.ann.run(file().unlock(lock, 1000, 10)), OpCode.LOCKU);
    }

    /** How Ann gives up. */
    private enum Way {
        CLOSE,
        OPEN_DOWNGRADE,
        LOCKU,
        FREE_STATEID,
        DESTROY_SESSION,
        RESTART,
        EVICTED
    }

    private void giveUp(Way way) {
        V4Client ann = both.ann;
        switch (way) {
            case CLOSE -> ann.run(file().close(ofAnn));
            case OPEN_DOWNGRADE -> ann.run(file().downgrade(ofAnn, 1, 0));
            case LOCKU -> ann.run(file().unlock(ofAnnsOwner, 0, -1));
            case FREE_STATEID -> ann.run(new Ops().freeStateid(ofAnnsOwner));
            case DESTROY_SESSION ->
                assertThat(ann.sendBare(new Ops().destroySession(ann.session)).status())
                        .isEqualTo(Nfs4Status.OK);
            case RESTART -> {
                ann.verifier++;
                ann.connect();
            }
            case EVICTED ->
                assertThat(both.server.program().administration().evict(StateQuery.hex(ann.clientId)))
                        .isNotNull();
        }
    }

    @ParameterizedTest
    @EnumSource
    void v4Waiter_withItsTurn_givesUp(Way way) {
        if (way == Way.LOCKU || way == Way.FREE_STATEID) {
            hadALockOnce();
        }
        assertThat(both.dora.lock("d", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask(both.ann, WRITEW_LT, ofAnn, 0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(ask(both.bea, WRITEW_LT, both.ofBea, 0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(both.dora.unlock("d", 0, 10)).isEqualTo(NlmClient.GRANTED);
        both.locks.tell();
        assertToldOfItsTurn(both.ann);
        assertThat(both.bea.nextCallback()).isNull();

        giveUp(way);
        both.locks.tell();

        assertToldOfItsTurn(both.bea);
        assertThat(ask(both.bea, WRITEW_LT, both.ofBea, 0)).isEqualTo(Nfs4Status.OK);
        assertThat(both.locks.service().waiting()).isZero();
    }

    /** What Carl and Bea want is free, but they came later. */
    @ParameterizedTest
    @EnumSource
    void v4Waiter_beforeItsTurn_givesUp(Way way) {
        if (way == Way.LOCKU || way == Way.FREE_STATEID) {
            hadALockOnce();
        }
        waitForTheFirstFive();
        assertThat(both.carl.lock("c", true, 5, 5)).isEqualTo(NlmClient.BLOCKED);
        assertThat(ask(both.bea, WRITEW_LT, both.ofBea, 10)).isEqualTo(Nfs4Status.DENIED);

        giveUp(way);
        both.locks.tell();

        assertThat(both.granted).containsExactly("10.9.0.3");
        assertToldOfItsTurn(both.bea);
    }

    private void waitForTheFirstFive() {
        assertThat(both.dora.lock("d", false, 0, 5)).isEqualTo(NlmClient.GRANTED);
        assertThat(both.ann.statusOf(file().lock(WRITEW_LT, false, 0, 20, ofAnn, both.ann.name)))
                .isEqualTo(Nfs4Status.DENIED);
    }

    /** Its owner waits by two opens, of which one is closed; and to read, which a downgrade to reading permits. */
    @Test
    void v4Waiter_byAnotherOpen_staysInLine() {
        int[] other = both.ann.open("another", "f", 3);
        assertThat(both.dora.lock("d", false, 0, 5)).isEqualTo(NlmClient.GRANTED);
        assertThat(both.ann.statusOf(file().lock(3, false, 0, 10, ofAnn, "owner")))
                .isEqualTo(Nfs4Status.DENIED);

        both.ann.run(file().close(other));
        both.ann.run(file().downgrade(ofAnn, 1, 0));
        assertThat(both.locks.service().waiting()).isEqualTo(1);

        assertThat(both.dora.unlock("d", 0, 5)).isEqualTo(NlmClient.GRANTED);
        both.locks.tell();
        assertToldOfItsTurn(both.ann);
    }

    @Test
    void v4Waiter_downgradedToWriting_doesNotWaitToReadAnyMore() {
        assertThat(both.dora.lock("d", false, 0, 5)).isEqualTo(NlmClient.GRANTED);
        assertThat(both.ann.statusOf(file().lock(3, false, 0, 10, ofAnn, "owner")))
                .isEqualTo(Nfs4Status.DENIED);

        both.ann.run(file().downgrade(ofAnn, 2, 0));

        assertThat(both.locks.service().waiting()).isZero();
    }

    /** Another session remains, by which it may ask. */
    @Test
    void v4Waiter_destroysOneSessionOfTwo_staysInLine() {
        waitForTheFirstFive();
        byte[] first = both.ann.session;
        both.ann.createSession(1 << 20, 8192);

        assertThat(both.ann.sendBare(new Ops().destroySession(first)).status()).isEqualTo(Nfs4Status.OK);

        assertThat(both.locks.service().waiting()).isEqualTo(1);
    }

    /** Clients of NFSv4 ask again every 30 s at least; who does not has gone without a word. */
    @Test
    void v4Waiter_doesNotAskAnyMore_keepsNobodyBehindIt() {
        waitForTheFirstFive();
        assertThat(both.carl.lock("c", true, 5, 5)).isEqualTo(NlmClient.BLOCKED);
        both.locks.pass(Duration.ofSeconds(31));
        assertThat(ask(both.bea, WRITEW_LT, both.ofBea, 10)).isEqualTo(Nfs4Status.DENIED);
        assertThat(both.carl.lock("c", true, 5, 5)).isEqualTo(NlmClient.BLOCKED);

        both.locks.pass(Duration.ofSeconds(31));

        assertThat(ask(both.bea, WRITEW_LT, both.ofBea, 10)).isEqualTo(Nfs4Status.OK);
        assertThat(both.carl.lock("c", true, 5, 5)).isEqualTo(NlmClient.GRANTED);
    }

    /** It is told all the same: it may be one that trusts the notice and does not ask before. */
    @Test
    void v4Waiter_didNotAskForLong_isToldOfItsTurnAndKeepsNobodyBehindIt() {
        waitForTheFirstFive();
        assertThat(both.carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        both.locks.pass(Duration.ofMinutes(2));

        assertThat(both.dora.unlock("d", 0, 5)).isEqualTo(NlmClient.GRANTED);
        both.locks.tell();

        assertToldOfItsTurn(both.ann);
        assertThat(both.granted).containsExactly("10.9.0.3");
    }

    /** How Carl gives up. */
    private enum NlmWay {
        CANCEL,
        UNLOCK,
        FREE_ALL,
        SM_NOTIFY
    }

    private void giveUp(NlmWay way) {
        switch (way) {
            case CANCEL -> assertThat(both.carl.cancel("c", 0, 20)).isEqualTo(NlmClient.GRANTED);
            case UNLOCK -> assertThat(both.carl.unlock("c", 0, 20)).isEqualTo(NlmClient.GRANTED);
            case FREE_ALL -> both.carl.freeAll();
            case SM_NOTIFY -> both.carlRestarts();
        }
    }

    @ParameterizedTest
    @EnumSource
    void nlmWaiter_givesUp(NlmWay way) {
        assertThat(both.dora.lock("d", false, 0, 5)).isEqualTo(NlmClient.GRANTED);
        assertThat(both.carl.lock("c", true, 0, 20)).isEqualTo(NlmClient.BLOCKED);
        assertThat(ask(both.bea, WRITEW_LT, both.ofBea, 10)).isEqualTo(Nfs4Status.DENIED);
        both.locks.tell();
        assertThat(both.bea.nextCallback()).isNull();

        giveUp(way);
        both.locks.tell();

        assertToldOfItsTurn(both.bea);
        assertThat(both.locks.service().waiting()).isEqualTo(1);
    }

    @Test
    void waiters_ofAnExportThatIsWithdrawn_leaveTheLine() {
        assertThat(both.dora.lock("d", false, 0, 5)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask(both.ann, WRITEW_LT, ofAnn, 0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(both.carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        assertThat(both.locks.service().waiting()).isEqualTo(2);

        both.server.program().withdraw(both.server.exports.exports().getFirst().fileSystem());
        assertThat(both.locks.service().waiting()).isEqualTo(1);
        both.nlm.withdraw(both.server.exports.exports().getFirst().fileSystem());

        assertThat(both.locks.service().waiting()).isZero();
    }
}
