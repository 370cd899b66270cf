package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.v4.state.file.RecallCounts;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Read delegations, from the OPEN that grants one to its return or revocation. */
class DelegationTest {
    private static final int[] ANONYMOUS = new int[4];
    private static final int BAD_STATEID = 10025;
    private static final int DELEG_REVOKED = 10087;
    private static final int RETRY_UNCACHED_REP = 10068;
    private static final int RECALLABLE_STATE_REVOKED = 0x40;
    private static final int NONE = 0;
    private static final int NONE_EXT = 3;

    private V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private FileHandle newFile() {
        return server.newFile("f", 0666, "contents".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    private static int[] delegation(V4Client client) {
        return client.run(new Ops().data().open("o", "f", 1, 0)).afterData().readDelegation();
    }

    private static Ops openToWrite() {
        return new Ops().data().open("w", "f", 2, 0);
    }

    private static Ops giveBack(int[] delegation) {
        return new Ops().data().lookup("f").stateid(OpCode.DELEGRETURN, delegation);
    }

    private static Nfs4Status tested(V4Client client, int[] stateid) {
        Reply reply =
                client.run(new Ops().add(OpCode.TEST_STATEID, c -> c.words(1).words(stateid)));
        reply.op(OpCode.TEST_STATEID);
        assertThat(reply.word()).isEqualTo(1);
        return Reply.of(reply.word());
    }

    @Test
    void open_toWriteByAnother_recallsAndWaitsForTheReturn() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client writer = V4Client.callable(server, "b", 0);
        Reply opened = holder.run(new Ops().data().open("o", "f", 1, 0).getFh());
        int[] delegation = opened.afterData().readDelegation();
        assertThat(opened.words(5)).as("no recall; an ACE that allows nothing").containsOnly(0);
        byte[] handle = opened.getFh();

        assertThat(writer.statusOf(openToWrite())).isEqualTo(Nfs4Status.DELAY);
        CallbackSeen recall = holder.nextCallback();
        assertThat(recall.procedure).isEqualTo(1);
        assertThat(recall.minorVersion).isEqualTo(2);
        assertThat(recall.sessionId).isEqualTo(holder.session);
        assertThat(new int[] {recall.seqid, recall.slot}).containsExactly(1, 0);
        assertThat(recall.stateid).containsExactly(0, delegation[1], delegation[2], delegation[3]);
        assertThat(recall.fileHandle).isEqualTo(handle);
        assertThat(writer.statusOf(openToWrite())).isEqualTo(Nfs4Status.DELAY);
        assertThat(holder.nextCallback()).as("asked once").isNull();
        holder.answerRecall(recall, 0);
        server.pass(Duration.ofSeconds(5));
        assertThat(writer.statusOf(openToWrite())).isEqualTo(Nfs4Status.DELAY);
        assertThat(holder.nextCallback()).as("it has heard").isNull();

        assertThat(holder.statusOf(giveBack(delegation))).isEqualTo(Nfs4Status.OK);
        assertThat(writer.statusOf(openToWrite())).isEqualTo(Nfs4Status.OK);
        assertThat(holder.statusOf(giveBack(delegation))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().counts().delegations()).isZero();
        assertThat(server.program().counts().recalls()).isEqualTo(new RecallCounts(1, 0, 1, 0));
    }

    static Stream<Named<Ops>> changes() {
        return Stream.of(
                Named.of("remove", new Ops().data().named(OpCode.REMOVE, "f")),
                Named.of("rename away", new Ops().data().op(OpCode.SAVEFH).named(OpCode.RENAME, "f", "g")),
                Named.of("rename over", new Ops().data().op(OpCode.SAVEFH).named(OpCode.RENAME, "other", "f")),
                Named.of(
                        "link",
                        new Ops().data().lookup("f").op(OpCode.SAVEFH).data().named(OpCode.LINK, "g")),
                Named.of(
                        "setattr of the mode",
                        new Ops().data().lookup("f").stateid(OpCode.SETATTR, ANONYMOUS, 2, 0, 2, 4, 0600)),
                Named.of("setattr of the acl", new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(ANONYMOUS)
                        .words(1, 1 << 12, 32, 1, 0, 0, 1)
                        .string("EVERYONE@"))),
                Named.of(
                        "setattr of the size",
                        new Ops().data().lookup("f").stateid(OpCode.SETATTR, ANONYMOUS, 1, 16, 8, 0, 3)),
                Named.of("anonymous write", new Ops().data().lookup("f").write(ANONYMOUS, 0, 2, "x")),
                Named.of("open that cuts", new Ops().data().add(OpCode.OPEN, c -> c.words(0, 1, 0)
                        .hyper(0)
                        .string("w")
                        .words(1, 0)
                        .words(1, 1 << 4, 8)
                        .hyper(0)
                        .words(0)
                        .string("f"))),
                Named.of("setxattr", new Ops().data().lookup("f").add(OpCode.SETXATTR, c -> c.words(0)
                        .string("user.a")
                        .string("v"))),
                Named.of("removexattr", new Ops().data().lookup("f").named(OpCode.REMOVEXATTR, "user.a")),
                Named.of(
                        "through another export",
                        new Ops().root().lookup("squash").open("w", "f", 2, 0)));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void change_byAnother_waitsForTheReturn(Ops change) {
        newFile();
        server.newFile("other", 0666, new byte[1]);
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = delegation(holder);
        assertThat(other.statusOf(change)).isEqualTo(Nfs4Status.DELAY);
        holder.answerRecall(holder.nextCallback(), 0);
        holder.run(giveBack(delegation));
        assertThat(other.statusOf(change)).isNotEqualTo(Nfs4Status.DELAY);
    }

    @Test
    void change_byTheHolder_keepsTheDelegation() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        int[] delegation = delegation(holder);
        holder.run(openToWrite());
        holder.run(new Ops().data().lookup("f").stateid(OpCode.SETATTR, ANONYMOUS, 2, 0, 2, 4, 0600));
        assertThat(holder.nextCallback()).isNull();
        assertThat(tested(holder, delegation)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void change_ofAnotherProtocol_isTriedLaterAndKeepsTheFileToItself() throws Exception {
        FileHandle file = newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        int[] delegation = delegation(holder);
        FileChanges changes = server.program().fileChanges();
        assertThatThrownBy(() -> changes.begin(server.fs.identity(file)))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.TRY_LATER));
        holder.answerRecall(holder.nextCallback(), 0);
        holder.run(giveBack(delegation));
        server.pass(Duration.ofMinutes(1));
        try (FileChanges.Change _ = changes.begin(server.fs.identity(file))) {
            holder.run(new Ops().root());
            assertThat(holder.run(new Ops().data().open("p", "f", 1, 0))
                            .afterData()
                            .openUpToDelegation())
                    .isEqualTo(NONE);
        }
        delegation(holder);
    }

