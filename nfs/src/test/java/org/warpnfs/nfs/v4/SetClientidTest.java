package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** SETCLIENTID and SETCLIENTID_CONFIRM of NFSv4.0 in all their cases (RFC 7530, sections 16.33.5 and 16.34.5). */
class SetClientidTest {
    private final V4Server server = new V4Server();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void setClientid_twiceWithoutConfirmation_replacesTheFirst() {
        V40Client client = new V40Client(server, "c");
        client.readClientid(client.send(client.setClientid(1)));
        Ops late = client.confirm();
        client.readClientid(client.send(client.setClientid(1)));

        assertThat(client.statusOf(late)).isEqualTo(Nfs4Status.STALE_CLIENTID);
        assertThat(client.statusOf(client.confirm())).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(client.confirm())).as("a repetition").isEqualTo(Nfs4Status.OK);
    }

    @Test
    void confirm_withAnotherVerifier_isStale() {
        V40Client client = new V40Client(server, "c");
        client.readClientid(client.send(client.setClientid(1)));

        assertThat(client.statusOf(V40Client.confirm(client.clientId, client.confirmVerifier + 1)))
                .isEqualTo(Nfs4Status.STALE_CLIENTID);
        assertThat(client.statusOf(client.renew())).as("not confirmed").isEqualTo(Nfs4Status.STALE_CLIENTID);

        client.run(client.confirm());
        assertThat(client.statusOf(V40Client.confirm(client.clientId, client.confirmVerifier + 1)))
                .isEqualTo(Nfs4Status.STALE_CLIENTID);
        assertThat(client.statusOf(client.renew())).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void setClientid_ofTheSameInstance_keepsIdAndState() {
        V40Client client = V40Client.mounted(server, "c");
        long id = client.clientId;
        client.opened("o", "f", 3);

        client.readClientid(client.send(client.setClientid(1)));
        assertThat(client.clientId).isEqualTo(id);
        assertThat(client.statusOf(client.renew()))
                .as("before the confirmation")
                .isEqualTo(Nfs4Status.OK);

        client.run(client.confirm());
        assertThat(server.program().counts().opens()).isEqualTo(1);
        assertThat(server.program().counts().clients()).isEqualTo(1);
    }

    @Test
    void setClientid_afterARestartOfTheClient_letsItsStateGoWhenConfirmed() {
        V40Client client = V40Client.mounted(server, "c");
        Opened open = client.opened("o", "f", 3);
        V40Client restarted = new V40Client(server, "c");

        restarted.readClientid(restarted.send(restarted.setClientid(2)));
        assertThat(server.program().counts().opens()).as("not yet").isEqualTo(1);

        restarted.run(restarted.confirm());
        assertThat(server.program().counts().opens()).isZero();
        assertThat(client.statusOf(client.renew())).isEqualTo(Nfs4Status.EXPIRED);
        assertThat(client.statusOf(new Ops().putFh(open.handle()).read(open.stateid(), 0, 10)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void setClientid_ofAnotherPrincipal_isInUseWhileThereIsState() {
        V40Client client = V40Client.mounted(server, "c");
        client.opened("o", "f", 3);
        V40Client other = new V40Client(server, "c");
        other.wire.uid = 1000;

        Reply refused = other.send(other.setClientid(5));
        refused.op(OpCode.SETCLIENTID, Nfs4Status.CLID_INUSE);
        assertThat(refused.string()).as("netid of whoever has it").isEmpty();
        assertThat(refused.string()).as("address of whoever has it").isEmpty();
        refused.end();

        server.pass(V4Server.LEASE.plusSeconds(1));
        assertThat(other.statusOf(other.setClientid(5))).as("its lease ran out").isEqualTo(Nfs4Status.OK);
    }

    @Test
    void confirm_byAnotherPrincipal_isInUse() {
        V40Client client = new V40Client(server, "c");
        client.readClientid(client.send(client.setClientid(1)));
        client.wire.uid = 1000;

        assertThat(client.statusOf(client.confirm())).isEqualTo(Nfs4Status.CLID_INUSE);
    }

    @Test
    void names_ofClientsWithSessions_areTheirs() {
        V4Client modern = V4Client.mounted(server, "same", 0);
        modern.run(new Ops().data().openCreate("o", "f", 3, 0));
        V40Client client = new V40Client(server, "same");

        assertThat(client.statusOf(client.setClientid(1))).isEqualTo(Nfs4Status.CLID_INUSE);

        V40Client old = V40Client.mounted(server, "old");
        old.opened("o", "g", 3);
        V4Client wantsItsName = new V4Client(server, "old", 1, 0);
        assertThat(wantsItsName.sendBare(new Ops().exchangeId(1, "old", 0)).status())
                .isEqualTo(Nfs4Status.CLID_INUSE);
        assertThat(wantsItsName
                        .sendBare(new Ops().createSession(old.clientId, 1))
                        .status())
                .as("a session for an id of NFSv4.0")
                .isEqualTo(Nfs4Status.STALE_CLIENTID);
        assertThat(client.statusOf(new Ops().renew(modern.clientId)))
                .as("RENEW of an id with sessions")
                .isEqualTo(Nfs4Status.STALE_CLIENTID);
    }
}
