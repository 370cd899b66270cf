package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.v4.state.file.RecallCounts;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Recalled delegations: the calls that wait for their return, and recalls that the client ignores. */
class RecallTest {
    private static final int BAD_STATEID = 10025;
    private static final int DELEG_REVOKED = 10087;
    private static final int RETRY_UNCACHED_REP = 10068;
    private static final int RECALLABLE_STATE_REVOKED = 0x40;
    private static final int NONE = 0;

    private final V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private FileHandle newFile() {
        return server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
    }

    private static Ops openToWrite() {
        return new Ops().data().open("w", "f", 2, 0);
    }

    private static Ops giveBack(int[] delegation) {
        return new Ops().data().lookup("f").delegReturn(delegation);
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
                Named.of("remove", new Ops().data().remove("f")),
                Named.of("rename away", new Ops().data().saveFh().rename("f", "g")),
                Named.of("rename over", new Ops().data().saveFh().rename("other", "f")),
                Named.of("link", new Ops().data().lookup("f").saveFh().data().link("g")),
                Named.of("setattr of the mode", new Ops().data().lookup("f").setAttr(Fattr.mode(0600))),
                Named.of(
                        "setattr of the acl",
                        new Ops().data().lookup("f").setAttr(Fattr.acl(Ace.allow(Ace.R, "EVERYONE@")))),
                Named.of("setattr of the size", new Ops().data().lookup("f").setAttr(Fattr.size(3))),
                Named.of("anonymous write", new Ops().data().lookup("f").write(Ops.ANONYMOUS, 0, 2, "x")),
                Named.of("open that cuts", new Ops().data().openCutting("w", "f")),
                Named.of("setxattr", new Ops().data().lookup("f").setXattr(0, "user.a", "v")),
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
        int[] delegation = holder.delegation("f");

        assertThat(other.statusOf(change)).isEqualTo(Nfs4Status.DELAY);

        holder.answerRecall(holder.nextCallback(), 0);
        holder.run(giveBack(delegation));
        assertThat(other.statusOf(change)).isNotEqualTo(Nfs4Status.DELAY);
    }

    @Test
    void change_ofAnotherProtocol_isTriedLaterAndKeepsTheFileToItself() throws Exception {
        FileHandle file = newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        int[] delegation = holder.delegation("f");
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
        holder.delegation("f");
    }

    @Test
    void recall_notObeyedForALease_revokes() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = holder.delegation("f");
        other.statusOf(openToWrite());
        holder.answerRecall(holder.nextCallback(), 0);
        for (int i = 0; i < 3; i++) {
            server.pass(V4Server.LEASE.dividedBy(3).plusMillis(1));
            other.run(new Ops().root());
            holder.run(new Ops().root());
            assertThat(holder.statusFlags).isEqualTo(i < 2 ? 0 : RECALLABLE_STATE_REVOKED);
        }

        assertThat(other.statusOf(openToWrite())).isEqualTo(Nfs4Status.OK);
        assertThat(holder.tested(delegation).code()).isEqualTo(DELEG_REVOKED);
        assertThat(holder.statusOf(giveBack(delegation))).isEqualTo(Nfs4Status.DELEG_REVOKED);
        assertThat(holder.statusOf(new Ops().data().lookup("f").read(delegation, 0, 1)))
                .isEqualTo(Nfs4Status.DELEG_REVOKED);

        holder.run(new Ops().freeStateid(delegation));
        holder.run(new Ops().root());
        assertThat(holder.statusFlags).isZero();
        assertThat(holder.tested(delegation).code()).isEqualTo(BAD_STATEID);
        assertThat(server.program().counts().recalls()).isEqualTo(new RecallCounts(1, 0, 0, 1));
    }

    @Test
    void holder_silentForALease_isLetGo() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        holder.delegation("f");
        server.pass(V4Server.LEASE.minusSeconds(1));
        other.run(new Ops().root());
        server.pass(Duration.ofSeconds(2));

        assertThat(other.statusOf(openToWrite())).isEqualTo(Nfs4Status.OK);
        assertThat(holder.statusOf(new Ops().root())).isEqualTo(Nfs4Status.BADSESSION);
    }

    @Test
    void recall_beforeTheClientKnowsTheDelegation_isRepeated() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = holder.delegation("f");
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

    /** RFC 8881, section 2.10.6.3: the client knows that the reply is still on its way, and asks for a later recall. */
    @Test
    void recall_thatMayOvertakeTheReplyOfTheOpen_namesTheCallUntilItsSlotIsUsedAgain() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = holder.delegation("f");
        ByteBuffer id = ByteBuffer.wrap(holder.session);
        other.statusOf(openToWrite());

        CallbackSeen recall = holder.nextCallback();
        assertThat(recall.referring)
                .containsExactly(id.getInt(), id.getInt(), id.getInt(), id.getInt(), 1, holder.seqids[0], 0);

        holder.answerSequence(recall, Nfs4Status.DELAY.code());
        server.pass(Duration.ofSeconds(1));
        other.statusOf(openToWrite());
        CallbackSeen again = holder.nextCallback();
        assertThat(again.seqid).as("nothing was executed").isEqualTo(recall.seqid);
        assertThat(again.referring).isEqualTo(recall.referring);

        holder.run(new Ops());
        holder.answerSequence(again, Nfs4Status.DELAY.code());
        server.pass(Duration.ofSeconds(1));
        other.statusOf(openToWrite());
        assertThat(holder.nextCallback().referring).as("it has the reply").isEmpty();
        assertThat(holder.tested(delegation)).as("not revoked").isEqualTo(Nfs4Status.OK);
    }

    @Test
    void recall_lostWithItsConnection_goesOutAgainOnTheNext() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        holder.delegation("f");
        other.statusOf(openToWrite());
        CallbackSeen lost = holder.nextCallback();
        holder.reconnect();
        holder.sendBare(new Ops().bind(holder.session, 7));
        CallbackSeen probe = holder.nextCallback();

        assertThat(probe.procedure).isZero();

        holder.answerNull(probe);
        CallbackSeen again = holder.nextCallback();
        assertThat(new int[] {again.seqid, again.slot}).as("the same request").containsExactly(lost.seqid, lost.slot);
        assertThat(again.xid).isNotEqualTo(lost.xid);

        // The client had executed it and kept no reply, so the recall is sent again as a new request.
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
        holder.delegation("f");
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
            holder.delegation("f" + i);
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
}
