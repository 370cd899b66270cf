package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** The back channel of a client, from the request for it to the loss of its connection. */
class BackChannelTest {
    private static final int FORE = 1;
    private static final int BACK = 2;
    private static final int FORE_OR_BOTH = 3;
    private static final int BACK_OR_BOTH = 7;
    private static final int BOTH = 3;
    private static final int PATH_DOWN = 0x001;
    private static final int PATH_DOWN_SESSION = 0x200;
    private static final int FAULT = 0x400;
    private static final int PROGRAM = 0x4000_0000;

    private final V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private static Reply created(V4Client client, int flags, int... flavors) {
        Reply reply = client.sendBare(
                new Ops().createSession(client.clientId, client.createSequence, flags, PROGRAM, flavors));
        assertThat(reply.status()).isEqualTo(Nfs4Status.OK);
        client.readSession(reply);
        reply.word();
        return reply;
    }

    private static int bound(V4Client client, int direction) {
        Reply reply = client.sendBare(new Ops().bind(client.session, direction));
        reply.op(OpCode.BIND_CONN_TO_SESSION);
        reply.words(4);
        return reply.word();
    }

    @Test
    void createSession_askingForABackChannel_isGrantedOneAndCalledWithNull() {
        V4Client client = V4Client.identified(server, "a", 1);
        Reply reply = created(client, 3, 1, 1, 77, 0, 1000, 100, 0);

        assertThat(reply.word()).as("CONN_BACK_CHAN alone").isEqualTo(2);
        assertThat(reply.words(7)).as("fore").startsWith(0, 65536, 65536);
        assertThat(reply.words(7)).as("back").containsExactly(0, 4068, 4068, 0, 2, 16, 0);

        CallbackSeen probe = client.nextCallback();
        assertThat(probe.procedure).as("CB_NULL").isZero();
        assertThat(probe.program).isEqualTo(PROGRAM);
        assertThat(probe.flavor).as("AUTH_SYS").isEqualTo(1);

        client.answerNull(probe);
        client.run(new Ops().reclaimComplete());
        assertThat(client.statusFlags).isZero();
        assertThat(client.nextCallback()).isNull();
    }

    @Test
    void createSession_notAskingForIt_isNotCalled() {
        V4Client client = V4Client.identified(server, "a", 1);

        assertThat(created(client, 0, 1, 0).word()).isZero();
        assertThat(client.nextCallback()).isNull();

        client.run(new Ops().reclaimComplete());
        assertThat(client.statusFlags).as("nothing is down that was never up").isZero();
    }

    @Test
    void createSession_offeringAuthNoneAlone_isCalledWithIt() {
        V4Client client = V4Client.identified(server, "a", 1);

        assertThat(created(client, 2, 1, 0).word()).isEqualTo(2);
        assertThat(client.nextCallback().flavor).isZero();
    }

    @Test
    void createSession_offeringAContextThatIsNotThere_isNoEntryUnlessThereIsAnotherFlavor() {
        V4Client client = V4Client.identified(server, "a", 1);
        assertThat(client.statusBare(new Ops()
                        .createSession(client.clientId, client.createSequence, 2, PROGRAM, 1, 6, 1, 4, 7, 4, 8)))
                .isEqualTo(Nfs4Status.NOENT);

        assertThat(created(client, 2, 2, 6, 3, 4, 7, 4, 8, 0).word()).isEqualTo(2);
        assertThat(client.nextCallback().flavor).isZero();
    }

    @Test
    void createSession_offeringNoFlavor_hasNoBackChannel() {
        V4Client client = V4Client.identified(server, "a", 1);

        assertThat(created(client, 2, 0).word()).isZero();
        assertThat(client.nextCallback()).isNull();
        assertThat(client.statusBare(new Ops().bind(client.session, BACK))).isEqualTo(Nfs4Status.INVAL);
    }

    @Test
    void createSession_withoutRoomForACallback_isTooSmall() {
        V4Client client = V4Client.identified(server, "a", 1);
        Ops tooSmall = new Ops().add(OpCode.CREATE_SESSION, c -> c.hyper(client.clientId)
                .words(client.createSequence, 2)
                .words(0, 65536, 65536, 4096, 16, 8, 0)
                .words(0, 100, 100, 0, 2, 16, 0)
                .words(PROGRAM, 1, 0));

        assertThat(client.statusBare(tooSmall)).isEqualTo(Nfs4Status.TOOSMALL);
    }

    @Test
    void createSession_repeated_boundOnTheConnectionOfTheRetry() {
        V4Client client = V4Client.identified(server, "a", 1);
        int sequence = client.createSequence;
        created(client, 2, 1, 0);
        client.reconnect();

        client.sendBare(new Ops().createSession(client.clientId, sequence, 2, PROGRAM, 1, 0));

        assertThat(client.nextCallback().procedure).isZero();
    }

    @Test
    void connection_lost_isToldAndMendedByBinding() {
        V4Client client = V4Client.callable(server, "a", 0);
        client.reconnect();

        client.run(new Ops().root());
        assertThat(client.statusFlags).isEqualTo(PATH_DOWN | PATH_DOWN_SESSION);
        assertThat(bound(client, FORE_OR_BOTH)).isEqualTo(BOTH);

        CallbackSeen probe = client.nextCallback();
        client.run(new Ops().root());
        assertThat(client.statusFlags).as("while it is tried").isZero();

        client.answerNull(probe);
        client.run(new Ops().root());
        assertThat(client.statusFlags).isZero();
    }

