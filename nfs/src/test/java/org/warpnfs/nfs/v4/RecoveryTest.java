package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Client identities, leases, and what happens when the server is killed and started again. */
class RecoveryTest {
    private static final int UPDATE = 0x40000000;
    private static final int CONFIRMED = 0x80000000;

    @TempDir
    Path directory;

    private static Nfs4Status exchange(V4Client client, String owner, long verifier, int flags) {
        return client.sendBare(new Ops().exchangeId(verifier, owner, flags)).status();
    }

    @Test
    void exchangeId_inAllItsCases() {
        V4Server server = new V4Server();
        V4Client client = new V4Client(server, "owner", 1, 0);
        assertThat(exchange(client, "owner", 1, UPDATE)).as("update of nothing").isEqualTo(Nfs4Status.NOENT);
        // Twice without CREATE_SESSION: the second replaces the first.
        client.readExchangeId(client.sendBare(new Ops().exchangeId(1, "owner", 0)));
        long first = client.clientId;
        client.connect();
        assertThat(client.clientId).isNotEqualTo(first);
        long confirmed = client.clientId;
        int flags = client.readExchangeId(client.sendBare(new Ops().exchangeId(1, "owner", 0)));
        assertThat(flags & CONFIRMED).isEqualTo(CONFIRMED);
        assertThat(client.clientId).isEqualTo(confirmed);
        assertThat(exchange(client, "owner", 1, UPDATE)).isEqualTo(Nfs4Status.OK);
        assertThat(exchange(client, "owner", 2, UPDATE)).isEqualTo(Nfs4Status.NOT_SAME);
        client.uid = 5;
        assertThat(exchange(client, "owner", 1, UPDATE)).isEqualTo(Nfs4Status.PERM);
        client.uid = 0;
        assertThat(exchange(client, "owner", 1, 8)).as("an unknown flag").isEqualTo(Nfs4Status.INVAL);
        // With state it is not taken over by another principal; a restart of the client lets its state go.
        client.run(new Ops().reclaimComplete());
        client.run(new Ops().data().openCreate("o", "f", 3, 3));
        client.uid = 5;
        assertThat(exchange(client, "owner", 1, 0)).isEqualTo(Nfs4Status.CLID_INUSE);
        client.uid = 0;
        V4Client restarted = new V4Client(server, "owner", 1, 0);
        restarted.verifier = 99;
        restarted.connect();
        assertThat(server.program().counts().opens()).isZero();
        assertThat(client.statusOf(new Ops())).isEqualTo(Nfs4Status.BADSESSION);
        server.close();
    }

    @Test
    void lease_runOut_keepsStateUntilSomeoneWantsIt() {
        V4Server server = new V4Server();
        V4Client client = V4Client.mounted(server, "c", 0);
        V4Client idle = V4Client.mounted(server, "idle", 0);
        client.run(new Ops().data().openCreate("o", "f", 3, 0));
        server.pass(V4Server.LEASE.multipliedBy(10));
        V4Client late = V4Client.mounted(server, "late", 0);
        assertThat(idle.statusOf(new Ops())).as("held nothing").isEqualTo(Nfs4Status.BADSESSION);
        assertThat(client.statusOf(new Ops().data().lookup("f"))).isEqualTo(Nfs4Status.OK);
        assertThat(late.statusOf(new Ops().data().open("o", "f", 3, 0))).isEqualTo(Nfs4Status.OK);
        server.close();
    }

