package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** CLOSE, and the state that it frees. */
class CloseTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void close_ofAnOpen_leavesNothingToClose() {
        int[] open = client.create("f");

        assertThat(client.statusOf(new Ops().data().lookup("f").close(open))).isEqualTo(Nfs4Status.OK);

        assertThat(client.statusOf(new Ops().data().lookup("f").close(open))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().counts().opens()).isZero();
    }

    @Test
    void close_withLocks_freesThem() {
        V4Client other = V4Client.mounted(server, "other", 0);
        int[] open = client.create("f");
        int[] theirs = other.open("o", "f", 3);
        client.run(new Ops().data().lookup("f").lock(2, false, 0, -1, open, "a"));

        client.run(new Ops().data().lookup("f").close(open));

        assertThat(other.statusOf(new Ops().data().lookup("f").lock(2, false, 0, -1, theirs, "b")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(server.program().counts().stateids()).isEqualTo(2);
    }

    @Test
    void currentStateid_carriesFromOpenToCloseInOneCompound() {
        Ops ops = new Ops()
                .data()
                .openCreate("o", "f", 3, 0)
                .write(Ops.CURRENT, 0, 2, "x")
                .close(Ops.CURRENT);

        assertThat(client.statusOf(ops)).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("f").close(Ops.CURRENT)))
                .as("in the next one there is none")
                .isEqualTo(Nfs4Status.BAD_STATEID);
    }
}