    @Test
    void bind_eachDirection_answersWhatItCarries() {
        V4Client client = V4Client.callable(server, "a", 0);

        assertThat(bound(client, FORE)).isEqualTo(FORE);
        assertThat(bound(client, BACK)).isEqualTo(BACK);
        assertThat(bound(client, FORE_OR_BOTH)).isEqualTo(BOTH);
        assertThat(bound(client, BACK_OR_BOTH)).isEqualTo(BOTH);
        assertThat(client.nextCallback()).as("it is up already").isNull();
        assertThat(client.statusBare(new Ops().bind(client.session, 4))).isEqualTo(Nfs4Status.BADXDR);
        assertThat(client.statusBare(new Ops().bind(new byte[16], FORE))).isEqualTo(Nfs4Status.BADSESSION);
    }

    @Test
    void bind_ofASessionMadeWithoutBackChannel_givesItOne() {
        V4Client client = V4Client.identified(server, "a", 1);
        created(client, 0, 1, 0);

        client.run(new Ops().reclaimComplete());

        assertThat(bound(client, BACK_OR_BOTH)).isEqualTo(BOTH);
        assertThat(client.nextCallback().procedure).isZero();
    }

    @Test
    void probe_refused_leavesThePathDown() throws Exception {
        V4Client client = V4Client.mounted(server, "a", 0);
        CallbackSeen probe = client.nextCallback();
        // MSG_DENIED, AUTH_ERROR, AUTH_BADCRED
        client.connection.answerBackward(
                new CallWriter().words(probe.xid, 1, 1, 1, 1).toBytes());

        client.run(new Ops().root());

        assertThat(client.statusFlags).isEqualTo(PATH_DOWN | PATH_DOWN_SESSION);
    }

    @Test
    void probe_unanswered_countsAsDownAfterAWhile() {
        V4Client client = V4Client.mounted(server, "a", 0);
        CallbackSeen probe = client.nextCallback();
        server.pass(Duration.ofSeconds(9));

        client.run(new Ops().root());
        assertThat(client.statusFlags).isZero();

        server.pass(Duration.ofSeconds(2));
        client.run(new Ops().root());
        assertThat(client.statusFlags).isEqualTo(PATH_DOWN | PATH_DOWN_SESSION);
        assertThat(client.isAwaited(probe)).as("an answer that comes too late").isFalse();
    }

    @Test
    void backchannelCtl_changesTheProgram() {
        V4Client client = V4Client.callable(server, "a", 0);
        client.run(new Ops().op(OpCode.BACKCHANNEL_CTL, 0x4123_4567, 1, 0));
        CallbackSeen probe = client.nextCallback();

        assertThat(probe.program).isEqualTo(0x4123_4567);
        assertThat(probe.flavor).isZero();
        assertThat(client.statusOf(new Ops().op(OpCode.BACKCHANNEL_CTL, 1, 0)))
                .as("no flavor")
                .isEqualTo(Nfs4Status.INVAL);
    }

    @Test
    void backchannelCtl_ofAnotherUser_isRefusedAndChangesNothing() {
        V4Client client = V4Client.callable(server, "a", 0);
        client.uid = 7;
        assertThat(client.statusOf(new Ops().op(OpCode.BACKCHANNEL_CTL, 0x4123_4567, 1, 0)))
                .isEqualTo(Nfs4Status.NOENT);
        assertThat(client.nextCallback()).as("no test of another channel").isNull();
    }

    @Test
    void backchannelCtl_overOneConnection_isTestedOnAll() {
        V4Client client = V4Client.callable(server, "a", 0);
        ReplyKeeper first = client.connection;
        ReplyKeeper second = V4Server.newConnection();
        client.connection = second;
        assertThat(bound(client, BACK_OR_BOTH)).isEqualTo(BOTH);
        client.answerNull(client.nextCallback());
        client.connection = V4Server.newConnection();
        client.run(new Ops().op(OpCode.BACKCHANNEL_CTL, 0x4123_4567, 1, 0));

        for (ReplyKeeper each : List.of(first, second)) {
            client.connection = each;
            CallbackSeen probe = client.nextCallback();
            assertThat(probe.program).isEqualTo(0x4123_4567);
            client.answerNull(probe);
            assertThat(client.nextCallback()).isNull();
        }
        client.run(new Ops().root());
        assertThat(client.statusFlags).isZero();
    }

    @Test
    void callbackSequence_misordered_isAFaultThatTheClientHearsOf() {
        V4Client client = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        server.newFile("f", 0666, new byte[8]);
        client.delegation("f");

        assertThat(other.statusOf(new Ops().data().open("o", "f", 2, 0))).isEqualTo(Nfs4Status.DELAY);

        client.answerSequence(client.nextCallback(), 10063);
        client.run(new Ops().root());
        assertThat(client.statusFlags).isEqualTo(FAULT);
    }
}
