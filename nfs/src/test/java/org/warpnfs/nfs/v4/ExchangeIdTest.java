package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** EXCHANGE_ID in its cases (RFC 8881, section 18.35.4), and the ids that it returns. */
class ExchangeIdTest {
    private static final int UPDATE = 0x4000_0000;
    private static final int CONFIRMED = 0x8000_0000;
    private static final int FENCE_OPS = 4;
    private static final int UNKNOWN = 8;

    private final V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private static Nfs4Status exchange(V4Client client, long verifier, int flags) {
        return client.statusBare(new Ops().exchangeId(verifier, client.name, flags));
    }

    private V4Client connected() {
        V4Client client = new V4Client(server, "owner", 1, 0);
        client.connect();
        return client;
    }

    @Test
    void exchangeId_updateOfNothing_noEnt() {
        V4Client client = new V4Client(server, "owner", 1, 0);

        assertThat(exchange(client, 1, UPDATE)).isEqualTo(Nfs4Status.NOENT);
    }

    @Test
    void exchangeId_twiceWithoutCreateSession_replacesTheFirst() {
        V4Client client = V4Client.identified(server, "owner", 1);
        long first = client.clientId;

        client.connect();

        assertThat(client.clientId).isNotEqualTo(first);
    }

    @Test
    void exchangeId_ofAConfirmedClient_givesItsIdAgain() {
        V4Client client = connected();
        long confirmed = client.clientId;

        int flags = client.readExchangeId(client.sendBare(new Ops().exchangeId(1, "owner", 0)));

        assertThat(flags & CONFIRMED).isEqualTo(CONFIRMED);
        assertThat(client.clientId).isEqualTo(confirmed);
    }

    @Test
    void exchangeId_updateOfAConfirmedClient_needsItsVerifierAndPrincipal() {
        V4Client client = connected();

        assertThat(exchange(client, 1, UPDATE)).isEqualTo(Nfs4Status.OK);
        assertThat(exchange(client, 2, UPDATE)).isEqualTo(Nfs4Status.NOT_SAME);

        client.uid = 5;
        assertThat(exchange(client, 1, UPDATE)).isEqualTo(Nfs4Status.PERM);
    }

    @Test
    void exchangeId_byAnotherPrincipal_isInUseWhileThereIsState() {
        V4Client client = connected();
        client.run(new Ops().reclaimComplete());
        client.run(new Ops().data().openCreate("o", "f", 3, 3));

        client.uid = 5;

        assertThat(exchange(client, 1, 0)).isEqualTo(Nfs4Status.CLID_INUSE);
    }

    /** RFC 8881, section 18.35.3. This server has no algorithm for SSV. */
    @Test
    void exchangeId_withSsv_isRefusedByItsAlgorithms() {
        V4Client client = new V4Client(server, "owner", 1, 0);

        assertThat(client.statusBare(new Ops().exchangeIdWithSsv("owner", 1, 2)))
                .isEqualTo(Nfs4Status.HASH_ALG_UNSUPP);
        assertThat(client.statusBare(new Ops().exchangeIdWithSsv("owner", 0, 1)))
                .isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusBare(new Ops().exchangeIdWithSsv("owner", 1, 0)))
                .isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusBare(new Ops().exchangeIdWithSsv("owner", 65, 1)))
                .isEqualTo(Nfs4Status.BADXDR);
    }

    @Test
    void exchangeId_ofARestartedClient_letsItsStateGo() {
        V4Client client = connected();
        client.run(new Ops().reclaimComplete());
        client.run(new Ops().data().openCreate("o", "f", 3, 3));
        V4Client restarted = new V4Client(server, "owner", 1, 0);
        restarted.verifier = 99;

        restarted.connect();

        assertThat(server.program().counts().opens()).isZero();
        assertThat(client.statusOf(new Ops())).isEqualTo(Nfs4Status.BADSESSION);
    }

    @Test
    void exchangeId_withAFlagOfALaterVersion_isInvalid() {
        V4Client older = new V4Client(server, "c", 1, 0);
        V4Client newer = new V4Client(server, "c", 2, 0);

        assertThat(exchange(older, 1, FENCE_OPS)).isEqualTo(Nfs4Status.INVAL);
        assertThat(exchange(older, 1, UNKNOWN)).isEqualTo(Nfs4Status.INVAL);
        assertThat(exchange(newer, 1, FENCE_OPS)).isEqualTo(Nfs4Status.OK);
        assertThat(exchange(newer, 1, UNKNOWN)).isEqualTo(Nfs4Status.INVAL);
    }

    @Test
    void ids_ofClientsAndStates_sayNothingOfOthers(@TempDir Path directory) {
        V4Server durable = new V4Server(directory);
        V4Client first = V4Client.mounted(durable, "c", 0);
        long previousClient = first.clientId;
        int[] previous = first.create("f");

        int near = 0;
        for (int i = 0; i < 8; i++) {
            V4Client next = V4Client.mounted(durable, "c" + i, 0);
            int[] stateid = next.open("o", "f", 3);
            near += Math.abs(next.clientId - previousClient) < 1 << 16 ? 1 : 0;
            near += stateid[2] == previous[2] ? 1 : 0;
            previousClient = next.clientId;
            previous = stateid;
        }

        assertThat(near).as("ids near the one before").isLessThan(3);
        durable.close();
    }
}
