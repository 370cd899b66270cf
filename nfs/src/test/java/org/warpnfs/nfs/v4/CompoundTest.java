package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** The rules of COMPOUND, and sessions as a client sees them. */
class CompoundTest {
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
    void compound_withUnknownOperation_isIllegal() {
        V4Client client = V4Client.mounted(server, "c", 0);
        for (int number : new int[] {0, 1, 2, 76, 500, -1, 10044}) {
            Reply reply = client.send(new Ops().op(number));
            assertThat(reply.status()).isEqualTo(Nfs4Status.OP_ILLEGAL);
            reply.op(10044, Nfs4Status.OP_ILLEGAL);
            reply.end();
        }
    }

    @Test
    void compound_withKnownOperationNotServed_isNotSupported() {
        V4Client client = V4Client.mounted(server, "c", 0);
        for (int number :
                new int[] {7, 19, 20, 30, 35, 36, 39, 46, 47, 48, 49, 50, 51, 54, 56, 61, 64, 65, 66, 67, 70}) {
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
    void compound_sequenceElsewhereThanFirst_isMisplaced() {
        V4Client client = V4Client.mounted(server, "c", 0);
        Reply reply = client.send(client.sequence(1, 1, new Ops()));
        assertThat(reply.status()).isEqualTo(Nfs4Status.SEQUENCE_POS);
    }

    @Test
    void compound_sessionOperationNotAlone_isNotOnlyOp() {
        V4Client client = new V4Client(server, "c", 1, 0);
        Reply reply = client.sendBare(new Ops().exchangeId(1, "c", 0).root());
        assertThat(reply.status()).isEqualTo(Nfs4Status.NOT_ONLY_OP);
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
    void compound_failing_stopsThere() {
        V4Client client = V4Client.mounted(server, "c", 0);
        Reply reply = client.send(new Ops().root().lookup("nothing").getFh());
        assertThat(reply.count()).isEqualTo(3);
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.LOOKUP, Nfs4Status.NOENT);
        reply.end();
    }

    @Test
    void compound_tooManyOperations_refusedBySequence() {
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
    void sequence_repeated_answersTheSameBytes() {
        V4Client client = V4Client.mounted(server, "c", 0);
        byte[] message =
                client.message("", 2, client.sequence(3, 1, new Ops().data().named(OpCode.REMOVE, "nothing")));
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
    void sequence_outOfOrder_isMisordered() {
        V4Client client = V4Client.mounted(server, "c", 0);
        assertThat(client.sendBare(client.sequence(5, 2, new Ops())).status()).isEqualTo(Nfs4Status.SEQ_MISORDERED);
        assertThat(client.sendBare(client.sequence(5, 0, new Ops())).status()).isEqualTo(Nfs4Status.SEQ_MISORDERED);
        assertThat(client.sendBare(client.sequence(5, 1, new Ops())).status()).isEqualTo(Nfs4Status.OK);
        assertThat(client.sendBare(client.sequence(5, 3, new Ops())).status()).isEqualTo(Nfs4Status.SEQ_MISORDERED);
    }

    @Test
    void sequence_repeatedWithOtherContent_isFalseRetry() {
        V4Client client = V4Client.mounted(server, "c", 0);
        client.sendBare(client.sequence(5, 1, new Ops().root()));
        assertThat(client.sendBare(client.sequence(5, 1, new Ops().root().getFh()))
                        .status())
                .isEqualTo(Nfs4Status.SEQ_FALSE_RETRY);
        client.uid = 77;
        assertThat(client.sendBare(client.sequence(5, 1, new Ops().root())).status())
                .isEqualTo(Nfs4Status.SEQ_FALSE_RETRY);
    }

    @Test
    void sequence_beyondTheSlots_isBadSlot() {
        V4Client client = V4Client.mounted(server, "c", 0);
        assertThat(client.sendBare(client.sequence(16, 1, new Ops())).status()).isEqualTo(Nfs4Status.BADSLOT);
    }

    @Test
    void sequence_ofNoSession_isBadSession() {
        V4Client client = V4Client.mounted(server, "c", 0);
        client.session[15]++;
        assertThat(client.statusOf(new Ops())).isEqualTo(Nfs4Status.BADSESSION);
    }

    @Test
    void sequence_toBeCachedInLessThanItTakes_isTooBigToCacheAndLeavesTheSlot() {
        V4Client client = new V4Client(server, "c", 1, 0);
        client.readExchangeId(client.sendBare(new Ops().exchangeId(1, "c", 0)));
        client.readSession(
                client.sendBare(new Ops().createSession(client.clientId, client.createSequence, 8192, 10, 4)));
        assertThat(client.sendBare(client.sequence(0, 1, new Ops())).status())
                .isEqualTo(Nfs4Status.REP_TOO_BIG_TO_CACHE);
        client.cacheThis = false;
        assertThat(client.sendBare(client.sequence(0, 1, new Ops())).status()).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void createSession_withABackChannelTooSmallForACall_isTooSmallThoughNobodyAsksForIt() {
        V4Client client = new V4Client(server, "c", 1, 0);
        client.readExchangeId(client.sendBare(new Ops().exchangeId(1, "c", 0)));
        Ops ops = new Ops().add(OpCode.CREATE_SESSION, c -> c.hyper(client.clientId)
                .words(client.createSequence, 0)
                .words(0, 8192, 8192, 8192, 128, 8, 0)
                .words(0, 10, 8192, 8192, 128, 8, 0)
                .words(123, 0));
        assertThat(client.sendBare(ops).status()).isEqualTo(Nfs4Status.TOOSMALL);
    }

    @Test
    void reply_largerThanTheSessionTakes_isTooBig() {
        V4Client client = new V4Client(server, "c", 2, 0);
        client.connect();
        client.sendBare(new Ops().createSession(client.clientId, client.createSequence, 1024, 300, 4));
        client.readSession(
                client.sendBare(new Ops().createSession(client.clientId, client.createSequence, 1024, 300, 4)));
        client.run(new Ops().reclaimComplete());
        server.newFile("f", 0644, new byte[5000]);
        int[] zero = new int[4];
        assertThat(client.statusOf(new Ops().data().lookup("f").read(zero, 0, 600)))
                .isEqualTo(Nfs4Status.REP_TOO_BIG_TO_CACHE);
        client.cacheThis = false;
        assertThat(client.statusOf(new Ops().data().lookup("f").read(zero, 0, 600)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("f").read(zero, 0, 1000)))
                .isEqualTo(Nfs4Status.REP_TOO_BIG);
    }

    @Test
    void request_largerThanTheSessionTakes_isTooBigAndNotExecuted() {
        V4Client client = new V4Client(server, "c", 2, 0);
        client.connect();
        client.readSession(
                client.sendBare(new Ops().createSession(client.clientId, client.createSequence, 1024, 300, 4)));
        client.run(new Ops().reclaimComplete());
        server.newFile("f", 0644, new byte[0]);
        assertThat(client.statusOf(new Ops().data().lookup("f").write(new int[4], 0, 2, new byte[2000])))
                .isEqualTo(Nfs4Status.REQ_TOO_BIG);
        Reply reply = client.run(new Ops().data().lookup("f").getAttr(1 << 4));
        reply.afterData().op(OpCode.LOOKUP);
        reply.op(OpCode.GETATTR);
        assertThat(reply.words(5)).containsExactly(1, 1 << 4, 8, 0, 0);
    }

    @Test
    void exchangeId_withAFlagOfALaterVersion_isInvalid() {
        int fenceOps = 4;
        V4Client older = new V4Client(server, "c", 1, 0);
        assertThat(older.sendBare(new Ops().exchangeId(1, "c", fenceOps)).status())
                .isEqualTo(Nfs4Status.INVAL);
        V4Client newer = new V4Client(server, "c", 2, 0);
        assertThat(newer.sendBare(new Ops().exchangeId(1, "c", fenceOps)).status())
                .isEqualTo(Nfs4Status.OK);
        assertThat(newer.sendBare(new Ops().exchangeId(1, "c", 8)).status()).isEqualTo(Nfs4Status.INVAL);
    }

    @Test
    void createSession_repeated_answersTheSame() {
        V4Client client = new V4Client(server, "c", 1, 0);
        client.readExchangeId(client.sendBare(new Ops().exchangeId(1, "c", 0)));
        byte[] message = client.message("", 1, new Ops().createSession(client.clientId, client.createSequence));
        byte[] first = server.send(message);
        assertThat(server.send(message)).isEqualTo(first);
        assertThat(server.program().counts().sessions()).isEqualTo(1);
        assertThat(client.sendBare(new Ops().createSession(client.clientId, client.createSequence + 2))
                        .status())
                .isEqualTo(Nfs4Status.SEQ_MISORDERED);
        assertThat(client.sendBare(new Ops().createSession(client.clientId + 1, 1))
                        .status())
                .isEqualTo(Nfs4Status.STALE_CLIENTID);
    }

    @Test
    void destroy_ofSessionThenClient_leavesNothing() {
        V4Client client = V4Client.mounted(server, "c", 0);
        Ops destroyClient = new Ops().add(OpCode.DESTROY_CLIENTID, c -> c.hyper(client.clientId));
        assertThat(client.sendBare(destroyClient).status()).isEqualTo(Nfs4Status.CLIENTID_BUSY);
        Ops destroySession = new Ops().add(OpCode.DESTROY_SESSION, c -> {
            for (int i = 0; i < 16; i += 4) {
                c.words(java.nio.ByteBuffer.wrap(client.session).getInt(i));
            }
        });
        assertThat(client.sendBare(destroySession).status()).isEqualTo(Nfs4Status.OK);
        assertThat(client.sendBare(destroySession).status()).isEqualTo(Nfs4Status.BADSESSION);
        assertThat(client.sendBare(destroyClient).status()).isEqualTo(Nfs4Status.OK);
        assertThat(client.sendBare(destroyClient).status()).isEqualTo(Nfs4Status.STALE_CLIENTID);
        assertThat(server.program().counts().clients()).isZero();
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
    void names_hostile_haveTheirStatus() {
        V4Client client = V4Client.mounted(server, "c", 0);
        assertThat(client.statusOf(new Ops().data().lookup(""))).isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(new Ops().data().lookup("."))).isEqualTo(Nfs4Status.BADNAME);
        assertThat(client.statusOf(new Ops().data().lookup(".."))).isEqualTo(Nfs4Status.BADNAME);
        assertThat(client.statusOf(new Ops().data().lookup("a/b"))).isEqualTo(Nfs4Status.BADCHAR);
        assertThat(client.statusOf(new Ops().data().lookup("x".repeat(256)))).isEqualTo(Nfs4Status.NAMETOOLONG);
        assertThat(client.statusOf(new Ops().data().lookup("x".repeat(5000)))).isEqualTo(Nfs4Status.BADXDR);
        byte[] handle = "not a handle".getBytes(StandardCharsets.US_ASCII);
        assertThat(client.statusOf(new Ops().putFh(handle))).isEqualTo(Nfs4Status.BADHANDLE);
        for (int number : new int[] {10, 16, 27, 32}) {
            assertThat(client.statusOf(new Ops().op(number))).isEqualTo(Nfs4Status.NOFILEHANDLE);
        }
    }
}