    @Test
    void open_afterARecall_grantsNothingForAWhile() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = delegation(holder);
        other.statusOf(openToWrite());
        holder.answerRecall(holder.nextCallback(), 0);
        holder.run(giveBack(delegation));
        assertThat(holder.run(new Ops().data().open("p", "f", 1, 0)).afterData().openUpToDelegation())
                .isEqualTo(NONE);
        server.pass(Duration.ofSeconds(31));
        holder.run(new Ops().root());
        delegation(holder);
    }

    @Test
    void open_withAWish_hearsWhyNot() {
        newFile();
        V4Client deaf = V4Client.mounted(server, "deaf", 0);
        V4Client client = V4Client.callable(server, "a", 0);
        assertThat(why(deaf, 0x101)).as("read, but nobody to call").containsExactly(2, 0);
        assertThat(why(client, 0x401)).as("none").containsExactly(0);
        assertThat(why(client, 0x501)).as("cancel").containsExactly(7);
        assertThat(why(client, 0x201)).as("write").containsExactly(4);
        client.run(new Ops().data().open("w", "f", 2, 0));
        assertThat(why(client, 0x301)).as("any, but someone writes").containsExactly(1, 0);
        assertThat(client.statusOf(new Ops().data().open("o", "f", 0x601, 0))).isEqualTo(Nfs4Status.INVAL);
    }

    private static int[] why(V4Client client, int access) {
        Reply reply = client.run(new Ops().data().open("o", "f", access, 0));
        assertThat(reply.afterData().openUpToDelegation()).isEqualTo(NONE_EXT);
        return reply.words(reply.remaining() / Integer.BYTES);
    }

    @Test
    void open_ofWhatTheClientHasDelegated_succeedsAlsoWhileItIsRecalled() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = delegation(holder);
        other.statusOf(openToWrite());
        holder.answerRecall(holder.nextCallback(), 0);
        Reply byName = holder.run(new Ops().data().openDelegated("p", "f", delegation));
        assertThat(byName.afterData().openUpToDelegation()).isEqualTo(NONE);
        holder.run(new Ops().data().lookup("f").openDelegatedFh("q", delegation));
        server.newFile("g", 0666, new byte[1]);
        assertThat(holder.statusOf(new Ops().data().openDelegated("p", "g", delegation)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(other.statusOf(new Ops().data().openDelegated("p", "f", delegation)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void delegation_afterTheCloseOfItsOpen_readsAndDoesNotWrite() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        Reply opened = holder.run(new Ops().data().open("o", "f", 1, 0));
        opened.afterData().op(OpCode.OPEN);
        int[] open = opened.stateid();
        opened.words(5);
        opened.word();
        opened.words(opened.word());
        assertThat(opened.word()).isEqualTo(1);
        int[] delegation = opened.stateid();
        holder.run(new Ops().data().lookup("f").close(open));
        Reply read = holder.run(new Ops().data().lookup("f").read(delegation, 0, 100));
        read.afterData().op(OpCode.LOOKUP);
        read.op(OpCode.READ);
        assertThat(read.bool()).isTrue();
        assertThat(read.string()).isEqualTo("contents");
        assertThat(holder.statusOf(new Ops().data().lookup("f").write(delegation, 0, 2, "x")))
                .isEqualTo(Nfs4Status.OPENMODE);
        assertThat(holder.statusOf(new Ops().stateid(OpCode.FREE_STATEID, delegation)))
                .isEqualTo(Nfs4Status.LOCKS_HELD);
        V4Client other = V4Client.mounted(server, "b", 0);
        assertThat(other.statusOf(new Ops().data().open("w", "f", 1, 1)))
                .as("to deny reading")
                .isEqualTo(Nfs4Status.DELAY);
        other.run(new Ops().data().open("r", "f", 1, 0));
        assertThat(holder.sendBare(new Ops().add(OpCode.DESTROY_CLIENTID, c -> c.hyper(holder.clientId)))
                        .status())
                .isEqualTo(Nfs4Status.CLIENTID_BUSY);
    }

    @Test
    void recall_notObeyedForALease_revokes() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = delegation(holder);
        other.statusOf(openToWrite());
        holder.answerRecall(holder.nextCallback(), 0);
        for (int i = 0; i < 3; i++) {
            server.pass(V4Server.LEASE.dividedBy(3).plusMillis(1));
            other.run(new Ops().root());
            holder.run(new Ops().root());
            assertThat(holder.statusFlags).isEqualTo(i < 2 ? 0 : RECALLABLE_STATE_REVOKED);
        }
        assertThat(other.statusOf(openToWrite())).isEqualTo(Nfs4Status.OK);
        assertThat(tested(holder, delegation).code()).isEqualTo(DELEG_REVOKED);
        assertThat(holder.statusOf(giveBack(delegation))).isEqualTo(Nfs4Status.DELEG_REVOKED);
        assertThat(holder.statusOf(new Ops().data().lookup("f").read(delegation, 0, 1)))
                .isEqualTo(Nfs4Status.DELEG_REVOKED);
        holder.run(new Ops().stateid(OpCode.FREE_STATEID, delegation));
        holder.run(new Ops().root());
        assertThat(holder.statusFlags).isZero();
        assertThat(tested(holder, delegation).code()).isEqualTo(BAD_STATEID);
        assertThat(server.program().counts().recalls()).isEqualTo(new RecallCounts(1, 0, 0, 1));
    }

    @Test
    void holder_silentForALease_isLetGo() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        delegation(holder);
        server.pass(V4Server.LEASE.minusSeconds(1));
        other.run(new Ops().root());
        server.pass(Duration.ofSeconds(2));
        assertThat(other.statusOf(openToWrite())).isEqualTo(Nfs4Status.OK);
        assertThat(holder.send(new Ops().root()).status()).isEqualTo(Nfs4Status.BADSESSION);
    }

    @Test
    void recall_beforeTheClientKnowsTheDelegation_isRepeated() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = delegation(holder);
        other.statusOf(openToWrite());
        holder.answerRecall(holder.nextCallback(), BAD_STATEID);
        other.statusOf(openToWrite());
        assertThat(holder.nextCallback()).as("not at once").isNull();
        server.pass(Duration.ofSeconds(1));
        other.statusOf(openToWrite());
        CallbackSeen again = holder.nextCallback();
        assertThat(again.seqid).isEqualTo(2);
        assertThat(again.stateid[3]).isEqualTo(delegation[3]);
        assertThat(server.program().counts().recalls()).isEqualTo(new RecallCounts(2, 1, 0, 0));
    }

    @Test
    void recall_lostWithItsConnection_goesOutAgainOnTheNext() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        delegation(holder);
        other.statusOf(openToWrite());
        CallbackSeen lost = holder.nextCallback();
        holder.connection.end();
        server.program().connectionClosed(holder.connection);
        holder.connection = V4Server.newConnection();
        holder.sendBare(new Ops().bind(holder.session, 7));
        CallbackSeen probe = holder.nextCallback();
        assertThat(probe.procedure).isZero();
        holder.answerNull(probe);
        CallbackSeen again = holder.nextCallback();
        assertThat(new int[] {again.seqid, again.slot}).as("the same request").containsExactly(lost.seqid, lost.slot);
        assertThat(again.xid).isNotEqualTo(lost.xid);
        // The client had seen it, and kept no reply: once more, as a new request.
        holder.answerSequence(again, RETRY_UNCACHED_REP);
        server.pass(Duration.ofSeconds(1));
        other.statusOf(openToWrite());
        CallbackSeen anew = holder.nextCallback();
        assertThat(new int[] {anew.seqid, anew.slot}).containsExactly(2, 0);
    }

    @Test
    void recall_whileTheWayIsLost_goesOutWhenThereIsOne() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        delegation(holder);
        holder.connection.end();
        server.program().connectionClosed(holder.connection);
        assertThat(other.statusOf(openToWrite())).isEqualTo(Nfs4Status.DELAY);
        holder.connection = V4Server.newConnection();
        holder.sendBare(new Ops().bind(holder.session, 7));
        holder.answerNull(holder.nextCallback());
        assertThat(holder.nextCallback().seqid).isEqualTo(1);
    }

    @Test
    void recall_ofMoreThanTheSlots_useThemAgain() {
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        for (int i = 0; i < 20; i++) {
            server.newFile("f" + i, 0666, new byte[1]);
            holder.run(new Ops().data().open("o", "f" + i, 1, 0)).afterData().readDelegation();
            other.statusOf(new Ops().data().open("w", "f" + i, 2, 0));
        }
        int count = 0;
        Set<Integer> used = new HashSet<>();
        for (CallbackSeen recall = holder.nextCallback(); recall != null; recall = holder.nextCallback()) {
            assertThat(recall.slot).isBetween(0, 15);
            assertThat(used.add(recall.slot << 16 | recall.seqid)).isTrue();
            count++;
            if (count >= 16) {
                holder.answerRecall(recall, 0);
            }
        }
        assertThat(count).isEqualTo(20);
    }

    @Test
    void restart_holderReclaims_andIsToldWhetherToGiveBack(@TempDir Path directory) {
        server.close();
        server = new V4Server(directory);
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        delegation(holder);
        server.program().close();
        server.start();
        holder.connection = V4Server.newConnection();
        holder.connect();
        Ops reclaim = new Ops().data().lookup("f").openPreviousDelegated("o");
        Reply without = holder.run(reclaim);
        without.afterData().op(OpCode.LOOKUP);
        int[] delegation = without.readDelegation();
        assertThat(without.bool())
                .as("nobody answered CB_NULL yet: give it back")
                .isTrue();
        holder.run(giveBack(delegation));
        holder.answerNull(holder.nextCallback());
        Reply with = holder.run(reclaim);
        with.afterData().op(OpCode.LOOKUP);
        with.readDelegation();
        assertThat(with.bool()).isFalse();
        holder.run(new Ops().reclaimComplete());
        assertThat(holder.statusOf(reclaim)).isEqualTo(Nfs4Status.NO_GRACE);
    }
}
