package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Leases that run out, and what clients reclaim after the server was killed and started again. */
class RecoveryTest {
    @TempDir
    Path directory;

    private V4Server server;

    @BeforeEach
    void start() {
        server = new V4Server(directory);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void lease_runOut_keepsStateUntilSomeoneWantsIt() {
        V4Client client = V4Client.mounted(server, "c", 0);
        V4Client idle = V4Client.mounted(server, "idle", 0);
        client.run(new Ops().data().openCreate("o", "f", 3, 0));
        server.pass(V4Server.LEASE.multipliedBy(10));
        V4Client late = V4Client.mounted(server, "late", 0);

        assertThat(idle.statusOf(new Ops())).as("held nothing").isEqualTo(Nfs4Status.BADSESSION);
        assertThat(client.statusOf(new Ops().data().lookup("f"))).isEqualTo(Nfs4Status.OK);
        assertThat(late.statusOf(new Ops().data().open("o", "f", 3, 0))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void restart_withStateHeld_letsItsHolderReclaimAndOthersWait() {
        V4Client client = V4Client.mounted(server, "c", 0);
        Reply opened = client.run(new Ops().data().openCreate("o", "f", 3, 0).getFh());
        int[] old = opened.afterData().open();
        byte[] handle = opened.getFh();
        client.run(new Ops().putFh(handle).lock(2, false, 0, 100, old, "l"));

        server.start();

        assertThat(server.program().isGraceRunning()).isTrue();
        assertThat(client.statusOf(new Ops().putFh(handle))).isEqualTo(Nfs4Status.BADSESSION);
        assertThat(client.statusBare(new Ops().createSession(client.clientId, client.createSequence)))
                .isEqualTo(Nfs4Status.STALE_CLIENTID);

        V4Client other = new V4Client(server, "other", 2, 0);
        other.connect();
        assertThat(other.statusOf(new Ops().putFh(handle).openPrevious("x", 3))).isEqualTo(Nfs4Status.RECLAIM_BAD);
        other.run(new Ops().reclaimComplete());
        assertThat(other.statusOf(new Ops().reclaimComplete())).isEqualTo(Nfs4Status.COMPLETE_ALREADY);
        assertThat(other.statusOf(new Ops().data().open("x", "f", 1, 0))).isEqualTo(Nfs4Status.GRACE);
        assertThat(other.statusOf(new Ops().putFh(handle).read(Ops.ANONYMOUS, 0, 1)))
                .isEqualTo(Nfs4Status.GRACE);
        assertThat(other.statusOf(new Ops().data().remove("f"))).isEqualTo(Nfs4Status.GRACE);

        client.connect();
        assertThat(client.statusOf(new Ops().putFh(handle).write(old, 0, 0, "x")))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(client.statusOf(new Ops().data().open("o", "f", 3, 0))).isEqualTo(Nfs4Status.GRACE);

        Reply again = client.run(new Ops().putFh(handle).openPrevious("o", 3));
        again.op(OpCode.PUTFH);
        int[] stateid = again.open();
        assertThat(client.statusOf(new Ops().putFh(handle).lock(2, true, 0, 100, stateid, "l")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().putFh(handle).write(stateid, 0, 0, "x")))
                .isEqualTo(Nfs4Status.OK);

        client.run(new Ops().reclaimComplete());
        assertThat(server.program().isGraceRunning()).as("everyone is back").isFalse();
        assertThat(client.statusOf(new Ops().putFh(handle).openPrevious("o", 3)))
                .isEqualTo(Nfs4Status.NO_GRACE);
        int[] theirs = other.open("x", "f", 3);
        assertThat(other.statusOf(new Ops().putFh(handle).lock(2, false, 0, 1, theirs, "m")))
                .isEqualTo(Nfs4Status.DENIED);
    }

    @Test
    void grace_idUnderAHoldersNameIsGivenUpUnconfirmed_goesOn() {
        V4Client client = V4Client.mounted(server, "c", 0);
        client.run(new Ops().data().openCreate("o", "f", 3, 0));
        server.start();
        V4Client impostor = new V4Client(server, "c", 2, 0);
        impostor.readExchangeId(impostor.sendBare(new Ops().exchangeId(99, "c", 0)));

        assertThat(impostor.statusBare(new Ops().destroyClientid(impostor.clientId)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(server.program().isGraceRunning())
                .as("c has reclaimed nothing")
                .isTrue();
    }

    @Test
    void grace_anotherPrincipalUnderAHoldersName_reclaimsNothingAndEndsNothing() {
        V4Client client = V4Client.mounted(server, "c", 0);
        Reply opened = client.run(new Ops().data().openCreate("o", "f", 3, 0).getFh());
        int[] _ = opened.afterData().open();
        byte[] handle = opened.getFh();
        server.start();

        V4Client impostor = new V4Client(server, "c", 2, 7);
        impostor.connect();
        assertThat(impostor.statusOf(new Ops().putFh(handle).openPrevious("o", 1)))
                .isEqualTo(Nfs4Status.RECLAIM_BAD);
        impostor.run(new Ops().reclaimComplete());
        assertThat(server.program().isGraceRunning())
                .as("c has reclaimed nothing")
                .isTrue();
        assertThat(impostor.statusBare(new Ops().destroySession(impostor.session)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(impostor.statusBare(new Ops().destroyClientid(impostor.clientId)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(server.program().isGraceRunning()).as("still nothing").isTrue();

        client.connect();
        assertThat(client.statusOf(new Ops().putFh(handle).openPrevious("o", 3)))
                .isEqualTo(Nfs4Status.OK);
        client.run(new Ops().reclaimComplete());
        assertThat(server.program().isGraceRunning()).isFalse();
    }

    @Test
    void restart_withNobodyToWaitFor_hasNoGrace() {
        V4Client client = V4Client.mounted(server, "c", 0);
        int[] stateid = client.create("f");
        client.run(new Ops().data().lookup("f").close(stateid));
        V4Client other = new V4Client(server, "never opened", 2, 0);
        other.connect();

        server.start();
        assertThat(server.program().isGraceRunning()).as("c had opened a file").isTrue();

        server.pass(V4Server.LEASE.plusSeconds(1));
        assertThat(server.program().isGraceRunning()).as("its time is up").isFalse();

        server.start();
        assertThat(server.program().isGraceRunning()).as("c did not come back").isFalse();
    }

    /** ESXi completes the reclaims of each file system that it mounts, and never those of the whole server. */
    @Test
    void reclaimComplete_ofOneFileSystemOnly_letsItsClientOpenOutsideTheGracePeriod() {
        V4Client esxi = new V4Client(server, "esxi", 1, 0);
        esxi.connect();
        Ops create = new Ops().data().openCreate("o", "f", 3, 0);

        assertThat(esxi.statusOf(create)).as("before any RECLAIM_COMPLETE").isEqualTo(Nfs4Status.GRACE);
        esxi.run(new Ops().data().reclaimCompleteOfOne());
        Reply opened = esxi.run(new Ops().data().openCreate("o", "f", 3, 0).getFh());
        opened.afterData().open();
        byte[] handle = opened.getFh();

        server.start();
        esxi.connect();
        V4Client other = new V4Client(server, "other", 1, 0);
        other.connect();
        other.run(new Ops().data().reclaimCompleteOfOne());
        esxi.run(new Ops().putFh(handle).openPrevious("o", 3));
        esxi.run(new Ops().data().reclaimCompleteOfOne());

        assertThat(server.program().isGraceRunning()).as("of all file systems").isTrue();
        assertThat(other.statusOf(new Ops().data().open("o", "f", 1, 0))).isEqualTo(Nfs4Status.GRACE);
        assertThat(esxi.statusOf(new Ops().data().open("o", "f", 1, 0))).isEqualTo(Nfs4Status.GRACE);

        server.pass(V4Server.LEASE.minusSeconds(1));
        esxi.run(new Ops());
        other.run(new Ops());
        server.pass(Duration.ofSeconds(2));

        assertThat(other.statusOf(new Ops().data().open("o", "f", 1, 0))).isEqualTo(Nfs4Status.OK);
        assertThat(esxi.statusOf(new Ops().data().open("o", "f", 1, 0))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void lease_withoutSessions_isRenewedByWhateverNamesTheClient() {
        V40Client client = V40Client.mounted(server, "c");
        Opened open = client.opened("o", "f", 3);
        Duration most = V4Server.LEASE.minusSeconds(1);
        server.pass(most);
        client.run(new Ops().putFh(open.handle()).read(open.stateid(), 0, 1));
        server.pass(most);
        client.run(client.renew());
        server.pass(most);
        V40Client other = V40Client.mounted(server, "other");

        assertThat(other.statusOf(other.openCreate(1, "o", "f", 1, 2))).isEqualTo(Nfs4Status.SHARE_DENIED);

        server.pass(Duration.ofSeconds(2));
        assertThat(other.statusOf(other.openCreate(1, "o", "f", 1, 2))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(client.renew())).isEqualTo(Nfs4Status.EXPIRED);
    }

    @Test
    void restart_withoutSessions_clientReclaimsAndOthersWait() {
        V40Client client = V40Client.mounted(server, "c");
        Opened open = client.opened("o", "f", 3);
        int[] lock = V40Client.stateidOf(
                client.run(client.lockNew(open.handle(), client.openSeqid++, open.stateid(), 1, "l", 0, 10)),
                OpCode.LOCK);
        server.program().close();
        server.start();

        assertThat(client.statusOf(client.renew())).isEqualTo(Nfs4Status.STALE_CLIENTID);
        assertThat(client.statusOf(new Ops().putFh(open.handle()).read(open.stateid(), 0, 1)))
                .isEqualTo(Nfs4Status.STALE_STATEID);
        assertThat(client.statusOf(V40Client.unlock(open.handle(), lock, 2, 0, 10)))
                .isEqualTo(Nfs4Status.STALE_STATEID);

        client.connect();
        V40Client other = V40Client.mounted(server, "other");
        assertThat(other.statusOf(other.openCreate(1, "o", "g", 3, 0))).isEqualTo(Nfs4Status.GRACE);
        assertThat(other.statusOf(other.openPrevious(open.handle(), 2, "o", 3))).isEqualTo(Nfs4Status.RECLAIM_BAD);

        Reply reclaimed = client.run(client.openPrevious(open.handle(), 1, "o", 3));
        reclaimed.op(OpCode.PUTFH);
        reclaimed.op(OpCode.OPEN);
        int[] stateid = reclaimed.stateid();
        reclaimed.words(5);
        assertThat(reclaimed.word()).as("rflags: POSIX locks, no confirmation").isEqualTo(4);

        client.run(client.lockReclaimed(open.handle(), 2, stateid, 1, "l", 0, 10));
        assertThat(client.statusOf(client.openCreate(3, "o", "g", 3, 0)))
                .as("a new open")
                .isEqualTo(Nfs4Status.GRACE);

        server.pass(V4Server.LEASE.plusSeconds(1));
        assertThat(client.statusOf(client.openCreate(4, "o", "g", 3, 0))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(client.openPrevious(open.handle(), 5, "o", 3)))
                .isEqualTo(Nfs4Status.NO_GRACE);
    }
}
