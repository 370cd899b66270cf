package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** SEQUENCE: the order of requests in a slot, the replies that are kept for retries, and the sizes of a session. */
class SequenceTest {
    private final V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void sequence_repeated_answersTheSameBytes() {
        V4Client client = V4Client.mounted(server, "c", 0);
        byte[] message =
                client.message("", 2, client.sequence(3, 1, new Ops().data().remove("nothing")));
        byte[] first = server.send(message);
        server.newFile("nothing", 0644, new byte[1]);

        assertThat(server.send(message)).isEqualTo(first);
    }

    @Test
    void sequence_repeatedUncached_saysSo() {
        V4Client client = V4Client.mounted(server, "c", 0);
        client.cacheThis = false;
        byte[] message = client.message("", 2, client.sequence(3, 1, new Ops().root()));
        assertThat(new Reply(server.send(message)).status()).isEqualTo(Nfs4Status.OK);

        Reply again = new Reply(server.send(message));

        assertThat(again.status()).isEqualTo(Nfs4Status.RETRY_UNCACHED_REP);
        again.skipSequence();
        again.op(OpCode.PUTROOTFH, Nfs4Status.RETRY_UNCACHED_REP);
    }

    @Test
    void sequence_repeatedWithOtherContent_isFalseRetry() {
        V4Client client = V4Client.mounted(server, "c", 0);
        client.sendBare(client.sequence(5, 1, new Ops().root()));

        assertThat(client.statusBare(client.sequence(5, 1, new Ops().root().getFh())))
                .isEqualTo(Nfs4Status.SEQ_FALSE_RETRY);

        client.uid = 77;
        assertThat(client.statusBare(client.sequence(5, 1, new Ops().root()))).isEqualTo(Nfs4Status.SEQ_FALSE_RETRY);
    }

    @Test
    void sequence_outOfOrder_isMisordered() {
        V4Client client = V4Client.mounted(server, "c", 0);

        assertThat(client.statusBare(client.sequence(5, 2, new Ops()))).isEqualTo(Nfs4Status.SEQ_MISORDERED);
        assertThat(client.statusBare(client.sequence(5, 0, new Ops()))).isEqualTo(Nfs4Status.SEQ_MISORDERED);
        assertThat(client.statusBare(client.sequence(5, 1, new Ops()))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusBare(client.sequence(5, 3, new Ops()))).isEqualTo(Nfs4Status.SEQ_MISORDERED);
    }

    @Test
    void sequence_beyondTheSlots_isBadSlot() {
        V4Client client = V4Client.mounted(server, "c", 0);

        assertThat(client.statusBare(client.sequence(16, 1, new Ops()))).isEqualTo(Nfs4Status.BADSLOT);
    }

    @Test
    void sequence_ofNoSession_isBadSession() {
        V4Client client = V4Client.mounted(server, "c", 0);
        client.session[15]++;

        assertThat(client.statusOf(new Ops())).isEqualTo(Nfs4Status.BADSESSION);
    }

    @Test
    void sequence_elsewhereThanFirst_isMisplaced() {
        V4Client client = V4Client.mounted(server, "c", 0);

        Reply reply = client.send(client.sequence(1, 1, new Ops()));

        assertThat(reply.status()).isEqualTo(Nfs4Status.SEQUENCE_POS);
    }

    @Test
    void sequence_beforeTooManyOperations_refusesThemAndLeavesTheSlot() {
        V4Client client = V4Client.mounted(server, "c", 0);
        Ops many = new Ops();
        for (int i = 0; i < 16; i++) {
            many.root();
        }

        Reply reply = client.sendBare(client.sequence(0, client.seqids[0] + 1, many));

        assertThat(reply.status()).isEqualTo(Nfs4Status.TOO_MANY_OPS);
        reply.op(OpCode.SEQUENCE, Nfs4Status.TOO_MANY_OPS);
        assertThat(client.statusOf(new Ops().root())).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void sequence_toBeCachedInLessThanItTakes_isTooBigToCacheAndLeavesTheSlot() {
        V4Client client = V4Client.identified(server, "c", 1);
        client.createSession(8192, 10);

        assertThat(client.statusBare(client.sequence(0, 1, new Ops()))).isEqualTo(Nfs4Status.REP_TOO_BIG_TO_CACHE);

        client.cacheThis = false;
        assertThat(client.statusBare(client.sequence(0, 1, new Ops()))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void reply_largerThanTheSessionTakes_isTooBig() {
        V4Client client = new V4Client(server, "c", 2, 0);
        client.connect();
        client.run(new Ops().reclaimComplete());
        client.run(new Ops().data().makeSymlink("six hundred", "x".repeat(600), Fattr.mode(0777)));
        client.run(new Ops().data().makeSymlink("a thousand", "x".repeat(1000), Fattr.mode(0777)));
        client.createSession(1024, 300);

        assertThat(client.statusOf(new Ops().data().lookup("six hundred").op(OpCode.READLINK)))
                .isEqualTo(Nfs4Status.REP_TOO_BIG_TO_CACHE);

        client.cacheThis = false;
        assertThat(client.statusOf(new Ops().data().lookup("six hundred").op(OpCode.READLINK)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("a thousand").op(OpCode.READLINK)))
                .isEqualTo(Nfs4Status.REP_TOO_BIG);
    }

    @Test
    void request_largerThanTheSessionTakes_isTooBigAndNotExecuted() {
        V4Client client = new V4Client(server, "c", 2, 0);
        client.connect();
        client.createSession(1024, 300);
        client.run(new Ops().reclaimComplete());
        server.newFile("f", 0644, new byte[0]);

        assertThat(client.statusOf(new Ops().data().lookup("f").write(Ops.ANONYMOUS, 0, 2, new byte[2000])))
                .isEqualTo(Nfs4Status.REQ_TOO_BIG);

        Reply reply = client.run(new Ops().data().lookup("f").getAttrs(Fattr.SIZE));
        assertThat(reply.afterFile().getAttrs(Fattr.SIZE)).isEqualTo(8);
        assertThat(reply.hyper()).as("size").isZero();
    }
}
