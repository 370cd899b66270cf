package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** COMPOUND itself: its tag, its minor version, and the operations that it may have (RFC 8881, section 16.2). */
class CompoundTest {
    private static final int ILLEGAL = 10044;

    private final V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void compound_withTag_echoesItByteByByte() {
        V4Client client = new V4Client(server, "c", 1, 0);

        ReplyReader reply = new ReplyReader(server.send(client.message("t\u00e4g\u0001", 1, new Ops())));

        assertThat(reply.word()).isZero();
        assertThat(reply.string()).isEqualTo("t\u00e4g\u0001");
        assertThat(reply.word()).isZero();
        assertThat(reply.remaining()).isZero();
    }

    @Test
    void compound_ofAnotherMinorVersion_mismatchesWithoutResults() {
        V4Client client = new V4Client(server, "c", 1, 0);

        for (int minor : new int[] {3, 4, -1}) {
            Reply reply = new Reply(server.send(client.message("", minor, new Ops().root())));

            assertThat(reply.status()).isEqualTo(Nfs4Status.MINOR_VERS_MISMATCH);
            assertThat(reply.count()).isZero();
            reply.end();
        }
    }

    @Test
    void compound_withoutSequence_isNotInSession() {
        V4Client client = new V4Client(server, "c", 1, 0);

        Reply reply = client.sendBare(new Ops().root().getFh());

        assertThat(reply.status()).isEqualTo(Nfs4Status.OP_NOT_IN_SESSION);
        assertThat(reply.count()).isEqualTo(1);
        reply.op(OpCode.PUTROOTFH, Nfs4Status.OP_NOT_IN_SESSION);
        reply.end();
    }

    @Test
    void compound_sessionOperationNotAlone_isNotOnlyOp() {
        V4Client client = new V4Client(server, "c", 1, 0);

        Reply reply = client.sendBare(new Ops().exchangeId(1, "c", 0).root());

        assertThat(reply.status()).isEqualTo(Nfs4Status.NOT_ONLY_OP);
    }

    @Test
    void compound_failing_stopsThere() {
        V4Client client = V4Client.mounted(server, "c", 0);

        Reply reply = client.send(new Ops().root().lookup("nothing").getFh());

        assertThat(reply.count()).isEqualTo(3);
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.LOOKUP, Nfs4Status.NOENT);
        reply.end();
    }

    @Test
    void compound_operationsMissing_badXdrForTheFirstOfThem() {
        V4Client client = V4Client.mounted(server, "c", 0);
        Ops ops = client.sequence(0, ++client.seqids[0], new Ops().root());
        ops.count = 5;

        Reply reply = client.sendBare(ops);

        assertThat(reply.status()).isEqualTo(Nfs4Status.BADXDR);
        assertThat(reply.count()).isEqualTo(3);
    }

    @Test
    void call_thatIsNoCompound_isGarbage() {
        V4Client client = new V4Client(server, "c", 1, 0);
        byte[] whole = client.message("tag", 1, new Ops().root());
        int header = server.begin(0).toBytes().length;

        for (int length = header; length < header + 16; length++) {
            ReplyReader reply = new ReplyReader(server.send(Arrays.copyOf(whole, length)));

            assertThat(reply.stat()).isEqualTo(ReplyReader.GARBAGE_ARGS);
        }
    }

    @Test
    void compound_withUnknownOperation_isIllegal() {
        V4Client client = V4Client.mounted(server, "c", 0);

        for (int number : new int[] {0, 1, 2, 76, 500, -1, ILLEGAL}) {
            Reply reply = client.send(new Ops().op(number));

            assertThat(reply.status()).isEqualTo(Nfs4Status.OP_ILLEGAL);
            reply.op(ILLEGAL, Nfs4Status.OP_ILLEGAL);
            reply.end();
        }
    }

    @Test
    void compound_withKnownOperationNotServed_isNotSupported() {
        V4Client client = V4Client.mounted(server, "c", 0);

        for (int number : new int[] {7, 19, 20, 30, 35, 36, 39, 47, 48, 49, 50, 51, 54, 56, 61, 64, 65, 66, 67, 70}) {
            Reply reply = client.send(new Ops().root().op(number));

            assertThat(reply.status()).as("operation %d", number).isEqualTo(Nfs4Status.NOTSUPP);
        }
    }

    @Test
    void compound_ofMinorVersion1_doesNotKnowOperationsOf2() {
        V4Client client = new V4Client(server, "c", 1, 0);
        client.connect();

        assertThat(client.statusOf(new Ops().root().op(OpCode.SEEK))).isEqualTo(Nfs4Status.OP_ILLEGAL);
    }

    @Test
    void compound_ofMinorVersion0_doesNotKnowOperationsOfLaterOnes() {
        V40Client client = V40Client.mounted(server, "c");

        for (int number : new int[] {2, 40, 42, 43, 53, 58, 59, 68, 72, 75}) {
            Reply reply = client.send(new Ops().op(number));

            assertThat(reply.status()).as("operation %d", number).isEqualTo(Nfs4Status.OP_ILLEGAL);
            reply.op(ILLEGAL, Nfs4Status.OP_ILLEGAL);
        }
        assertThat(client.statusOf(new Ops().add(OpCode.DELEGPURGE, c -> c.hyper(client.clientId))))
                .as("DELEGPURGE")
                .isEqualTo(Nfs4Status.NOTSUPP);
    }

    @Test
    void compound_ofLaterMinorVersions_doesNotServeOperationsOf0Alone() {
        V40Client client = V40Client.mounted(server, "c");
        V4Client modern = V4Client.mounted(server, "modern", 0);

        assertThat(modern.statusOf(client.renew())).isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(modern.statusOf(client.releaseLockOwner("l"))).isEqualTo(Nfs4Status.NOTSUPP);
    }

    @Test
    void compound_ofMinorVersion0_tooManyOperations_isResource() {
        V40Client client = V40Client.mounted(server, "c");
        Ops tooMany = new Ops();
        for (int i = 0; i < 65; i++) {
            tooMany.root();
        }

        assertThat(client.statusOf(tooMany)).isEqualTo(Nfs4Status.RESOURCE);
    }
}
