package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.testing.FakeDialer;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Delegations of NFSv4.0, and the calls to the callback address of their client. */
class DialedCallbackTest {
    private static final String ADDRESS = "127.0.0.1.200.1";
    private static final int PORT = 200 * 256 + 1;
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final V4Server server = new V4Server();
    private final FakeDialer dialer = server.dialer;
    private final V40Client holder = new V40Client(server, "holder");
    private final V40Client writer = V40Client.mounted(server, "writer");

    @BeforeEach
    void newFile() {
        server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** CB_NULL or CB_COMPOUND with CB_RECALL alone, read word by word. */
    private record Seen(int xid, int procedure, List<Integer> stateid, String fileHandle) {
        static Seen of(byte[] message) {
            assertThat(message).as("a call").isNotNull();
            ByteBuffer words = ByteBuffer.wrap(message);
            int xid = words.getInt();
            expect(words, 0, 2, 0x4000_0000, 1);
            int procedure = words.getInt();
            expect(words, 1, 28, 0, 7);
            words.getLong();
            expect(words, 0, 0, 0, 0, 0);
            List<Integer> stateid = new ArrayList<>();
            byte[] fileHandle = new byte[0];
            if (procedure == 1) {
                // tag, minorversion, callback_ident, operations, CB_RECALL
                expect(words, 0, 0, 7, 1, 4);
                for (int i = 0; i < 4; i++) {
                    stateid.add(words.getInt());
                }
                expect(words, 0);
                fileHandle = new byte[words.getInt()];
                words.get(fileHandle);
            }
            assertThat(words.remaining()).as("rest").isLessThan(4);
            return new Seen(xid, procedure, stateid, HexFormat.of().formatHex(fileHandle));
        }

        private static void expect(ByteBuffer words, int... expected) {
            for (int word : expected) {
                assertThat(words.getInt())
                        .as("word at %d", words.position() - 4)
                        .isEqualTo(word);
            }
        }
    }

    private Seen next() {
        return Seen.of(dialer.last().nextCall());
    }

    private void introduce(String netid, String address) {
        holder.readClientid(holder.send(holder.setClientid(1, netid, address)));
        holder.run(holder.confirm());
    }

    private void connectCallable() {
        introduce("tcp", ADDRESS);
        dialer.last().succeed();
        dialer.last().answer(next().xid());
    }

    /** Opens a file by an owner that has been confirmed before, and gets a delegation. */
    private int[] delegated() {
        Reply reply = holder.run(holder.open(holder.openSeqid++, "o", "f", 1));
        return reply.afterData().readDelegation();
    }

    /** Linux asks for attributes in the COMPOUND that returns a delegation, and no longer knows of it then. */
    @Test
    void getattr_byTheHolderOfAWriteDelegation_isAnsweredWithoutAskingIt() {
        connectCallable();
        confirmedOwner();
        Reply opened = holder.run(holder.open(holder.openSeqid++, "o", "f", 3));
        int[] delegation = opened.afterData().readWriteDelegation();

        assertThat(holder.statusOf(
                        new Ops().data().lookup("f").getAttrs(Fattr.SIZE).delegReturn(delegation)))
                .isEqualTo(Nfs4Status.OK);

        assertThat(dialer.last().nextCall()).as("CB_GETATTR").isNull();
    }

    private Opened confirmedOwner() {
        return holder.opened("o", "g", 3);
    }

    private int writerSeqid = 1;

    private Nfs4Status writes() {
        return writer.statusOf(writer.open(writerSeqid++, "w", "f", 2));
    }

    private static Ops giveBack(int[] delegation) {
        return new Ops().data().lookup("f").delegReturn(delegation);
    }

    private static List<Integer> words(int[] stateid) {
        return Arrays.stream(stateid).boxed().toList();
    }

    private String handle() {
        Reply reply = holder.run(new Ops().data().lookup("f").getFh());
        reply.afterFile();
        return HexFormat.of().formatHex(reply.getFh());
    }

    @Test
    void setClientid_confirmed_isCalledAtItsAddress() {
        holder.readClientid(holder.send(holder.setClientid(1, "tcp", ADDRESS)));
        assertThat(dialer.attempts).as("not confirmed").isEmpty();

        holder.run(holder.confirm());
        assertThat(dialer.attempts).hasSize(1);
        assertThat(dialer.last().remote.getAddress().isLoopbackAddress()).isTrue();
        assertThat(dialer.last().remote.getPort()).isEqualTo(PORT);

        dialer.last().succeed();
        assertThat(next().procedure()).as("CB_NULL").isZero();
    }

    @Test
    void setClientid_namingAnotherHost_isNeverCalled() {
        introduce("tcp", "10.9.0.2.8.1");
        introduce("tcp6", "::1.200.1");
        introduce("tcp", "127.0.0.1.0.0");
        introduce("rdma", ADDRESS);
        introduce("tcp", "localhost.200.1");

        assertThat(dialer.attempts).isEmpty();

        confirmedOwner();
        assertThat(holder.run(holder.open(holder.openSeqid++, "o", "f", 1))
                        .afterData()
                        .openUpToDelegation())
                .as("no delegation")
                .isZero();
    }

    @Test
    void open_untilTheClientHasAnswered_grantsNone() {
        introduce("tcp", ADDRESS);
        confirmedOwner();
        holder.run(holder.open(holder.openSeqid++, "o", "f", 1)).afterData().open();
        dialer.last().succeed();
        holder.run(holder.open(holder.openSeqid++, "o", "f", 1)).afterData().open();
        dialer.last().answer(next().xid());
        delegated();
    }

    @Test
    void open_ofAnOwnerThatIsNotConfirmed_grantsNone() {
        connectCallable();
        holder.run(holder.open(holder.openSeqid++, "fresh", "f", 1)).afterData().open();
    }

    @Test
    void open_toWriteByAnother_recallsOverTheSameConnectionAndWaitsForTheReturn() {
        connectCallable();
        confirmedOwner();
        int[] delegation = delegated();

        assertThat(writes()).isEqualTo(Nfs4Status.DELAY);
        assertThat(dialer.attempts).hasSize(1);

        Seen recall = next();
        assertThat(recall.stateid()).isEqualTo(words(delegation));
        assertThat(recall.fileHandle()).isEqualTo(handle());

        dialer.last().answer(recall.xid(), 0, 0, 1, 4, 0);
        assertThat(writes()).as("not back yet").isEqualTo(Nfs4Status.DELAY);
        assertThat(dialer.last().nextCall()).as("asked once").isNull();

        holder.run(giveBack(delegation));
        assertThat(writes()).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void recall_afterTheConnectionWasClosed_goesOverANewOne() {
        connectCallable();
        confirmedOwner();
        delegated();
        server.pass(Duration.ofMinutes(1));
        holder.run(holder.renew());

        writer.run(writer.renew());
        assertThat(dialer.last().closed()).as("idle").isTrue();
        assertThat(writes()).isEqualTo(Nfs4Status.DELAY);
        assertThat(dialer.attempts).hasSize(2);

        dialer.last().succeed();
        assertThat(next().procedure()).isEqualTo(1);
    }

    @Test
    void recall_thatCannotBeSent_isToldByRenewAndSentWhenThePathIsBack() {
        connectCallable();
        confirmedOwner();
        int[] delegation = delegated();

        dialer.last().transport.end();
        assertThat(writes()).isEqualTo(Nfs4Status.DELAY);

        dialer.last().fail();
        assertThat(holder.statusOf(holder.renew())).isEqualTo(Nfs4Status.CB_PATH_DOWN);
        assertThat(dialer.attempts).as("not again at once").hasSize(2);

        server.pass(PAUSE);
        assertThat(holder.statusOf(holder.renew())).isEqualTo(Nfs4Status.CB_PATH_DOWN);
        assertThat(dialer.attempts).hasSize(3);

        dialer.last().succeed();
        dialer.last().answer(next().xid());
        assertThat(holder.statusOf(holder.renew())).isEqualTo(Nfs4Status.OK);
        assertThat(next().stateid()).isEqualTo(words(delegation));
    }

    @Test
    void renew_withoutDelegations_saysNothingOfAPathThatIsDown() {
        introduce("tcp", ADDRESS);
        dialer.last().fail();

        assertThat(holder.statusOf(holder.renew())).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void recall_neverAnswered_closesTheConnectionAndEndsWithTheLease() {
        connectCallable();
        confirmedOwner();
        int[] delegation = delegated();

        assertThat(writes()).isEqualTo(Nfs4Status.DELAY);

        server.pass(Duration.ofSeconds(10));
        assertThat(dialer.last().closed()).isTrue();
        assertThat(holder.statusOf(holder.renew())).isEqualTo(Nfs4Status.CB_PATH_DOWN);

        server.pass(V4Server.LEASE.minusSeconds(20));
        holder.send(holder.renew());
        writer.run(writer.renew());
        assertThat(writes()).isEqualTo(Nfs4Status.DELAY);

        server.pass(Duration.ofSeconds(11));
        assertThat(writes()).as("taken back").isEqualTo(Nfs4Status.OK);
        assertThat(holder.statusOf(giveBack(delegation))).isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void setClientid_withAnotherAddress_isCalledThereFromThenOn() {
        connectCallable();
        confirmedOwner();
        int[] delegation = delegated();

        assertThat(writes()).isEqualTo(Nfs4Status.DELAY);

        introduce("tcp", "127.0.0.1.200.2");
        assertThat(dialer.attempts).hasSize(2);
        assertThat(dialer.last().remote.getPort()).isEqualTo(PORT + 1);

        dialer.last().succeed();
        server.pass(Duration.ofMillis(500));
        dialer.last().answer(next().xid());
        assertThat(next().stateid()).as("what the old address did not answer").isEqualTo(words(delegation));
    }

    @Test
    void setClientid_withTheSameAddress_isTriedAnewOverTheSameConnection() {
        connectCallable();
        confirmedOwner();
        introduce("tcp", ADDRESS);

        holder.run(holder.open(holder.openSeqid++, "o", "f", 1)).afterData().open();

        assertThat(dialer.attempts).hasSize(1);

        dialer.last().answer(next().xid());
        delegated();
    }

    @Test
    void close_ofTheServer_closesTheConnections() {
        connectCallable();

        server.program().close();

        assertThat(dialer.last().closed()).isTrue();
    }
}
