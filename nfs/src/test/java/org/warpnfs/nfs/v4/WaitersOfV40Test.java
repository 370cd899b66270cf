package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.WRITEW_LT;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.ask;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.assertToldOfItsTurn;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.nfs.testing.NlmClient;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Clients of NFSv4.0 that wait for a lock stand in the line of all versions (RFC 7530, section 9.4). */
class WaitersOfV40Test {
    private static final String OWNER = "locker";

    private FileOfBothProtocols both;
    private V40Client zoe;
    private V40Client.Opened open;
    private int lockSeqid;

    @BeforeEach
    void mount() throws Exception {
        both = new FileOfBothProtocols();
        zoe = V40Client.mounted(both.server, "zoe");
        open = zoe.opened("opener", "f", 3);
    }

    @AfterEach
    void close() {
        both.close();
    }

    /** Introduces its lock-owner, which the server does not know before it has a lock. */
    private Reply asks(long offset) {
        return zoe.send(
                zoe.lockWaiting(open.handle(), zoe.openSeqid++, open.stateid(), lockSeqid++, OWNER, offset, 10));
    }

    private Nfs4Status ask40(long offset) {
        return asks(offset).status();
    }

    @Test
    void rangeIsReleased_itIsServedBeforeThoseWhoCameLater() {
        assertThat(both.dora.lock("d", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask40(0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(ask(both.bea, WRITEW_LT, both.ofBea, 0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(both.carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);
        both.locks.pass(Duration.ofMillis(900));
        assertThat(both.dora.unlock("d", 0, 10)).isEqualTo(NlmClient.GRANTED);
        both.locks.tell();
        assertThat(both.bea.nextCallback()).isNull();
        assertThat(ask(both.bea, WRITEW_LT, both.ofBea, 0)).isEqualTo(Nfs4Status.DENIED);

        assertThat(ask40(0)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void circleWithAnotherVersion_isADeadlockForWhoeverClosesIt() {
        assertThat(ask40(0)).isEqualTo(Nfs4Status.OK);
        int[] _ = both.locked(both.ann, both.ofAnn, 10);
        assertThat(both.carl.lock("c", false, 20, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(both.carl.lock("c", true, 0, 10)).isEqualTo(NlmClient.BLOCKED);

        assertThat(ask40(20)).isEqualTo(Nfs4Status.DEADLOCK);
        assertThat(ask40(10)).isEqualTo(Nfs4Status.DENIED);
        assertThat(ask(both.ann, WRITEW_LT, both.ofAnn, 0)).isEqualTo(Nfs4Status.DEADLOCK);
    }

    /** Of NFSv4.0 as well: its seqid moves on, so that the next request is not taken for a repetition. */
    @Test
    void twoClientsOfV40_thatWouldWaitForEachOther_areTold() {
        V40Client yan = V40Client.mounted(both.server, "yan");
        V40Client.Opened ofYan = yan.opened("opener", "f", 3);
        assertThat(ask40(0)).isEqualTo(Nfs4Status.OK);
        assertThat(yan.statusOf(yan.lockWaiting(ofYan.handle(), yan.openSeqid++, ofYan.stateid(), 1, OWNER, 10, 10)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(yan.statusOf(yan.lockWaiting(ofYan.handle(), yan.openSeqid++, ofYan.stateid(), 2, OWNER, 0, 10)))
                .isEqualTo(Nfs4Status.DENIED);

        assertThat(ask40(10)).isEqualTo(Nfs4Status.DEADLOCK);
        assertThat(ask40(30)).isEqualTo(Nfs4Status.OK);
    }

    /** How it gives up. */
    private enum Way {
        CLOSE,
        RELEASE_LOCKOWNER,
        RESTART
    }

    @ParameterizedTest
    @EnumSource
    void givesUp_thoseBehindGoOnAtOnce(Way way) {
        assertThat(both.dora.lock("d", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask40(0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(ask(both.bea, WRITEW_LT, both.ofBea, 0)).isEqualTo(Nfs4Status.DENIED);
        both.dora.unlock("d", 0, 10);
        both.locks.tell();
        assertThat(both.bea.nextCallback()).isNull();

        switch (way) {
            case CLOSE -> zoe.run(V40Client.close(open.handle(), zoe.openSeqid++, open.stateid()));
            case RELEASE_LOCKOWNER -> zoe.run(zoe.releaseLockOwner(OWNER));
            case RESTART -> {
                zoe.verifier++;
                zoe.connect();
            }
        }
        both.locks.tell();

        assertToldOfItsTurn(both.bea);
    }

    @Test
    void releasesAnOwnerThatHadALock_waitsByItNoMore() {
        Reply locked = asks(100);
        assertThat(locked.status()).isEqualTo(Nfs4Status.OK);
        int[] lock = V40Client.stateidOf(locked, OpCode.LOCK);
        assertThat(both.dora.lock("d", false, 0, 10)).isEqualTo(NlmClient.GRANTED);
        assertThat(ask40(0)).isEqualTo(Nfs4Status.DENIED);
        assertThat(zoe.statusOf(zoe.releaseLockOwner(OWNER))).isEqualTo(Nfs4Status.LOCKS_HELD);
        assertThat(both.locks.service().waiting()).isEqualTo(1);

        zoe.run(V40Client.unlock(open.handle(), lock, lockSeqid++, 100, 10));
        zoe.run(zoe.releaseLockOwner(OWNER));

        assertThat(both.locks.service().waiting()).isZero();
    }
}
