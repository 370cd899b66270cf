package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** CREATE_SESSION, DESTROY_SESSION and DESTROY_CLIENTID. */
class CreateSessionTest {
    private final V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void createSession_repeated_answersTheSame() {
        V4Client client = V4Client.identified(server, "c", 1);
        byte[] message = client.message("", 1, new Ops().createSession(client.clientId, client.createSequence));
        byte[] first = server.send(message);

        assertThat(server.send(message)).isEqualTo(first);
        assertThat(server.program().counts().sessions()).isEqualTo(1);
    }

    @Test
    void createSession_outOfOrderOrForNoClient_isRefused() {
        V4Client client = V4Client.identified(server, "c", 1);
        client.sendBare(new Ops().createSession(client.clientId, client.createSequence));

        assertThat(client.statusBare(new Ops().createSession(client.clientId, client.createSequence + 2)))
                .isEqualTo(Nfs4Status.SEQ_MISORDERED);
        assertThat(client.statusBare(new Ops().createSession(client.clientId + 1, 1)))
                .isEqualTo(Nfs4Status.STALE_CLIENTID);
    }

    @Test
    void createSession_withABackChannelTooSmallForACall_isTooSmallThoughNobodyAsksForIt() {
        V4Client client = V4Client.identified(server, "c", 1);
        Ops ops = new Ops().add(OpCode.CREATE_SESSION, c -> c.hyper(client.clientId)
                .words(client.createSequence, 0)
                .words(0, 8192, 8192, 8192, 128, 8, 0)
                .words(0, 10, 8192, 8192, 128, 8, 0)
                .words(123, 0));

        assertThat(client.statusBare(ops)).isEqualTo(Nfs4Status.TOOSMALL);
    }

    @Test
    void destroy_ofSessionThenClient_leavesNothing() {
        V4Client client = V4Client.mounted(server, "c", 0);
        Ops destroyClient = new Ops().destroyClientid(client.clientId);
        Ops destroySession = new Ops().destroySession(client.session);

        assertThat(client.statusBare(destroyClient)).isEqualTo(Nfs4Status.CLIENTID_BUSY);
        assertThat(client.statusBare(destroySession)).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusBare(destroySession)).isEqualTo(Nfs4Status.BADSESSION);
        assertThat(client.statusBare(destroyClient)).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusBare(destroyClient)).isEqualTo(Nfs4Status.STALE_CLIENTID);
        assertThat(server.program().counts().clients()).isZero();
    }
}
