package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
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
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Write delegations: when an OPEN grants one, what it permits, what recalls it, and how it survives a restart. */
class WriteDelegationTest {
    private static final int NONE = 0;
    private static final int SIZE = 4;
    private static final int FILEID = 20;

    private V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private FileHandle newFile() {
        return server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
    }

    private static Ops open(int access) {
        return new Ops().data().open("p", "f", access, 0);
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    private static Ops giveBack(int[] delegation) {
        return file().delegReturn(delegation);
    }

    private static int delegationOf(Reply reply) {
        return reply.afterData().openUpToDelegation();
    }

    @Test
    void openToWrite_byTheOnlyOpener_grantsAWriteDelegation() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);

        Reply opened = holder.run(new Ops().data().open("o", "f", 2, 0)).afterData();

        opened.readWriteDelegation();
        assertThat(opened.bool()).as("recall").isFalse();
        assertThat(opened.word()).as("NFS_LIMIT_SIZE").isEqualTo(1);
        assertThat(opened.hyper()).as("bytes that may be kept").isBetween(8L, 1L << 30);
        assertThat(opened.words(4)).as("an ACE that allows nothing").containsOnly(0);
        opened.end();
    }

    @Test
    void openToWrite_whileOthersUseTheFile_grantsNone() {
        newFile();
        V4Client client = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] otherOpen = other.open("x", "f", 1);

        assertThat(delegationOf(client.run(open(3)))).as("another has it open").isEqualTo(NONE);

        other.run(file().close(otherOpen));
        assertThat(delegationOf(client.run(open(3)))).as("it has closed it").isEqualTo(2);
    }

    /** Two mounts of one client have a cache and open-owners each. */
    @Test
    void openToWrite_whileAnotherMountOfTheClientHasItOpen_grantsNone() {
        newFile();
        V4Client client = V4Client.callable(server, "a", 0);
        Reply opened =
                client.run(new Ops().data().open("mount2", "f", 0x403, 0)).afterData();
        opened.op(OpCode.OPEN);
        int[] open = opened.stateid();

        assertThat(delegationOf(client.run(open(3)))).isEqualTo(NONE);

        client.run(file().close(open));
        assertThat(delegationOf(client.run(open(3)))).isEqualTo(2);
    }

    @Test
    void open_byAnotherMountOfTheClient_recalls() {
        newFile();
        V4Client client = V4Client.callable(server, "a", 0);
        int[] delegation = client.writeDelegation("f");
        Ops another = new Ops().data().open("mount2", "f", 1, 0);

        assertThat(client.statusOf(another)).isEqualTo(Nfs4Status.DELAY);

        client.answerRecall(client.nextRecall(), 0);
        assertThat(client.statusOf(new Ops().data().openDelegated("mount2", "f", delegation)))
                .as("what was opened under the delegation")
                .isEqualTo(Nfs4Status.OK);
        client.run(giveBack(delegation));
        assertThat(client.statusOf(another)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void openToWrite_whileTheFileIsLocked_grantsNone() {
        newFile();
        V4Client client = V4Client.callable(server, "a", 0);
        Reply reply = client.run(new Ops().data().open("o", "f", 0x403, 0)).afterData();
        reply.op(OpCode.OPEN);
        int[] opened = reply.stateid();
        client.run(file().lock(2, false, 0, 10, opened, "l"));

        assertThat(delegationOf(client.run(open(3)))).isEqualTo(NONE);
    }

    @Test
    void openToWrite_withoutACallbackPath_grantsNone() {
        newFile();

        assertThat(delegationOf(V4Client.mounted(server, "a", 0).run(open(3)))).isEqualTo(NONE);
    }

    @Test
    void openToWrite_afterARecall_grantsNoneForAWhile() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = holder.writeDelegation("f");
        other.statusOf(file().getAttrs(SIZE));
        holder.answerRecall(holder.nextRecall(), 0);
        holder.run(giveBack(delegation));

        assertThat(delegationOf(holder.run(new Ops().data().open("o", "f", 3, 0))))
                .isEqualTo(NONE);

        server.pass(Duration.ofSeconds(31));
        holder.run(new Ops().root());
        assertThat(delegationOf(holder.run(new Ops().data().open("o", "f", 3, 0))))
                .isEqualTo(2);
    }

    @Test
    void delegation_afterTheCloseOfItsOpen_readsWritesAndTruncates() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        Reply opened = holder.run(new Ops().data().open("o", "f", 3, 0)).afterData();
        opened.op(OpCode.OPEN);
        int[] open = opened.stateid();
        opened.words(5);
        opened.word();
        opened.words(opened.word());
        opened.word();
        int[] delegation = opened.stateid();
        holder.run(file().close(open));

        holder.run(file().write(delegation, 0, 2, "C"));
        holder.run(file().setAttr(delegation, Fattr.size(4)));
        Reply read = holder.run(file().read(delegation, 0, 100));
        read.afterFile();
        read.op(OpCode.READ);
        read.bool();
        assertThat(read.string()).isEqualTo("Cont");
        assertThat(holder.nextCallback()).as("nothing was recalled").isNull();
        holder.run(file().getAttrs(SIZE));
        assertThat(holder.nextCallback()).as("nor by a look at the attributes").isNull();
    }

    static Stream<Named<Ops>> uses() {
        return Stream.of(
                Named.of("open to read", new Ops().data().open("x", "f", 1, 0)),
                Named.of("open to write", new Ops().data().open("x", "f", 2, 0)),
                Named.of("anonymous read", file().read(Ops.ANONYMOUS, 0, 10)),
                Named.of("read that bypasses locks", file().read(new int[] {-1, -1, -1, -1}, 0, 10)),
                Named.of("anonymous write", file().write(Ops.ANONYMOUS, 0, 2, "x")),
                Named.of("getattr", file().getAttrs(SIZE)),
                Named.of("verify", file().verify(Fattr.size(8))),
                Named.of("readdir that cannot say why", new Ops().data().readDir(0, 4000, 4000, SIZE)),
                Named.of("question for a lock", file().lockTest(2, 0, 10, 0, "z")),
                Named.of("setattr", file().setAttr(Fattr.mode(0600))),
                Named.of("link", file().saveFh().data().link("g")),
                Named.of("rename", new Ops().data().saveFh().rename("f", "g")),
                Named.of("remove", new Ops().data().remove("f")));
    }

    @ParameterizedTest
    @MethodSource("uses")
    void use_byAnother_waitsForTheReturn(Ops use) {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = holder.writeDelegation("f");

        assertThat(other.statusOf(use)).isEqualTo(Nfs4Status.DELAY);
        CallbackSeen recall = holder.nextRecall();
        assertThat(recall.stateid).containsExactly(0, delegation[1], delegation[2], delegation[3]);

        holder.answerRecall(recall, 0);
        holder.run(giveBack(delegation));
        assertThat(other.statusOf(use)).isNotEqualTo(Nfs4Status.DELAY);
    }

    static Stream<Named<Ops>> harmless() {
        return Stream.of(
                Named.of("getattr of what no write changes", file().getAttrs(FILEID)),
                Named.of("access", file().op(OpCode.ACCESS, 1)),
                Named.of("readdir without attributes", new Ops().data().readDir(0, 4000, 4000, FILEID)));
    }

    @ParameterizedTest
    @MethodSource("harmless")
    void look_byAnother_recallsNothing(Ops look) {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        holder.writeDelegation("f");

        V4Client.mounted(server, "b", 0).run(look);

        assertThat(holder.nextCallback()).isNull();
    }

    @Test
    void otherProtocol_readsOrLocks_isTriedLater() throws Exception {
        FileHandle file = newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        int[] delegation = holder.writeDelegation("f");
        FileChanges changes = server.program().fileChanges();

        assertThat(changes.isChangedElsewhere(server.fs.identity(file))).isTrue();
        assertThatThrownBy(() -> changes.beforeReading(server.fs.identity(file)))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.TRY_LATER));

        holder.answerRecall(holder.nextRecall(), 0);
        holder.run(giveBack(delegation));
        assertThat(changes.isChangedElsewhere(server.fs.identity(file))).isFalse();
        changes.beforeReading(server.fs.identity(file));
    }

    @Test
    void recall_notObeyedForALease_revokesAndOthersGoOn() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = holder.writeDelegation("f");
        other.statusOf(file().getAttrs(SIZE));
        holder.answerRecall(holder.nextRecall(), 0);
        for (int i = 0; i < 3; i++) {
            server.pass(V4Server.LEASE.dividedBy(3).plusMillis(1));
            other.run(new Ops().root());
            holder.run(new Ops().root());
        }

        assertThat(other.statusOf(file().getAttrs(SIZE))).isEqualTo(Nfs4Status.OK);
        assertThat(holder.tested(delegation)).isEqualTo(Nfs4Status.DELEG_REVOKED);
        assertThat(holder.statusOf(file().write(delegation, 0, 2, "late"))).isEqualTo(Nfs4Status.DELEG_REVOKED);
        assertThat(server.program().counts().recalls()).isEqualTo(new RecallCounts(1, 0, 0, 1));
    }

    @Test
    void holder_silentForALease_isLetGo() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        holder.writeDelegation("f");
        server.pass(V4Server.LEASE.minusSeconds(1));
        other.run(new Ops().root());
        server.pass(Duration.ofSeconds(2));

        assertThat(other.statusOf(file().getAttrs(SIZE))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void open_ofWhatIsDelegated_succeedsWhileItIsRecalled() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = holder.writeDelegation("f");
        assertThat(other.statusOf(open(1))).isEqualTo(Nfs4Status.DELAY);
        holder.answerRecall(holder.nextRecall(), 0);

        assertThat(holder.statusOf(file().openDelegatedFhToWrite("q", delegation)))
                .isEqualTo(Nfs4Status.OK);

        holder.run(giveBack(delegation));
        assertThat(other.statusOf(open(1))).as("nobody denies reading").isEqualTo(Nfs4Status.OK);
    }

    /** What the client opened under its delegation was permitted when it did so. */
    @Test
    void open_ofWhatIsDelegated_afterThePermissionWasTakenAway_succeedsForTheOwner() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 1000);
        int[] delegation = holder.writeDelegation("f");
        holder.run(file().setAttr(Fattr.mode(0444)));

        assertThat(holder.statusOf(file().openDelegatedFhToWrite("q", delegation)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(holder.statusOf(new Ops().data().open("r", "f", 3, 0))).isEqualTo(Nfs4Status.ACCESS);
    }

    @Test
    void open_withAWish_getsThatOrNone() {
        newFile();
        V4Client client = V4Client.callable(server, "a", 0);

        assertThat(delegationOf(client.run(new Ops().data().open("o", "f", 0x103, 0))))
                .as("read")
                .isEqualTo(3);
        assertThat(delegationOf(client.run(new Ops().data().open("o", "f", 0x403, 0))))
                .as("none")
                .isEqualTo(3);
        assertThat(delegationOf(client.run(new Ops().data().open("o", "f", 0x203, 0))))
                .as("write")
                .isEqualTo(2);
    }

    @Test
    void restart_holderReclaims_andIsToldWhetherToGiveBack(@TempDir Path directory) {
        server.close();
        server = new V4Server(directory);
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        holder.writeDelegation("f");
        server.program().close();
        server.start();
        holder.connection = V4Server.newConnection();
        holder.connect();
        Ops reclaim = file().openPreviousDelegatedToWrite("o");

        Reply without = holder.run(reclaim);
        without.afterFile();
        int[] delegation = without.readWriteDelegation();
        assertThat(without.bool())
                .as("nobody answered CB_NULL yet: give it back")
                .isTrue();
        assertThat(holder.statusOf(file().openDelegatedFhToWrite("q", delegation)))
                .as("what it needs to give it back, within the grace period")
                .isEqualTo(Nfs4Status.OK);
        for (int i = 0; i < 4; i++) {
            server.pass(V4Server.LEASE.dividedBy(2));
            assertThat(holder.tested(delegation))
                    .as("after %d half leases", i + 1)
                    .isEqualTo(Nfs4Status.OK);
        }
    }

    @Test
    void restart_holderThatCanBeCalledBack_keepsItsDelegation(@TempDir Path directory) {
        server.close();
        server = new V4Server(directory);
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        holder.writeDelegation("f");
        server.program().close();
        server.start();
        holder.connection = V4Server.newConnection();
        holder.connect();
        Ops reclaim = file().openPreviousDelegatedToWrite("o");
        holder.answerNull(holder.nextCallback());
        Reply with = holder.run(reclaim);
        with.afterFile();
        int[] again = with.readWriteDelegation();
        assertThat(with.bool()).isFalse();
        holder.run(file().write(again, 0, 2, "x"));
    }

    @Test
    void restart_holderThatKeptTheTimes_reclaimsThemToo(@TempDir Path directory) {
        server.close();
        server = new V4Server(directory);
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        holder.writeDelegation("f");
        server.program().close();
        server.start();
        holder.connection = V4Server.newConnection();
        holder.connect();

        Reply reclaimed = holder.run(file().openPreviousDelegatedWithTimes("o"));

        assertThat(reclaimed.afterFile().openUpToDelegation())
                .as("OPEN_DELEGATE_WRITE_ATTRS_DELEG")
                .isEqualTo(5);
    }

    @Test
    void administrator_seesTheKind() {
        newFile();
        V4Client.callable(server, "a", 0).writeDelegation("f");

        assertThat(server.program()
                        .administration()
                        .delegations(StateQuery.first(10))
                        .toString())
                .contains("write");
    }
}