    @Test
    void restart_withStateHeld_letsItsHolderReclaimAndOthersWait() {
        V4Server server = new V4Server(directory);
        V4Client client = V4Client.mounted(server, "c", 0);
        Reply opened = client.run(new Ops().data().openCreate("o", "f", 3, 0).getFh());
        int[] old = opened.afterData().open();
        byte[] handle = opened.getFh();
        client.run(new Ops().putFh(handle).lock(2, false, 0, 100, old, "l"));
        server.start();
        assertThat(server.program().isGraceRunning()).isTrue();
        assertThat(client.statusOf(new Ops().putFh(handle))).isEqualTo(Nfs4Status.BADSESSION);
        assertThat(client.sendBare(new Ops().createSession(client.clientId, client.createSequence))
                        .status())
                .isEqualTo(Nfs4Status.STALE_CLIENTID);
        V4Client other = new V4Client(server, "other", 2, 0);
        other.connect();
        assertThat(other.statusOf(new Ops().putFh(handle).openPrevious("x", 3))).isEqualTo(Nfs4Status.RECLAIM_BAD);
        other.run(new Ops().reclaimComplete());
        assertThat(other.statusOf(new Ops().reclaimComplete())).isEqualTo(Nfs4Status.COMPLETE_ALREADY);
        assertThat(other.statusOf(new Ops().data().open("x", "f", 1, 0))).isEqualTo(Nfs4Status.GRACE);
        assertThat(other.statusOf(new Ops().putFh(handle).read(new int[4], 0, 1)))
                .isEqualTo(Nfs4Status.GRACE);
        assertThat(other.statusOf(new Ops().data().named(OpCode.REMOVE, "f"))).isEqualTo(Nfs4Status.GRACE);

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
        int[] theirs =
                other.run(new Ops().data().open("x", "f", 3, 0)).afterData().open();
        assertThat(other.statusOf(new Ops().putFh(handle).lock(2, false, 0, 1, theirs, "m")))
                .isEqualTo(Nfs4Status.DENIED);
        server.close();
    }

    @Test
    void grace_idUnderAHoldersNameIsGivenUpUnconfirmed_goesOn() {
        V4Server server = new V4Server(directory);
        V4Client client = V4Client.mounted(server, "c", 0);
        client.run(new Ops().data().openCreate("o", "f", 3, 0));
        server.start();
        V4Client impostor = new V4Client(server, "c", 2, 0);
        impostor.readExchangeId(impostor.sendBare(new Ops().exchangeId(99, "c", 0)));
        assertThat(impostor.sendBare(new Ops().add(OpCode.DESTROY_CLIENTID, c -> c.hyper(impostor.clientId)))
                        .status())
                .isEqualTo(Nfs4Status.OK);
        assertThat(server.program().isGraceRunning())
                .as("c has reclaimed nothing")
                .isTrue();
        server.close();
    }

    @Test
    void ids_ofClientsAndStates_sayNothingOfOthers() {
        V4Server server = new V4Server(directory);
        V4Client first = V4Client.mounted(server, "c", 0);
        long previousClient = first.clientId;
        int[] previous = first.run(new Ops().data().openCreate("o", "f", 3, 0))
                .afterData()
                .open();
        int near = 0;
        for (int i = 0; i < 8; i++) {
            V4Client next = V4Client.mounted(server, "c" + i, 0);
            int[] stateid =
                    next.run(new Ops().data().open("o", "f", 3, 0)).afterData().open();
            near += Math.abs(next.clientId - previousClient) < 1 << 16 ? 1 : 0;
            near += stateid[2] == previous[2] ? 1 : 0;
            previousClient = next.clientId;
            previous = stateid;
        }
        assertThat(near).as("ids near the one before").isLessThan(3);
        server.close();
    }

    @Test
    void restart_withNobodyToWaitFor_hasNoGrace() {
        V4Server server = new V4Server(directory);
        V4Client client = V4Client.mounted(server, "c", 0);
        int[] stateid = client.run(new Ops().data().openCreate("o", "f", 3, 0))
                .afterData()
                .open();
        client.run(new Ops().data().lookup("f").close(stateid));
        V4Client other = new V4Client(server, "never opened", 2, 0);
        other.connect();
        server.start();
        assertThat(server.program().isGraceRunning()).as("c had opened a file").isTrue();
        server.pass(V4Server.LEASE.plusSeconds(1));
        assertThat(server.program().isGraceRunning()).as("its time is up").isFalse();
        server.start();
        assertThat(server.program().isGraceRunning()).as("c did not come back").isFalse();
        server.close();
    }
}
